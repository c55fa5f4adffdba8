package native

import (
	"context"
	"fmt"
	"slices"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/mac"
	"github.com/flash-launcher/flash/protocol"
)

// defaultMaxNodes serves a caller that set no bound.
const defaultMaxNodes = 3000

const (
	windowNumber = "AXWindowNumber" // no attribute of macOS: the window server's number
	role         = "AXRole"
	position     = "AXPosition"
	size         = "AXSize"
	windowRole   = "AXWindow"
)

// walk is one snapshot in the making.
type walk struct {
	tree   Tree
	q      broker.AXQuery
	names  []string // asked of each node, in one call
	height float64
	seen   map[uint64][]mac.Ref
	out    broker.AXSnapshot
}

// pending is an element that a level found, retained.
type pending struct {
	ref    mac.Ref
	parent int
}

// Snapshot walks breadth first, one call to the app for each node. The elements
// that it returns are retained.
func Snapshot(ctx context.Context, t Tree, q broker.AXQuery) (broker.AXSnapshot, error) {
	w := &walk{tree: t, q: q, seen: map[uint64][]mac.Ref{}}
	w.names = w.ask()
	if q.Geometry {
		w.height = t.PrimaryHeight()
	}
	level, err := w.roots()
	if err != nil {
		return broker.AXSnapshot{}, fmt.Errorf("process %d: %w", q.PID, err)
	}
	for len(level) > 0 {
		level = w.level(ctx, level)
	}
	return w.out, nil
}

// ask is what the query makes it necessary to read of each node.
func (w *walk) ask() []string {
	var names []string
	add := func(more ...string) {
		for _, n := range more {
			if n != windowNumber && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	add(w.q.Collect...)
	add(w.q.Follow...)
	if len(w.q.PruneRoles) > 0 || slices.Contains(w.q.Collect, windowNumber) {
		add(role)
	}
	if w.q.Geometry {
		add(position, size)
	}
	if len(names) == 0 {
		add(role) // says whether the element is there
	}
	return names
}

func (w *walk) roots() ([]pending, error) {
	app := w.tree.App(w.q.PID)
	if app == 0 {
		return nil, mac.Invalid
	}
	if !w.q.Windows {
		w.seen[w.tree.Hash(app)] = []mac.Ref{app}
		return []pending{{app, -1}}, nil
	}
	defer w.tree.Release(app)
	values, status := w.tree.Read(app, []string{"AXWindows"})
	if status != mac.OK {
		return nil, status
	}
	if len(values) == 1 && values[0].Kind == mac.Failed && values[0].Status != mac.NoValue && values[0].Status != mac.NoAttribute {
		return nil, values[0].Status
	}
	return w.take(values, -1), nil
}

// take are the elements in values that were not met before. The others are let
// go.
func (w *walk) take(values []mac.Value, parent int) []pending {
	var out []pending
	mac.Refs(values, func(r mac.Ref) {
		h := w.tree.Hash(r)
		if slices.ContainsFunc(w.seen[h], func(s mac.Ref) bool { return w.tree.Same(s, r) }) {
			w.tree.Release(r)
			return
		}
		w.seen[h] = append(w.seen[h], r)
		out = append(out, pending{r, parent})
	})
	return out
}

// level reads the nodes of one depth into the snapshot and gives their children.
func (w *walk) level(ctx context.Context, nodes []pending) []pending {
	var next []pending
	for i, n := range nodes {
		if ctx.Err() != nil || len(w.out.Nodes) >= w.most() {
			w.out.Truncated = true
			w.letGo(nodes[i:])
			break
		}
		next = append(next, w.node(n)...)
	}
	if room := w.most() - len(w.out.Nodes); len(next) > room || w.out.Truncated {
		if w.out.Truncated {
			room = 0
		}
		w.out.Truncated = true
		w.letGo(next[room:])
		next = next[:room]
	}
	return next
}

func (w *walk) most() int {
	if w.q.MaxNodes > 0 {
		return w.q.MaxNodes
	}
	return defaultMaxNodes
}

// letGo forgets elements. They stay in seen, as what is compared with must not
// be freed memory: so the walk ends here, or never looks at these again.
func (w *walk) letGo(nodes []pending) {
	for _, n := range nodes {
		h := w.tree.Hash(n.ref)
		w.seen[h] = slices.DeleteFunc(w.seen[h], func(s mac.Ref) bool { return s == n.ref })
		w.tree.Release(n.ref)
	}
}

// node reads one element and gives what it leads to. One that does not answer is
// left out.
func (w *walk) node(n pending) []pending {
	values, status := w.tree.Read(n.ref, w.names)
	if status == mac.OK && len(values) != len(w.names) {
		status = mac.CannotComplete
	}
	if status != mac.OK {
		w.release(values)
		w.letGo([]pending{n})
		return nil
	}
	get := func(name string) mac.Value {
		if i := slices.Index(w.names, name); i >= 0 {
			return values[i]
		}
		return mac.Value{}
	}
	at := len(w.out.Nodes)
	node := broker.AXNode{Element: &Element{w.tree, n.ref, w.q.PID}, Parent: n.parent}
	if len(w.q.Collect) > 0 {
		o := protocol.NewObject(nil)
		for i, name := range w.q.Collect {
			switch {
			case slices.Index(w.q.Collect, name) != i:
			case name == windowNumber:
				if get(role).Str == windowRole {
					if number := w.tree.Number(n.ref); number != 0 {
						o.Int(name, number)
					}
				}
			default:
				mac.AppendAttribute(o, name, get(name))
			}
		}
		node.Attrs = o.Bytes()
	}
	if w.q.Geometry {
		node.Frame = mac.FrameOfValues(w.height, get(position), get(size))
	}
	w.out.Nodes = append(w.out.Nodes, node)
	descend := !slices.Contains(w.q.PruneRoles, get(role).Str)
	var below []pending
	for i, name := range w.names {
		one := values[i : i+1]
		if descend && slices.Contains(w.q.Follow, name) {
			below = append(below, w.take(one, at)...)
		} else {
			w.release(one)
		}
	}
	return below
}

func (w *walk) release(values []mac.Value) { mac.Refs(values, w.tree.Release) }
