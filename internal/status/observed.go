package status

import (
	"maps"
	"slices"
)

// viewer is one thing that shows segments: the bar, a JSON stream, a tmux line.
type viewer struct{ references map[string][]string }

type observation struct {
	plugin   string
	segments []string
}

// Observe says what a viewer shows, in place of what it showed before. Off, it
// shows nothing, whatever its template.
func (r *Registry) Observe(name string, t Template, enabled bool) {
	r.mu.Lock()
	if enabled {
		r.viewers[name] = viewer{t.References()}
	} else {
		delete(r.viewers, name)
	}
	r.unlockAndTell(false, r.observe())
}

// Observed returns the segments of a plugin that something shows: declared,
// sorted, without repeats, and never nil.
func (r *Registry) Observed(plugin string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.plugins[plugin]; p != nil && len(p.observed) > 0 {
		return slices.Clone(p.observed)
	}
	return []string{}
}

// observe works out every plugin's list anew and returns those that changed,
// in order of id.
func (r *Registry) observe() []observation {
	var changed []observation
	for _, id := range slices.Sorted(maps.Keys(r.plugins)) {
		p := r.plugins[id]
		now := []string{}
		for _, v := range r.viewers {
			for _, name := range v.references[id] {
				if p.declares(name) {
					now = append(now, name)
				}
			}
		}
		slices.Sort(now)
		now = slices.Compact(now)
		if !slices.Equal(now, p.observed) {
			p.observed = now
			changed = append(changed, observation{id, slices.Clone(now)})
		}
	}
	return changed
}

func (r *Registry) declares(plugin, segment string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.plugins[plugin]
	return p != nil && p.declares(segment)
}
