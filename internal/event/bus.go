package event

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/flash-launcher/flash/protocol"
)

// Listener is one receiver of events.
type Listener struct {
	ID       string
	Patterns []string // of `listen`: '*' is the only wildcard
	// Lacks lists the events that the patterns would match but that the
	// listener may not be told of, for want of a capability.
	Lacks []string
	// Deliver must not block: it hands the event to a bounded lane.
	Deliver func(*Event)
}

func (l *Listener) wants(name string) bool {
	if slices.Contains(l.Lacks, name) {
		return false
	}
	return slices.ContainsFunc(l.Patterns, func(p string) bool { return protocol.MatchPattern(p, name) })
}

// Bus delivers events to listeners. Who listens to a name is worked out at the
// name's first use after SetListeners and looked up from then on. All methods
// may be called from any goroutine.
type Bus struct {
	set atomic.Pointer[listenerSet]
}

type listenerSet struct {
	all      []Listener
	resolved sync.Map // event name → []func(*Event)
	names    atomic.Int32
}

// maxResolved bounds the memory of a set against names that someone makes up;
// the closed set of core names is far smaller.
const maxResolved = 256

// NewBus returns a bus that nobody listens to.
func NewBus() *Bus {
	b := &Bus{}
	b.set.Store(&listenerSet{})
	return b
}

// SetListeners replaces all listeners at once.
func (b *Bus) SetListeners(all []Listener) {
	b.set.Store(&listenerSet{all: slices.Clone(all)})
}

// Wanted reports whether anybody listens to name.
func (b *Bus) Wanted(name string) bool { return len(b.set.Load().of(name)) > 0 }

// Emit delivers e to the listeners of its name, in the order of their set.
func (b *Bus) Emit(e *Event) {
	for _, deliver := range b.set.Load().of(e.Name) {
		deliver(e)
	}
}

// Send makes the event with build and emits it, unless nobody listens to name:
// then no frame is built.
func (b *Bus) Send(name string, build func() *Event) {
	to := b.set.Load().of(name)
	if len(to) == 0 {
		return
	}
	e := build()
	for _, deliver := range to {
		deliver(e)
	}
}

func (s *listenerSet) of(name string) []func(*Event) {
	if found, ok := s.resolved.Load(name); ok {
		return found.([]func(*Event))
	}
	var to []func(*Event)
	for i := range s.all {
		if s.all[i].wants(name) {
			to = append(to, s.all[i].Deliver)
		}
	}
	if s.names.Add(1) <= maxResolved {
		s.resolved.Store(name, to)
	}
	return to
}
