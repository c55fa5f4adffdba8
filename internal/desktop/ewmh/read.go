package ewmh

import (
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

// client is a window that the window manager lists.
type client struct {
	window.Window
	instance, class string
	// aside says that nobody switches to it: a bar, a menu, one that keeps out
	// of task bars.
	aside bool
	dirty parts
	box   box
	// unlisted is set while the window exists and its manager lists it no more.
	unlisted bool
}

// parts are what of a window is to be read again.
type parts uint8

const (
	partTitle parts = 1 << iota
	partOwner       // process and class
	partState       // state, type, workspace
	partPlace
	partAll = partTitle | partOwner | partState | partPlace
)

// box is a place on the root window, y down.
type box struct{ x, y, w, h int }

// maxProperty is how many words of a property are read; titles and lists beyond
// are cut.
const maxProperty = 16384

func (s *session) get(w xproto.Window, name xproto.Atom) xproto.GetPropertyCookie {
	return xproto.GetProperty(s.loop.Conn.Conn, false, w, name, xproto.GetPropertyTypeAny, 0, maxProperty)
}

// words are the numbers of a property; nil when it has none.
func words(c xproto.GetPropertyCookie) []uint32 {
	r, err := c.Reply()
	if err != nil || r == nil || r.Format != 32 {
		return nil
	}
	return numbers(r.Value)
}

func numbers(b []byte) []uint32 {
	out := make([]uint32, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, binary.LittleEndian.Uint32(b))
	}
	return out
}

func data(c xproto.GetPropertyCookie) ([]byte, xproto.Atom) {
	r, err := c.Reply()
	if err != nil || r == nil || r.Format != 8 {
		return nil, 0
	}
	return r.Value, r.Type
}

// reading is one window's requests under way, so that those of all windows go
// to the server before the first reply is awaited.
type reading struct {
	s    *session
	c    *client
	what parts

	title, plain, pid, class, machine, state, kind, desktop, frame, shadow xproto.GetPropertyCookie
	geometry                                                               xproto.GetGeometryCookie
	origin                                                                 xproto.TranslateCoordinatesCookie
}

func (s *session) begin(c *client, what parts) *reading {
	r := &reading{s: s, c: c, what: what}
	w, x, a := xproto.Window(c.ID), s.loop.Conn.Conn, &s.atoms
	if what&partTitle != 0 {
		r.title, r.plain = s.get(w, a.name), s.get(w, xproto.AtomWmName)
	}
	if what&partOwner != 0 {
		r.pid, r.class, r.machine = s.get(w, a.pid), s.get(w, xproto.AtomWmClass), s.get(w, a.machine)
	}
	if what&partState != 0 {
		r.state, r.kind, r.desktop = s.get(w, a.state), s.get(w, a.kind), s.get(w, a.desktop)
	}
	if what&partPlace != 0 {
		r.frame, r.shadow = s.get(w, a.frame), s.get(w, a.shadow)
		r.origin = xproto.TranslateCoordinates(x, w, s.loop.Root, 0, 0)
	}
	// The geometry is read in any case: its error says that the window is gone.
	r.geometry = xproto.GetGeometry(x, xproto.Drawable(w))
	return r
}

// end takes the replies; false when the window is gone.
func (r *reading) end() bool {
	c, s := r.c, r.s
	if r.what&partTitle != 0 {
		c.Title = s.title(r.title, r.plain)
	}
	if r.what&partOwner != 0 {
		class, _ := data(r.class)
		c.instance, c.class = splitClass(class)
		machine, _ := data(r.machine)
		pid := words(r.pid)
		c.PID = s.owner(xproto.Window(c.ID), pid, string(machine))
		c.AppID = s.o.Identify(c.PID, c.instance, c.class)
	}
	if r.what&partState != 0 {
		state, kinds := words(r.state), words(r.kind)
		c.Minimized = slices.Contains(state, uint32(s.atoms.hidden))
		c.aside = slices.Contains(state, uint32(s.atoms.skipTaskbar)) || len(kinds) > 0 && s.atoms.aside(xproto.Atom(kinds[0]))
		c.Workspace = s.workspace(words(r.desktop))
	}
	var edges, shadow []uint32
	var origin *xproto.TranslateCoordinatesReply
	if r.what&partPlace != 0 {
		edges, shadow = words(r.frame), words(r.shadow)
		origin, _ = r.origin.Reply()
	}
	g, err := r.geometry.Reply()
	if err != nil || g == nil {
		return false
	}
	if origin != nil {
		b := box{int(origin.DstX), int(origin.DstY), int(g.Width), int(g.Height)}
		if len(edges) == 4 {
			b = b.grow(edges, 1)
		}
		if len(shadow) == 4 {
			b = b.grow(shadow, -1)
		}
		c.box = b
	}
	return true
}

// grow moves the edges outwards by left, right, top and bottom.
func (b box) grow(by []uint32, sign int) box {
	l, r, t, d := sign*int(by[0]), sign*int(by[1]), sign*int(by[2]), sign*int(by[3])
	return box{b.x - l, b.y - t, max(b.w+l+r, 1), max(b.h+t+d, 1)}
}

func (s *session) title(full, plain xproto.GetPropertyCookie) string {
	utf, _ := data(full)
	old, kind := data(plain)
	switch {
	case len(utf) > 0:
		return decodeUTF8(utf)
	case kind == s.atoms.compound:
		return decodeCompound(old)
	case kind == s.atoms.utf8:
		return decodeUTF8(old)
	}
	return decodeLatin1(old)
}

// owner is the process of a window: what it says of itself, if that is of this
// machine and runs, else whom the server knows behind the connection.
func (s *session) owner(w xproto.Window, said []uint32, machine string) int {
	if machine = strings.TrimRight(machine, "\x00"); machine != "" && machine != hostname() && machine != "localhost" {
		return 0
	}
	if len(said) > 0 && said[0] > 0 && said[0] <= 1<<31-1 && runs(int(said[0])) {
		return int(said[0])
	}
	if !s.resource {
		return 0
	}
	r, err := res.QueryClientIds(s.loop.Conn.Conn, 1, []res.ClientIdSpec{{Client: uint32(w), Mask: clientIDPid}}).Reply()
	if err != nil || r == nil {
		return 0
	}
	for _, id := range r.Ids {
		if len(id.Value) > 0 && id.Value[0] > 0 && id.Value[0] <= 1<<31-1 {
			return int(id.Value[0])
		}
	}
	return 0
}

// clientIDPid asks X-Resource for a process.
const clientIDPid = 2

var hostname = sync.OnceValue(func() string { h, _ := os.Hostname(); return h })

func runs(pid int) bool { err := syscall.Kill(pid, 0); return err == nil || err == syscall.EPERM }

// allWorkspaces is the number of a window that is on all of them.
const allWorkspaces = 0xffffffff

func (s *session) workspace(number []uint32) string {
	if len(number) == 0 || number[0] == allWorkspaces {
		return ""
	}
	if n := int(number[0]); n < len(s.workspaces) && s.workspaces[n] != "" {
		return s.workspaces[n]
	}
	return strconv.Itoa(int(number[0]) + 1)
}

func (s *session) readWorkspaces() {
	b, _ := data(s.get(s.loop.Root, s.atoms.desktopNames))
	s.workspaces = nil
	if len(b) > 0 {
		s.workspaces = strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00"), "\x00")
	}
}
