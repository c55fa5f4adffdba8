// Package eventtest owns a clock that tests move by hand. No product code
// imports it.
package eventtest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
)

// Fake is an event.Time that stands still until Advance. Its zero value is not
// usable; make one with New.
type Fake struct {
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	timers  []*timer
}

type timer struct {
	fake *Fake
	at   time.Time
	f    func()
}

// New returns a Fake at some fixed moment.
func New() *Fake {
	f := &Fake{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	f.changed = sync.NewCond(&f.mu)
	return f
}

// Now returns the moment that Advance reached.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// AfterFunc arranges for call to run inside the Advance that reaches d from now.
// A d of zero or less runs in the next Advance.
func (f *Fake) AfterFunc(d time.Duration, call func()) event.Timer {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &timer{fake: f, at: f.now.Add(d), f: call}
	f.timers = append(f.timers, t)
	f.changed.Broadcast()
	return t
}

func (t *timer) Stop() bool {
	t.fake.mu.Lock()
	defer t.fake.mu.Unlock()
	i := slices.Index(t.fake.timers, t)
	if i < 0 {
		return false
	}
	t.fake.timers = slices.Delete(t.fake.timers, i, i+1)
	t.fake.changed.Broadcast()
	return true
}

// Advance moves time forward by d, running what comes due on the way in order,
// each at its own moment and on the caller's goroutine.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	end := f.now.Add(d)
	for {
		next := -1
		for i, t := range f.timers {
			if !t.at.After(end) && (next < 0 || t.at.Before(f.timers[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		t := f.timers[next]
		f.timers = slices.Delete(f.timers, next, next+1)
		if t.at.After(f.now) {
			f.now = t.at
		}
		f.mu.Unlock()
		t.f()
		f.mu.Lock()
	}
	f.now = end
	f.changed.Broadcast()
	f.mu.Unlock()
}

// Armed returns how many calls are waiting.
func (f *Fake) Armed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.timers)
}

// Next returns how far away the next call is, and whether there is one.
func (f *Fake) Next() (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.timers) == 0 {
		return 0, false
	}
	at := slices.MinFunc(f.timers, func(a, b *timer) int { return a.at.Compare(b.at) }).at
	return at.Sub(f.now), true
}

// patience bounds a wait for code under test on a loaded machine.
const patience = time.Minute

// AwaitTimer blocks until a call is waiting that is exactly d away. Code that
// arms its timers on another goroutine is met here before an Advance. It panics,
// and says what is armed, where no such call comes within a real minute.
func (f *Fake) AwaitTimer(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	late := false
	defer time.AfterFunc(patience, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		late = true
		f.changed.Broadcast()
	}).Stop()
	for !slices.ContainsFunc(f.timers, func(t *timer) bool { return t.at.Sub(f.now) == d }) {
		if late {
			var armed []time.Duration
			for _, t := range f.timers {
				armed = append(armed, t.at.Sub(f.now))
			}
			panic(fmt.Sprintf("no call is armed %v away; armed are %v", d, armed))
		}
		f.changed.Wait()
	}
}
