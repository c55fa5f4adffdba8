package mac

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
)

// Registrar makes and ends the observers of apps. Install waits for the app;
// what an installed observer hears is told until Remove, by the token that it
// was given. A name that the app does not implement is no failure.
type Registrar interface {
	Trusted() bool
	Install(token uint64, pid int, names Names) Status
	Remove(token uint64)
}

// Names are the notifications that an observer is made for.
type Names struct {
	App []string // asked of the app, for all that is in it
	// Window are asked of each of its windows and of those that it makes: an app
	// does not pass them on.
	Window []string
}

// ofWindows are the notifications that only the window itself sends.
var ofWindows = [...]string{"AXUIElementDestroyed", "AXWindowDeminiaturized", "AXWindowMiniaturized"}

const windowCreated = "AXWindowCreated"

// NamesOf sorts what is wanted. To know new windows their making is asked for
// too.
func NamesOf(wanted []string) Names {
	var n Names
	for _, w := range slices.Compact(slices.Sorted(slices.Values(wanted))) {
		if slices.Contains(ofWindows[:], w) {
			n.Window = append(n.Window, w)
		} else {
			n.App = append(n.App, w)
		}
	}
	if len(n.Window) > 0 && !slices.Contains(n.App, windowCreated) {
		n.App = append(n.App, windowCreated)
	}
	return n
}

// AddAll adds notifications to an observer. One that the app does not implement
// is passed over; an app that implements none of them has no use for one. After
// any other failure the rest would only wait for it again.
func AddAll(names []string, add func(name string) Status) Status {
	result := NotImplemented
	for _, n := range names {
		switch status := add(n); status {
		case OK, Already:
			result = OK
		case NoNotification, NotImplemented:
		default:
			return status
		}
	}
	return result
}

// Ladder is how long to wait before each further try to observe an app that
// does not answer: one that starts takes its time, one that hangs may take for
// ever. Past the last step it is tried when it has the focus again.
var Ladder = [...]time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second,
	2 * time.Second, 4 * time.Second, 8 * time.Second,
}

// trustDelay is how long after the notice of a change of permissions the answer
// about them is the new one.
const trustDelay = time.Second

// Observers keeps one observer for each app that it is told of, while anything
// is wanted and Flash may look. Its methods return at once; macOS is asked from
// one goroutine.
type Observers struct {
	registrar Registrar
	time      event.Time
	heard     func(pid int, notification, bundleID string)
	// Installed, if it is set before the first Add, is told which app is observed
	// from now on: what happened in it before was not heard.
	Installed func(pid int)

	mu      sync.Mutex
	wake    sync.Cond
	wanted  []string // sorted
	names   Names
	apps    map[int]*observed
	byToken map[uint64]*observed
	tokens  uint64
	remove  []uint64 // observers to end
	denied  bool     // the permission was missing when macOS was asked last
	check   event.Timer
	closed  bool
	done    chan struct{}
}

// observed is one app.
type observed struct {
	pid      int
	bundleID string // as it was told, and told on with each notification
	token    uint64 // of its observer, 0 without one
	step     int    // of the ladder
	due      bool   // to be tried now
	timer    event.Timer
}

// NewObservers observes nothing yet. Heard is called by whoever calls Heard, in
// the same goroutine.
func NewObservers(r Registrar, t event.Time, heard func(pid int, notification, bundleID string)) *Observers {
	o := &Observers{registrar: r, time: t, heard: heard, apps: map[int]*observed{}, byToken: map[uint64]*observed{}, done: make(chan struct{})}
	o.wake.L = &o.mu
	go o.work()
	return o
}

// Want replaces what is wanted of every app; nothing ends all observers.
func (o *Observers) Want(notifications []string) {
	wanted := slices.Compact(slices.Sorted(slices.Values(notifications)))
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Equal(wanted, o.wanted) {
		return
	}
	o.wanted, o.names = wanted, NamesOf(wanted)
	for _, a := range o.apps {
		o.end(a)
		o.try(a)
	}
}

// Wants says whether a notification is wanted.
func (o *Observers) Wants(notification string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, want := slices.BinarySearch(o.wanted, notification)
	return want
}

// Add has an app observed, or tried again that did not answer.
func (o *Observers) Add(pid int, bundleID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.apps[pid]
	if a != nil && a.bundleID != bundleID {
		o.drop(a) // another app with the number of one that ended
		a = nil
	}
	if a == nil {
		a = &observed{pid: pid, bundleID: bundleID}
		o.apps[pid] = a
	}
	if a.token == 0 && a.timer == nil {
		a.step = 0
		o.try(a)
	}
}

// Remove ends the observation of an app.
func (o *Observers) Remove(pid int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if a := o.apps[pid]; a != nil {
		o.drop(a)
	}
}

// Heard passes on what an observer heard, if somebody wants it.
func (o *Observers) Heard(token uint64, notification string) {
	o.mu.Lock()
	a := o.byToken[token]
	_, want := slices.BinarySearch(o.wanted, notification)
	if a == nil || !want || o.closed {
		o.mu.Unlock()
		return
	}
	pid, bundleID := a.pid, a.bundleID
	o.mu.Unlock()
	o.heard(pid, notification, bundleID)
}

// TrustChanged says that permissions have changed, whoever's: Flash's is looked
// at now, and once more when the answer is sure to be new.
func (o *Observers) TrustChanged() {
	o.look()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.check != nil {
		o.check.Stop()
	}
	if !o.closed {
		o.check = o.time.AfterFunc(trustDelay, o.look)
	}
}

func (o *Observers) look() {
	trusted := o.registrar.Trusted()
	o.mu.Lock()
	defer o.mu.Unlock()
	if trusted {
		o.denied = false
		for _, a := range o.apps {
			if a.token == 0 {
				a.step = 0
				o.try(a)
			}
		}
		return
	}
	o.deny()
}

// deny ends all observers: they would hear nothing any more.
func (o *Observers) deny() {
	o.denied = true
	for _, a := range o.apps {
		o.end(a)
	}
}

// Denied says whether the permission is known to be missing.
func (o *Observers) Denied() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.denied
}

// Close ends all observers and waits for it.
func (o *Observers) Close() {
	o.mu.Lock()
	o.closed = true
	if o.check != nil {
		o.check.Stop()
	}
	for _, a := range maps.Clone(o.apps) {
		o.drop(a)
	}
	o.wake.Signal()
	o.mu.Unlock()
	<-o.done
}

// The rest is called with mu held, but for work.

func (o *Observers) try(a *observed) {
	if len(o.wanted) == 0 || o.closed {
		return
	}
	a.due = true
	o.wake.Signal()
}

// end ends an app's observer and its waiting for one.
func (o *Observers) end(a *observed) {
	a.due = false
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	if a.token != 0 {
		delete(o.byToken, a.token)
		o.remove = append(o.remove, a.token)
		a.token = 0
		o.wake.Signal()
	}
}

func (o *Observers) drop(a *observed) {
	o.end(a)
	delete(o.apps, a.pid)
}

// next is what to do next: first the observers to end.
func (o *Observers) next() (remove []uint64, add *observed, ok bool) {
	for {
		if len(o.remove) > 0 {
			remove, o.remove = o.remove, nil
			return remove, nil, true
		}
		if o.closed {
			return nil, nil, false
		}
		for _, a := range o.apps {
			if a.due && (add == nil || a.pid < add.pid) {
				add = a
			}
		}
		if add != nil {
			return nil, add, true
		}
		o.wake.Wait()
	}
}

func (o *Observers) work() {
	defer close(o.done)
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		remove, a, ok := o.next()
		switch {
		case !ok:
			return
		case a == nil:
			o.mu.Unlock()
			for _, token := range remove {
				o.registrar.Remove(token)
			}
			o.mu.Lock()
		default:
			o.install(a)
		}
	}
}

func (o *Observers) install(a *observed) {
	o.tokens++
	token, names := o.tokens, o.names
	a.due, a.token = false, token
	o.byToken[token] = a // it may speak before Install returns
	o.mu.Unlock()
	status := o.registrar.Install(token, a.pid, names)
	o.mu.Lock()
	if a.token != token {
		return // ended meanwhile: its removal is on the list
	}
	if status == OK {
		a.step, o.denied = 0, false
		if o.Installed != nil {
			pid := a.pid
			o.mu.Unlock()
			o.Installed(pid)
			o.mu.Lock()
		}
		return
	}
	delete(o.byToken, token)
	a.token = 0
	switch {
	case status == Disabled:
		o.deny()
	case status == CannotComplete && a.step < len(Ladder):
		wait := Ladder[a.step]
		a.step++
		var t event.Timer
		t = o.time.AfterFunc(wait, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			if a.timer == t { // else it was stopped, too late
				a.timer = nil
				o.try(a)
			}
		})
		a.timer = t
	}
}
