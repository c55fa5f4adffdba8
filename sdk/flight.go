package sdk

import (
	"context"
	"sync"
	"time"
)

// SingleFlight keeps one run of a piece of work in the air. The zero value is
// ready.
type SingleFlight struct {
	mu  sync.Mutex
	cur *flight
}

type flight struct {
	done chan struct{}
	err  error
}

// Do runs fn, or joins the run that is under way and returns its error; joined
// says which. A joiner whose ctx ends first returns ctx's error while the run
// goes on. The run itself has the ctx of the caller that began it. When fn
// panics the panic goes on in its caller and joiners get [ErrPanicked].
func (f *SingleFlight) Do(ctx context.Context, fn func(ctx context.Context) error) (joined bool, err error) {
	f.mu.Lock()
	if cur := f.cur; cur != nil {
		f.mu.Unlock()
		select {
		case <-cur.done:
			return true, cur.err
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	cur := &flight{done: make(chan struct{}), err: ErrPanicked}
	f.cur = cur
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.cur = nil
		f.mu.Unlock()
		close(cur.done)
	}()
	cur.err = fn(ctx)
	return false, cur.err
}

// Fresh is [SingleFlight.Do] for a caller that needs what is true now: a run
// that had begun before is waited for and not joined, since it may have missed
// what the caller knows of. Those who waited for the same run share the next.
func (f *SingleFlight) Fresh(ctx context.Context, fn func(ctx context.Context) error) (joined bool, err error) {
	f.mu.Lock()
	cur := f.cur
	f.mu.Unlock()
	if cur != nil {
		select {
		case <-cur.done:
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	return f.Do(ctx, fn)
}

// Running reports whether a run is under way.
func (f *SingleFlight) Running() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cur != nil
}

// RefreshGate lets something happen at most once in an interval: a sweep when
// the flashlight opens, a warning about a slow backend.
type RefreshGate struct {
	clock    Clock
	interval time.Duration

	mu   sync.Mutex
	next time.Time // zero: open
	shut int       // refusals since the last pass
}

// NewRefreshGate returns an open gate. A nil clock is the system's.
func NewRefreshGate(clock Clock, interval time.Duration) *RefreshGate {
	return &RefreshGate{clock: clockOrSystem(clock), interval: interval}
}

// Allow reports whether it may happen now, and if so shuts the gate for the
// interval. refused counts the calls that were turned away since the last pass,
// for a message such as "3 more since".
func (g *RefreshGate) Allow() (ok bool, refused int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	if now.Before(g.next) {
		g.shut++
		return false, g.shut
	}
	g.next = now.Add(g.interval)
	refused, g.shut = g.shut, 0
	return true, refused
}

// Open lets the next call pass, whenever it comes.
func (g *RefreshGate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = time.Time{}
}
