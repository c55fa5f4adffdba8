package ax

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
)

var _ broker.Accessibility = (*Observer)(nil)

// parallel is how many nodes are asked about at once. Each is a handful of
// calls in one breath; more only makes the app's queue longer.
const parallel = 32

// node is a node of a snapshot in the making.
type node struct {
	element *element
	parent  int
	window  *desktop.Window // what the window system says, of a top-level window
	place   *place          // of the window it is in
	facts   facts
	twin    *node // of a window, its object; of an object, its window
	gone    bool  // it did not answer
}

// walk is one snapshot in the making.
type walk struct {
	o       *Observer
	l       *link // nil when only the window system is asked
	q       broker.AXQuery
	need    need
	windows []desktop.Window // of the app
	listed  bool             // windows is all of them
	seen    map[ref]struct{}
	out     broker.AXSnapshot
	main    int64 // number of the app's main window
}

// Snapshot implements broker.Accessibility. Windows are those of the window
// system where there is one; their numbers, titles, frames and states are what
// it says, so that a plugin that asks for no more costs the app nothing.
func (o *Observer) Snapshot(ctx context.Context, q broker.AXQuery) (broker.AXSnapshot, error) {
	q.Collect = distinct(q.Collect)
	w := &walk{o: o, q: q, need: needOf(q), seen: map[ref]struct{}{}}
	w.windows, w.listed = o.windowsOf(ctx, q.PID)
	w.main = mainWindow(w.windows)
	if q.Windows && w.listed && len(q.Follow) == 0 && w.need.windowsOnly() {
		w.level(ctx, windowNodes(q.PID, w.windows, -1))
		return w.out, nil
	}
	l, done, err := o.reach(ctx)
	if err == nil {
		defer done()
		w.l = l
		err = w.run(ctx)
	} else if w.listed && ctx.Err() == nil {
		// The window system alone then.
		err = w.run(ctx)
	}
	if err != nil && ctx.Err() != nil && len(w.out.Nodes) > 0 {
		w.out.Truncated, err = true, nil
	}
	return w.out, err
}

// distinct leaves out repeated names, which would be repeated keys.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// run finds the roots and walks.
func (w *walk) run(ctx context.Context) error {
	var roots []ref
	if w.l != nil {
		var err error
		if roots, err = w.o.rootsOf(ctx, w.l, w.q.PID); err != nil {
			return err
		}
	}
	if len(roots) == 0 && len(w.windows) == 0 && (!w.q.Windows || !w.listed) {
		return fmt.Errorf("process %d: no window and nothing on the accessibility bus", w.q.PID)
	}
	var level []*node
	if w.q.Windows {
		level = w.topWindows(ctx, roots, -1)
	} else {
		level = w.apps(roots)
	}
	for len(level) > 0 {
		level = w.level(ctx, level)
	}
	if len(w.out.Nodes) == 0 && w.l != nil && w.l.lost() {
		return errLost // nothing seen is not nothing there
	}
	return nil
}

// apps are the nodes of the app itself. One that is not on the bus has its
// windows all the same.
func (w *walk) apps(roots []ref) []*node {
	if len(roots) == 0 {
		return []*node{{element: &element{pid: w.q.PID}, parent: -1, facts: facts{role: roleApplication}}}
	}
	out := make([]*node, len(roots))
	for i, r := range roots {
		out[i] = w.node(r, -1, nil)
	}
	return out
}

func (w *walk) node(r ref, parent int, p *place) *node {
	w.seen[r] = struct{}{}
	return &node{element: &element{pid: w.q.PID, home: w.l.address, ref: r}, parent: parent, place: p}
}

// level asks about the nodes of one depth, takes those that answered into the
// snapshot, and gives their children.
func (w *walk) level(ctx context.Context, nodes []*node) []*node {
	if room := w.room(); len(nodes) > room {
		nodes, w.out.Truncated = nodes[:room], true
	}
	each(len(nodes), func(i int) { w.l.learn(ctx, w.need, nodes[i]) })
	if ctx.Err() != nil {
		w.out.Truncated = true
	}
	kept, first := nodes[:0], len(w.out.Nodes)
	for _, n := range nodes {
		if n.gone {
			continue
		}
		kept = append(kept, n)
		w.out.Nodes = append(w.out.Nodes, broker.AXNode{Element: n.element, Parent: n.parent, Attrs: w.attrs(n), Frame: w.frameOf(n)})
	}
	if len(w.q.Follow) == 0 || ctx.Err() != nil || w.out.Truncated {
		return nil
	}
	children := make([][]*node, len(kept))
	var mu sync.Mutex
	each(len(kept), func(i int) {
		if !slices.Contains(w.q.PruneRoles, w.roleOf(kept[i])) {
			children[i] = w.below(ctx, kept[i], first+i, &mu)
		}
	})
	if ctx.Err() != nil {
		w.out.Truncated = true
	}
	return slices.Concat(children...)
}

func (w *walk) room() int {
	most := w.q.MaxNodes
	if most <= 0 {
		most = defaultMaxNodes
	}
	return most - len(w.out.Nodes)
}

// defaultMaxNodes serves a caller that set no bound.
const defaultMaxNodes = 3000

// below finds the elements that a node leads to.
func (w *walk) below(ctx context.Context, n *node, place int, mu *sync.Mutex) []*node {
	if n.facts.role == roleApplication {
		if !slices.ContainsFunc(w.q.Follow, leadsToWindows) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock() // an app is alone on its level, or nearly so
		var roots []ref
		if n.element.ref.Bus != "" {
			roots = []ref{n.element.ref}
		}
		return w.topWindows(ctx, roots, place)
	}
	if w.l == nil || n.element.ref.Bus == "" {
		return nil
	}
	var refs []ref
	for _, attribute := range w.q.Follow {
		refs = append(refs, w.l.follow(ctx, n, attribute, w.room())...)
	}
	mu.Lock()
	defer mu.Unlock()
	var out []*node
	for _, r := range refs {
		if _, seen := w.seen[r]; seen || r.Path == null || r.Bus == "" {
			continue
		}
		out = append(out, w.node(r, place, n.place))
	}
	return out
}

// each runs do for all of n, a bounded number at a time.
func each(n int, do func(i int)) {
	var group sync.WaitGroup
	turn := make(chan struct{}, parallel)
	for i := range n {
		turn <- struct{}{}
		group.Go(func() {
			do(i)
			<-turn
		})
	}
	group.Wait()
}

func leadsToWindows(attribute string) bool {
	switch attribute {
	case "AXChildren", "AXVisibleChildren", "AXWindows", "AXMainWindow", "AXFocusedWindow":
		return true
	}
	return false
}

// errNotElement is a caller's fault: the broker passes back what it was given.
var errNotElement = errors.New("this is no element of this observer")
