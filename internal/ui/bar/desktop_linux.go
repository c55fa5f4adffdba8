package bar

import (
	"encoding/binary"
	"os"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

// monitor is a rectangle of the screen, and how wide that is in millimetres.
type monitor struct{ x, y, w, h, mm int }

// monitor returns the primary one.
func (b *Bar) monitor() monitor {
	c := b.Loop.Conn.Conn
	whole := monitor{w: int(b.Loop.Screen.WidthInPixels), h: int(b.Loop.Screen.HeightInPixels)}
	if g, err := xproto.GetGeometry(c, xproto.Drawable(b.Loop.Root)).Reply(); err == nil {
		whole.w, whole.h = int(g.Width), int(g.Height)
	}
	c.ExtLock.RLock()
	_, known := c.Extensions["RANDR"]
	c.ExtLock.RUnlock()
	if !known {
		return whole
	}
	r, err := randr.GetMonitors(c, b.Loop.Root, true).Reply()
	if err != nil || len(r.Monitors) == 0 {
		return whole
	}
	best := r.Monitors[0]
	for _, m := range r.Monitors {
		if m.Primary {
			best = m
		}
	}
	return monitor{int(best.X), int(best.Y), int(best.Width), int(best.Height), int(best.WidthInMillimeters)}
}

// scale is how many pixels a point has on a monitor.
func (b *Bar) scale(at monitor) float32 {
	if b.Scale != nil {
		return max(b.Scale(), 0.5)
	}
	return x11.Scale(b.Loop.DPI(), at.w, at.mm)
}

// dock tells the window manager what the window is and what room it keeps.
func (b *Bar) dock(height int) {
	id := b.win.id
	b.property(id, "_NET_WM_WINDOW_TYPE", xproto.AtomAtom, uint32(b.atom("_NET_WM_WINDOW_TYPE_DOCK")))
	b.property(id, "_NET_WM_STATE", xproto.AtomAtom, uint32(b.atom("_NET_WM_STATE_STICKY")), uint32(b.atom("_NET_WM_STATE_SKIP_TASKBAR")), uint32(b.atom("_NET_WM_STATE_SKIP_PAGER")))
	b.property(id, "_NET_WM_DESKTOP", xproto.AtomCardinal, 0xffffffff)
	b.property(id, "_NET_WM_PID", xproto.AtomCardinal, uint32(os.Getpid()))
	b.text(id, "_NET_WM_NAME", b.atom("UTF8_STRING"), "Flash status bar")
	b.text(id, "WM_NAME", xproto.AtomString, "Flash status bar")
	b.text(id, "WM_CLASS", xproto.AtomString, "flash-bar\x00Flash\x00")

	g := strut(b.place, b.screen(), height, b.set.Position == "bottom")
	b.property(id, "_NET_WM_STRUT_PARTIAL", xproto.AtomCardinal, g[:]...)
	b.property(id, "_NET_WM_STRUT", xproto.AtomCardinal, g[:4]...)
	const usPosition, pPosition, inputHint = 1, 4, 1
	hints := make([]uint32, 18)
	hints[0] = usPosition | pPosition
	b.property(id, "WM_NORMAL_HINTS", xproto.AtomWmSizeHints, hints...)
	b.property(id, "WM_HINTS", xproto.AtomWmHints, inputHint, 0, 0, 0, 0, 0, 0, 0, 0)
}

// screen is all monitors together.
func (b *Bar) screen() monitor {
	g, err := xproto.GetGeometry(b.Loop.Conn.Conn, xproto.Drawable(b.Loop.Root)).Reply()
	if err != nil {
		return monitor{w: int(b.Loop.Screen.WidthInPixels), h: int(b.Loop.Screen.HeightInPixels)}
	}
	return monitor{w: int(g.Width), h: int(g.Height)}
}

// strut is the room that a bar keeps, counted from the edge of the whole
// screen: left, right, top, bottom, then where each begins and ends.
func strut(at, screen monitor, height int, bottom bool) (out [12]uint32) {
	if bottom {
		out[3] = uint32(screen.h - (at.y + at.h) + height)
		out[10], out[11] = uint32(at.x), uint32(at.x+at.w-1)
		return out
	}
	out[2] = uint32(at.y + height)
	out[8], out[9] = uint32(at.x), uint32(at.x+at.w-1)
	return out
}

// look finds out whether the active window fills the bar's monitor. Where a
// compositor runs, a window that covers the bar is not told of otherwise.
func (b *Bar) look() {
	if b.win == nil {
		return
	}
	c := b.Loop.Conn.Conn
	b.front = xproto.Window(b.first(b.Loop.Root, "_NET_ACTIVE_WINDOW"))
	full := false
	if b.front != 0 && b.front != b.win.id {
		b.watch(b.front, xproto.EventMaskPropertyChange)
		for _, state := range b.values(b.front, "_NET_WM_STATE") {
			full = full || xproto.Atom(state) == b.atom("_NET_WM_STATE_FULLSCREEN")
		}
	}
	if full {
		// The state is often there before the size is.
		b.watch(b.front, xproto.EventMaskStructureNotify)
		at, err := xproto.TranslateCoordinates(c, b.front, b.Loop.Root, 0, 0).Reply()
		size, err2 := xproto.GetGeometry(c, xproto.Drawable(b.front)).Reply()
		full = err == nil && err2 == nil && int(at.DstX) <= b.win.x && int(at.DstY) <= b.win.y &&
			int(at.DstX)+int(size.Width) >= b.win.x+b.win.w && int(at.DstY)+int(size.Height) >= b.win.y+b.win.h
	}
	b.hide(fullscreen, full)
}

// watch selects events of a window, beside what this connection has selected on
// it: others share the loop.
func (b *Bar) watch(w xproto.Window, events uint32) {
	c := b.Loop.Conn.Conn
	a, err := xproto.GetWindowAttributes(c, w).Reply()
	if err != nil || a.YourEventMask&events == events {
		return
	}
	xproto.ChangeWindowAttributes(c, w, xproto.CwEventMask, []uint32{a.YourEventMask | events})
}

func (b *Bar) atom(name string) xproto.Atom {
	if a, ok := b.atoms[name]; ok {
		return a
	}
	r, err := xproto.InternAtom(b.Loop.Conn.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return xproto.AtomNone
	}
	b.atoms[name] = r.Atom
	return r.Atom
}

func (b *Bar) property(w xproto.Window, name string, kind xproto.Atom, values ...uint32) {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	xproto.ChangeProperty(b.Loop.Conn.Conn, xproto.PropModeReplace, w, b.atom(name), kind, 32, uint32(len(values)), data)
}

func (b *Bar) text(w xproto.Window, name string, kind xproto.Atom, s string) {
	xproto.ChangeProperty(b.Loop.Conn.Conn, xproto.PropModeReplace, w, b.atom(name), kind, 8, uint32(len(s)), []byte(s))
}

func (b *Bar) values(w xproto.Window, name string) (out []uint32) {
	// A window has a few states and there is one active window.
	const most = 64
	r, err := xproto.GetProperty(b.Loop.Conn.Conn, false, w, b.atom(name), xproto.GetPropertyTypeAny, 0, most).Reply()
	if err != nil || r.Format != 32 {
		return nil
	}
	for v := r.Value; len(v) >= 4; v = v[4:] {
		out = append(out, binary.LittleEndian.Uint32(v))
	}
	return out
}

func (b *Bar) first(w xproto.Window, name string) uint32 {
	if v := b.values(w, name); len(v) > 0 {
		return v[0]
	}
	return 0
}

// handCursor is the pointing hand of the server's own cursor font.
func (b *Bar) handCursor() xproto.Cursor {
	if b.hand != 0 {
		return b.hand
	}
	c := b.Loop.Conn.Conn
	font, err := xproto.NewFontId(c)
	if err != nil {
		return xproto.CursorNone
	}
	const hand = 60
	xproto.OpenFont(c, font, uint16(len("cursor")), "cursor")
	id, err := xproto.NewCursorId(c)
	if err != nil {
		return xproto.CursorNone
	}
	const full = 0xffff
	xproto.CreateGlyphCursor(c, id, font, font, hand, hand+1, 0, 0, 0, full, full, full)
	xproto.CloseFont(c, font)
	b.hand = id
	return id
}
