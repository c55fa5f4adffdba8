package broker

import (
	"crypto/rand"
	"sync"
)

const (
	maxHandle = 128 // what is looked up at all
	// maxAXApps is how many apps one plugin's handles cover; the one that it
	// looked at longest ago goes first.
	maxAXApps = 64
)

// axHandles are the elements that plugins hold handles of. A handle is good
// for the plugin that it was given to, until its next snapshot of that app.
type axHandles struct {
	mu      sync.Mutex
	turn    uint64
	plugins map[string]map[int]*axApp // plugin, pid
}

// axApp is what one snapshot of one app gave. Its elements are released when
// it was replaced and no call uses it any more.
type axApp struct {
	turn     uint64
	elements map[string]AXElement
	pins     int
	gone     bool
}

// replace keeps the elements of a new snapshot in place of the last one of the
// same plugin and app, and returns their handles.
func (h *axHandles) replace(plugin string, pid int, nodes []AXNode) []string {
	handles := make([]string, len(nodes))
	a := &axApp{elements: make(map[string]AXElement, len(nodes))}
	for i, n := range nodes {
		handles[i] = newHandle()
		a.elements[handles[i]] = n.Element
	}
	h.mu.Lock()
	if h.plugins == nil {
		h.plugins = map[string]map[int]*axApp{}
	}
	apps := h.plugins[plugin]
	if apps == nil {
		apps = map[int]*axApp{}
		h.plugins[plugin] = apps
	}
	h.turn++
	a.turn = h.turn
	dead := []*axApp{apps[pid]}
	apps[pid] = a
	if len(apps) > maxAXApps {
		oldest := pid
		for p, app := range apps {
			if app.turn < apps[oldest].turn {
				oldest = p
			}
		}
		dead = append(dead, apps[oldest])
		delete(apps, oldest)
	}
	free := h.retire(dead)
	h.mu.Unlock()
	free()
	return handles
}

// retire marks apps as gone and returns what frees those that no call uses;
// the last call frees the others.
func (h *axHandles) retire(apps []*axApp) (free func()) {
	var now []*axApp
	for _, a := range apps {
		if a == nil {
			continue
		}
		a.gone = true
		if a.pins == 0 {
			now = append(now, a)
		}
	}
	return func() {
		for _, a := range now {
			a.release()
		}
	}
}

func (a *axApp) release() {
	for _, e := range a.elements {
		release(e)
	}
}

func release(e AXElement) {
	if r, ok := e.(AXReleaser); ok {
		r.Release()
	}
}

// pin finds the elements of a plugin's handles and keeps them until unpin,
// also if a snapshot replaces them meanwhile.
func (h *axHandles) pin(plugin string, handles []string) (elements []AXElement, unpin func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var used []*axApp
	for _, handle := range handles {
		for _, a := range h.plugins[plugin] {
			if e, has := a.elements[handle]; has {
				elements, used = append(elements, e), append(used, a)
			}
		}
	}
	if len(elements) != len(handles) {
		return nil, nil, false
	}
	for _, a := range used {
		a.pins++
	}
	return elements, func() {
		h.mu.Lock()
		var dead []*axApp
		for _, a := range used {
			if a.pins--; a.pins == 0 && a.gone {
				dead = append(dead, a)
			}
		}
		h.mu.Unlock()
		for _, a := range dead {
			a.release()
		}
	}, true
}

func (h *axHandles) forget(plugin string) {
	h.mu.Lock()
	var dead []*axApp
	for _, a := range h.plugins[plugin] {
		dead = append(dead, a)
	}
	delete(h.plugins, plugin)
	free := h.retire(dead)
	h.mu.Unlock()
	free()
}

func newHandle() string {
	return rand.Text() // 26 characters of base 32, of which 128 bits are not to be guessed
}
