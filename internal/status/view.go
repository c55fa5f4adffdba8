package status

import (
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
)

// HoldGrace is how long what a view shows stays observed once the view is held:
// a screen that is covered for a moment costs no plugin its process.
const HoldGrace = 10 * time.Second

// View is what one viewer shows. It observes the segments of its template while
// it is on, and says when there is a new line to look at. Nothing runs between
// changes; one timer is armed while something shown changes by itself.
type View struct {
	registry *Registry
	time     event.Time
	name     string
	wake     func()
	cancel   func()

	observing sync.Mutex // taken before mu

	mu       sync.Mutex
	template Template
	on       bool
	held     bool
	told     bool // wake was called, and Line not since
	closed   bool
	turn     event.Timer
	grace    event.Timer
	graces   uint64 // tells a grace that ended late from the present one
	line     Line
	shown    bool // line was taken before
}

// NewView returns a view that is off. Name is its viewer's, unique in the
// registry. Wake is called when there may be something new, from any goroutine
// and at most once until Line is called; it must return at once.
func (r *Registry) NewView(name string, wake func()) *View {
	v := &View{registry: r, time: r.time, name: name, wake: wake}
	v.cancel = r.Subscribe(v.changed)
	return v
}

// Show sets the template, and whether anything is shown at all.
func (v *View) Show(t Template, on bool) {
	v.mu.Lock()
	if v.closed {
		v.mu.Unlock()
		return
	}
	v.template, v.on = t, on
	v.shown = false
	v.mu.Unlock()
	v.observe()
	v.changed()
}

// Hold stops the view while nobody can see it, and lets it go on. What it shows
// is observed for HoldGrace more.
func (v *View) Hold(held bool) {
	v.mu.Lock()
	if v.closed || held == v.held {
		v.mu.Unlock()
		return
	}
	v.held = held
	v.graces++
	if v.grace != nil {
		v.grace.Stop()
		v.grace = nil
	}
	if held {
		v.stopTurn()
		if v.on {
			n := v.graces
			v.grace = v.time.AfterFunc(HoldGrace, func() { v.ungrace(n) })
		}
		v.mu.Unlock()
		return
	}
	v.mu.Unlock()
	v.observe()
	// A clock or a carousel has gone on meanwhile, told or not.
	v.changed()
}

func (v *View) ungrace(n uint64) {
	v.mu.Lock()
	if v.graces == n {
		v.grace = nil
	}
	v.mu.Unlock()
	v.observe()
}

// observe brings the registry in line with the view. One at a time, so that the
// last word is about the last state.
func (v *View) observe() {
	v.observing.Lock()
	defer v.observing.Unlock()
	v.mu.Lock()
	t, on := v.template, v.on && !v.closed && (!v.held || v.grace != nil)
	v.mu.Unlock()
	v.registry.Observe(v.name, t, on)
}

// changed is called when a value may have changed.
func (v *View) changed() {
	v.mu.Lock()
	tell := false
	switch {
	case v.closed || v.told || v.held:
	default:
		v.told, tell = true, true
	}
	v.mu.Unlock()
	if tell {
		v.wake()
	}
}

// Line returns what shows now, and whether that is anything else than what the
// last call returned. Off, it is nothing; held, it is what it was.
func (v *View) Line() (line Line, changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told = false
	if v.held && v.shown {
		return v.line, false
	}
	v.stopTurn()
	line = Line{}
	if v.on && !v.closed {
		now := v.time.Now()
		var next time.Time
		line, next = v.template.Line(v.registry.Snapshot(), now)
		if !next.IsZero() {
			v.turn = v.time.AfterFunc(max(next.Sub(now), time.Millisecond), v.changed)
		}
	}
	changed = !v.shown || !line.Equal(v.line)
	v.line, v.shown = line, true
	return line, changed
}

func (v *View) stopTurn() {
	if v.turn != nil {
		v.turn.Stop()
		v.turn = nil
	}
}

// Complete reports whether every declared segment that the view shows has a value.
func (v *View) Complete() bool {
	v.mu.Lock()
	references := v.template.References()
	v.mu.Unlock()
	s := v.registry.Snapshot()
	for plugin, names := range references {
		for _, name := range names {
			if _, ok := s.Get(plugin, name); !ok && v.registry.declares(plugin, name) {
				return false
			}
		}
	}
	return true
}

// Close ends the view: nothing is observed for it any more, and wake is not
// called again, but for a call that is on its way.
func (v *View) Close() {
	v.cancel()
	v.mu.Lock()
	v.closed = true
	v.graces++
	v.stopTurn()
	if v.grace != nil {
		v.grace.Stop()
		v.grace = nil
	}
	v.mu.Unlock()
	v.observe()
}
