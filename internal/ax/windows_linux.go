package ax

import (
	"context"
	"math"

	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/protocol"
)

// place is where a window's contents begin on the wire's plane: its top left
// corner, y up.
type place struct{ left, top float64 }

// placeOf works out where a window's contents are. AT-SPI measures from inside
// the window manager's decorations, which are taken to be as wide below as at
// the sides, and the title above.
func placeOf(w desktop.Window, inside rect) *place {
	border := (w.Frame.Width - float64(inside.W)) / 2
	return &place{left: w.Frame.X + border, top: w.Frame.Y + border + float64(inside.H)}
}

func (p *place) frame(r rect) *protocol.Frame {
	f := protocol.Frame{
		X: p.left + float64(r.X), Y: p.top - float64(r.Y) - float64(r.H), Width: float64(r.W), Height: float64(r.H),
	}
	return &f
}

// mainWindow is the number of the app's window that the user was in last: the
// one with the focus, else the front one. windows come front first.
func mainWindow(windows []desktop.Window) int64 {
	var first int64
	for _, w := range windows {
		if w.Focused {
			return w.ID
		}
		if first == 0 && !w.Minimized {
			first = w.ID
		}
	}
	return first
}

func windowNodes(pid int, windows []desktop.Window, parent int) []*node {
	out := make([]*node, len(windows))
	for i := range windows {
		out[i] = &node{element: &element{pid: pid, window: windows[i].ID}, parent: parent, window: &windows[i]}
	}
	return out
}

// topWindows are the app's windows: those of the window system, each with the
// object that AT-SPI has for it, and those that only AT-SPI knows and that show.
func (w *walk) topWindows(ctx context.Context, roots []ref, parent int) []*node {
	out := windowNodes(w.q.PID, w.windows, parent)
	if w.l == nil {
		return out
	}
	frames := w.frames(ctx, roots, parent)
	pair(out, frames)
	for i, n := range out {
		if f := n.twin; f != nil {
			out[i].element.home, out[i].element.ref = f.element.home, f.element.ref
			w.seen[f.element.ref] = struct{}{}
			if f.facts.inWindow != nil {
				out[i].place = placeOf(*n.window, *f.facts.inWindow)
			}
		}
	}
	for _, f := range frames {
		if f.twin == nil && (!w.listed || f.facts.is(stateShowing)) {
			w.seen[f.element.ref] = struct{}{}
			out = append(out, f)
		}
	}
	return out
}

// frames are the windows that AT-SPI knows of an app.
func (w *walk) frames(ctx context.Context, roots []ref, parent int) []*node {
	var out []*node
	for _, root := range roots {
		var refs []ref
		if answer(w.l.ask(ctx, root, accessible, "GetChildren"), &refs) != nil {
			continue
		}
		for _, r := range refs {
			if r.Bus != "" && r.Path != null && len(out) < w.room() {
				out = append(out, &node{element: &element{pid: w.q.PID, home: w.l.address, ref: r}, parent: parent, place: &place{}})
			}
		}
	}
	each(len(out), func(i int) {
		w.l.learn(ctx, needName|needRole|needStates|needFaces|needExtents, out[i])
		out[i].place = nil
	})
	kept := out[:0]
	for _, n := range out {
		if !n.gone && (isWindow(n.facts.role) || !w.listed) {
			kept = append(kept, n)
		}
	}
	return kept
}

// pair finds for each window the object that AT-SPI has for it: by its title,
// then by the nearest size.
func pair(windows, frames []*node) {
	match := func(w, f *node) { w.twin, f.twin = f, w }
	for _, w := range windows {
		for _, f := range frames {
			if w.twin == nil && f.twin == nil && f.facts.name == w.window.Title {
				match(w, f)
			}
		}
	}
	for _, w := range windows {
		var best *node
		least := math.Inf(1)
		for _, f := range frames {
			if w.twin != nil || f.twin != nil {
				continue
			}
			if d := distance(w, f); d < least {
				best, least = f, d
			}
		}
		if best != nil {
			match(w, best)
		}
	}
}

// tolerance is how much larger than its contents a window may be, and still be
// taken for it: a title bar and shadows.
const tolerance = 120

func distance(w, f *node) float64 {
	if f.facts.inWindow == nil {
		return math.Inf(1)
	}
	d := math.Max(math.Abs(w.window.Frame.Width-float64(f.facts.inWindow.W)), math.Abs(w.window.Frame.Height-float64(f.facts.inWindow.H)))
	if d > tolerance {
		return math.Inf(1)
	}
	return d
}
