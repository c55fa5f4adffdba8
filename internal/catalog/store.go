package catalog

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// Plugin is the catalogue of one plugin as it stands. It never changes.
type Plugin struct {
	ID         string
	Rows       []protocol.Row
	Index      *match.Index
	Keys       []Key  // of each row, different within the plugin
	Generation uint64 // the store's count of changes when these rows came
	Updated    time.Time
}

// Snapshot is all catalogues at one moment, ordered by plugin id. It never changes.
type Snapshot struct {
	Generation uint64
	Plugins    []*Plugin
	indexes    []*match.Index
}

// Indexes returns the plugins' indexes in their order; it must not be changed.
func (s *Snapshot) Indexes() []*match.Index { return s.indexes }

// Plugin returns the catalogue of that plugin, or nil.
func (s *Snapshot) Plugin(id string) *Plugin {
	if i, ok := s.find(id); ok {
		return s.Plugins[i]
	}
	return nil
}

// Len returns the number of rows.
func (s *Snapshot) Len() int {
	n := 0
	for _, p := range s.Plugins {
		n += len(p.Rows)
	}
	return n
}

func (s *Snapshot) find(id string) (int, bool) {
	return slices.BinarySearchFunc(s.Plugins, id, func(p *Plugin, id string) int { return strings.Compare(p.ID, id) })
}

// Store holds the current Snapshot. Use NewStore.
type Store struct {
	now     func() time.Time
	current atomic.Pointer[Snapshot]

	mu    sync.Mutex // guards what follows and swaps of current; held for no work that grows with rows
	slots map[string]*slot
	subs  map[int]func()
	next  int
}

// slot serialises the publications of one plugin.
type slot struct {
	mu  sync.Mutex // held while comparing and preparing; no reader takes it
	gen uint64     // of the child that published last
}

// NewStore returns an empty store; now is the clock for Updated, nil for the machine's.
func NewStore(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	s := &Store{now: now, slots: map[string]*slot{}, subs: map[int]func(){}}
	s.current.Store(&Snapshot{})
	return s
}

// Snapshot returns what stands now.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Publish replaces the rows of plugin by those that its child of generation gen
// published, and reports whether that changed anything: rows that are equal in
// order, count and content advance nothing and tell nobody. A publication of an
// older child than the last one's is dropped. The store keeps rows; they must
// not be changed afterwards.
func (s *Store) Publish(plugin string, gen uint64, rows []protocol.Row) (changed bool) {
	sl := s.slot(plugin)
	sl.mu.Lock()
	changed = s.publish(sl, plugin, gen, rows)
	sl.mu.Unlock()
	if changed {
		s.tell()
	}
	return changed
}

func (s *Store) publish(sl *slot, plugin string, gen uint64, rows []protocol.Row) bool {
	if gen < sl.gen {
		return false
	}
	sl.gen = gen
	if old := s.Snapshot().Plugin(plugin); old != nil && equalRows(old.Rows, rows) {
		return false
	}
	p := &Plugin{ID: plugin, Rows: rows, Updated: s.now()}
	var keys sync.WaitGroup
	keys.Go(func() { p.Keys = KeysOf(rows) })
	p.Index = match.NewIndex(rows)
	keys.Wait()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[plugin] != sl {
		return false // dropped while these rows were being prepared
	}
	old := s.Snapshot()
	p.Generation = old.Generation + 1
	plugins := slices.Clone(old.Plugins)
	if i, ok := old.find(plugin); ok {
		plugins[i] = p
	} else {
		plugins = slices.Insert(plugins, i, p)
	}
	s.swap(p.Generation, plugins)
	return true
}

// Drop removes the catalogue of a plugin that failed for good or was unloaded,
// and forgets the generations of its children.
func (s *Store) Drop(plugin string) {
	s.mu.Lock()
	delete(s.slots, plugin)
	old := s.Snapshot()
	i, ok := old.find(plugin)
	if ok {
		s.swap(old.Generation+1, slices.Delete(slices.Clone(old.Plugins), i, i+1))
	}
	s.mu.Unlock()
	if ok {
		s.tell()
	}
}

// swap makes plugins current; mu is held.
func (s *Store) swap(generation uint64, plugins []*Plugin) {
	indexes := make([]*match.Index, len(plugins))
	for i, p := range plugins {
		indexes[i] = p.Index
	}
	s.current.Store(&Snapshot{Generation: generation, Plugins: plugins, indexes: indexes})
}

// Subscribe has fn called after each change until cancel, from the goroutine
// that made the change; fn must not block.
func (s *Store) Subscribe(fn func()) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.subs[id] = fn
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, id)
	}
}

func (s *Store) tell() {
	s.mu.Lock()
	fns := make([]func(), 0, len(s.subs))
	for _, fn := range s.subs {
		fns = append(fns, fn)
	}
	s.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

func (s *Store) slot(plugin string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.slots[plugin]
	if sl == nil {
		sl = &slot{}
		s.slots[plugin] = sl
	}
	return sl
}

func equalRows(a, b []protocol.Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}
