package ax

import (
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// attrs writes the collected attributes that a node has, as a JSON object.
func (w *walk) attrs(n *node) []byte {
	if len(w.q.Collect) == 0 {
		return nil
	}
	out := protocol.NewObject(nil)
	for _, name := range w.q.Collect {
		if n.window == nil || !w.windowAttr(out, n, name) {
			n.attr(out, name)
		}
	}
	return out.Bytes()
}

func (w *walk) roleOf(n *node) string {
	if n.window != nil {
		return window
	}
	return roleName(n.facts.role, n.facts.states)
}

func (w *walk) frameOf(n *node) *protocol.Frame {
	switch {
	case !w.q.Geometry:
		return nil
	case n.window != nil:
		if f := n.window.Frame; f.Valid() {
			return &f
		}
	case n.place != nil && n.facts.inWindow != nil:
		return n.place.frame(*n.facts.inWindow)
	}
	return nil
}

// windowAttr writes what the window system tells of a window; false where it
// tells nothing of that kind.
func (w *walk) windowAttr(out *protocol.Builder, n *node, name string) bool {
	switch name {
	case "AXTitle":
		out.Str(name, n.window.Title)
	case "AXRole":
		out.Str(name, window)
	case "AXSubrole":
		s := "AXStandardWindow"
		if n.element.ref.Bus != "" {
			if said := subrole(n.facts.role, n.facts.states); said != "" {
				s = said
			}
		}
		out.Str(name, s)
	case "AXWindowNumber":
		out.Int(name, n.window.ID)
	case "AXMain":
		out.Bool(name, n.window.ID == w.main)
	case "AXFocused":
		out.Bool(name, n.window.Focused)
	case "AXMinimized":
		out.Bool(name, n.window.Minimized)
	default:
		return false
	}
	return true
}

// attr writes what AT-SPI tells of an object. What it does not have is left out.
func (n *node) attr(out *protocol.Builder, name string) {
	f := &n.facts
	known := n.element.ref.Bus != ""
	switch name {
	case "AXRole":
		out.Str(name, roleName(f.role, f.states))
	case "AXSubrole":
		out.OptStr(name, subrole(f.role, f.states))
	}
	if !known {
		return
	}
	switch name {
	case "AXTitle":
		out.Str(name, f.name)
	case "AXDescription", "AXHelp":
		out.OptStr(name, f.description)
	case "AXIdentifier":
		out.OptStr(name, f.id)
	case "AXEnabled":
		out.Bool(name, f.is(stateEnabled) || f.is(stateSensitive))
	case "AXFocused":
		out.Bool(name, f.is(stateFocused))
	case "AXSelected":
		out.Bool(name, f.is(stateSelected))
	case "AXExpanded", "AXDisclosing":
		if f.is(stateExpandable) {
			out.Bool(name, f.is(stateExpanded))
		}
	case "AXMain":
		if isWindow(f.role) {
			out.Bool(name, f.is(stateActive))
		}
	case "AXMinimized":
		if isWindow(f.role) {
			out.Bool(name, f.is(stateIconified))
		}
	case "AXModal":
		if isWindow(f.role) {
			out.Bool(name, f.is(stateModal))
		}
	case "AXHidden":
		out.Bool(name, !f.is(stateShowing))
	case "AXValue":
		n.value(out, name)
	case "AXSelectedText":
		if f.selected != nil {
			out.Str(name, *f.selected)
		}
	case "AXURL":
		if f.url != nil {
			out.OptStr(name, strings.TrimSpace(*f.url))
		}
	case "AXPosition", "AXSize", "AXFrame":
		n.geometry(out, name)
	}
}

// value is the text, the number, or whether it is checked. A label's value is
// what it shows.
func (n *node) value(out *protocol.Builder, name string) {
	f := &n.facts
	switch {
	case ticks(f.role, f.states):
		v := int64(0)
		if f.is(stateChecked) || f.role == roleToggle && f.is(statePressed) {
			v = 1
		}
		if f.is(stateIndeterminate) {
			v = 2
		}
		out.Int(name, v)
	case f.text != nil && *f.text != "":
		out.Str(name, *f.text)
	case f.number != nil:
		out.Float(name, *f.number)
	case f.text != nil:
		out.Str(name, *f.text)
	case roleName(f.role, f.states) == "AXStaticText":
		out.Str(name, f.name)
	}
}

// geometry is on the screen from its top left, as macOS has it for these
// attributes; the frame of a node is the wire's.
func (n *node) geometry(out *protocol.Builder, name string) {
	r := n.facts.onScreen
	if r == nil {
		return
	}
	at := func(o *protocol.Builder) *protocol.Builder {
		return o.Float("x", float64(r.X)).Float("y", float64(r.Y))
	}
	size := func(o *protocol.Builder) *protocol.Builder {
		return o.Float("width", float64(r.W)).Float("height", float64(r.H))
	}
	out.With(name, func(dst []byte) []byte {
		o := protocol.NewObject(dst)
		switch name {
		case "AXPosition":
			at(o)
		case "AXSize":
			size(o)
		default:
			size(at(o))
		}
		return o.Bytes()
	})
}
