package status

import (
	"maps"
	"slices"
	"time"

	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/protocol"
)

// Snapshot is the values at one moment. It never changes.
type Snapshot struct {
	version uint64
	plugins map[string]map[string]Segment
}

// Snapshot returns the values as they stand.
func (r *Registry) Snapshot() *Snapshot {
	if s := r.view.Load(); s != nil && s.version == r.version.Load() {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &Snapshot{version: r.version.Load(), plugins: make(map[string]map[string]Segment, len(r.plugins))}
	for id, p := range r.plugins {
		if len(p.values) > 0 {
			s.plugins[id] = maps.Clone(p.values)
		}
	}
	r.view.Store(s)
	return s
}

// Get returns one value, and whether there is one.
func (s *Snapshot) Get(plugin, segment string) (Segment, bool) {
	v, ok := s.plugins[plugin][segment]
	return v, ok
}

// Plugins returns the plugins that have a value, sorted.
func (s *Snapshot) Plugins() []string { return slices.Sorted(maps.Keys(s.plugins)) }

// Segments returns the names of a plugin's values, sorted.
func (s *Snapshot) Segments(plugin string) []string {
	return slices.Sorted(maps.Keys(s.plugins[plugin]))
}

// Text returns what the segment shows at that time and when it will show
// something else by itself; the zero time is never. A carousel turns by the
// time since it was set, so that every emitter shows the same line.
func (s Segment) Text(now time.Time) (text string, next time.Time) {
	if s.Carousel == nil {
		return printable.Line(s.StatusValue.Text), time.Time{}
	}
	c := s.Carousel
	if len(c.Lines) == 1 {
		return printable.Line(c.Prefix + c.Lines[0]), time.Time{}
	}
	cycle := time.Duration(max(c.CycleSeconds, protocol.MinCycleSeconds) * float64(time.Second))
	turns := int64(max(0, now.Sub(s.Since)) / cycle)
	return printable.Line(c.Prefix + c.Lines[turns%int64(len(c.Lines))]), s.Since.Add(time.Duration(turns+1) * cycle)
}

func empty(v protocol.StatusValue) bool {
	return v.Carousel == nil && v.Text == "" || v.Carousel != nil && len(v.Carousel.Lines) == 0
}

func same(a, b protocol.StatusValue) bool {
	if (a.Carousel == nil) != (b.Carousel == nil) {
		return false
	}
	if a.Carousel == nil {
		return a.Text == b.Text
	}
	return a.Carousel.Prefix == b.Carousel.Prefix && a.Carousel.CycleSeconds == b.Carousel.CycleSeconds &&
		slices.Equal(a.Carousel.Lines, b.Carousel.Lines)
}
