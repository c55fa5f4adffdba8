package status

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// ReloadHold is how long the last values of a plugin stay after it was stopped
// to be started again.
const ReloadHold = 10 * time.Second

// Registry holds the segments of every plugin. Readers take Snapshot and never
// wait; writers hold a lock only to change a map.
type Registry struct {
	time event.Time
	// version counts changes of values; a snapshot is made when one is asked
	// for and the last is older, so that a burst costs one. It changes under
	// mu and is read without.
	version atomic.Uint64
	view    atomic.Pointer[Snapshot]

	mu          sync.Mutex
	plugins     map[string]*pluginState
	viewers     map[string]viewer
	subscribers subscribers[func()]
	observers   subscribers[func(plugin string, segments []string)]
}

type pluginState struct {
	declared []string // sorted
	values   map[string]Segment
	observed []string // sorted, of the declared ones; what was last told
	// dead is the generation that was last torn down: its late messages are
	// its own, not its successor's. Zero is none.
	dead, latest uint64
	hold         event.Timer
	holds        uint64 // tells a hold that ended late from the present one
}

// Segment is one value and when it came to be shown.
type Segment struct {
	protocol.StatusValue
	Since time.Time
	held  bool // of a generation that is gone
}

// New returns an empty registry.
func New(t event.Time) *Registry {
	return &Registry{time: t, plugins: map[string]*pluginState{}, viewers: map[string]viewer{}}
}

// SetDeclared says which segments each plugin's manifest declares, for all
// plugins at once. What is no longer declared is gone.
func (r *Registry) SetDeclared(declared map[string][]string) {
	r.mu.Lock()
	changed := false
	for id, p := range r.plugins {
		if _, ok := declared[id]; !ok {
			changed = changed || len(p.values) > 0
			p.stopHold()
			p.declared, p.values = nil, nil
		}
	}
	for id, names := range declared {
		p := r.plugins[id]
		if p == nil {
			p = &pluginState{}
			r.plugins[id] = p
		}
		p.declared = slices.Compact(slices.Sorted(slices.Values(names)))
		for name := range p.values {
			if !p.declares(name) {
				delete(p.values, name)
				changed = true
			}
		}
	}
	reobserved := r.observe()
	for id := range r.plugins {
		if _, ok := declared[id]; !ok {
			delete(r.plugins, id)
		}
	}
	r.unlockAndTell(changed, reobserved)
}

// Merge applies what a plugin reports: names that it does not declare are
// ignored, an empty text clears, and what is not named stays. Restating what
// stands tells nobody.
func (r *Registry) Merge(plugin string, generation uint64, values map[string]protocol.StatusValue) {
	r.mu.Lock()
	p := r.plugins[plugin]
	if p == nil || generation != 0 && generation == p.dead {
		r.mu.Unlock()
		return
	}
	p.latest = generation
	now := r.time.Now()
	changed := false
	for name, v := range values {
		if p.declares(name) {
			changed = p.set(name, v, now) || changed
		}
	}
	r.unlockAndTell(changed, nil)
}

func (p *pluginState) declares(name string) bool {
	_, ok := slices.BinarySearch(p.declared, name)
	return ok
}

func (p *pluginState) set(name string, v protocol.StatusValue, now time.Time) bool {
	old, stood := p.values[name]
	if empty(v) {
		delete(p.values, name)
		return stood
	}
	if stood && same(old.StatusValue, v) {
		// Restated by the successor: it is no longer the past's.
		if old.held {
			old.held = false
			p.values[name] = old
		}
		return false
	}
	if p.values == nil {
		p.values = map[string]Segment{}
	}
	p.values[name] = Segment{StatusValue: v, Since: now}
	return true
}

// Clear is called when a plugin's process has gone. Planned, its values stay
// until the successor says otherwise or ReloadHold has passed.
func (r *Registry) Clear(plugin string, planned bool) {
	r.mu.Lock()
	p := r.plugins[plugin]
	if p == nil {
		r.mu.Unlock()
		return
	}
	p.dead = p.latest
	p.stopHold()
	changed := false
	if planned && len(p.values) > 0 {
		for name, s := range p.values {
			s.held = true
			p.values[name] = s
		}
		hold := p.holds
		p.hold = r.time.AfterFunc(ReloadHold, func() { r.release(plugin, hold) })
	} else if !planned {
		changed = len(p.values) > 0
		p.values = nil
	}
	r.unlockAndTell(changed, nil)
}

func (p *pluginState) stopHold() {
	p.holds++
	if p.hold != nil {
		p.hold.Stop()
		p.hold = nil
	}
}

// release ends a hold: what the successor has not stated by now goes.
func (r *Registry) release(plugin string, hold uint64) {
	r.mu.Lock()
	p := r.plugins[plugin]
	if p == nil || p.holds != hold {
		r.mu.Unlock()
		return
	}
	p.hold = nil
	changed := false
	for name, s := range p.values {
		if s.held {
			delete(p.values, name)
			changed = true
		}
	}
	r.unlockAndTell(changed, nil)
}

// unlockAndTell ends a change: it lets go of the lock, then tells those who
// asked, so that what they do cannot hold up a plugin.
func (r *Registry) unlockAndTell(changed bool, reobserved []observation) {
	var fns []func()
	if changed {
		r.version.Add(1)
		fns = r.subscribers.all()
	}
	var observers []func(string, []string)
	if len(reobserved) > 0 {
		observers = r.observers.all()
	}
	r.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
	for _, o := range reobserved {
		for _, fn := range observers {
			fn(o.plugin, o.segments)
		}
	}
}

// Subscribe calls fn after each change of a value, on the goroutine that made
// it and without the lock: fn must return at once.
func (r *Registry) Subscribe(fn func()) (cancel func()) {
	return subscribe(r, &r.subscribers, fn)
}

// SubscribeObserved calls fn with each plugin whose observed segments changed,
// under the same rules as Subscribe. None observed is an empty list.
func (r *Registry) SubscribeObserved(fn func(plugin string, segments []string)) (cancel func()) {
	return subscribe(r, &r.observers, fn)
}

// subscribers is a list in order of arrival.
type subscribers[F any] struct {
	next    int
	entries []subscriber[F]
}

type subscriber[F any] struct {
	id int
	fn F
}

func subscribe[F any](r *Registry, s *subscribers[F], fn F) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := s.next
	s.next++
	s.entries = append(s.entries, subscriber[F]{id, fn})
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.entries = slices.DeleteFunc(s.entries, func(e subscriber[F]) bool { return e.id == id })
	}
}

func (s *subscribers[F]) all() []F {
	fns := make([]F, len(s.entries))
	for i, e := range s.entries {
		fns[i] = e.fn
	}
	return fns
}
