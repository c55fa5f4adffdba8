package ewmh

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/x11"
)

const patience = 30 * time.Second

// rig is a private session and the windows of it under test.
type rig struct {
	t       testing.TB
	s       *desktoptest.Session
	d       *Desktop
	conn    *x11.Conn // of the test's own windows
	changes chan window.Change
}

func newRig(t testing.TB) *rig {
	leaktest.Check(t)
	s := desktoptest.New(t)
	r := &rig{t: t, s: s, changes: make(chan window.Change, 4096)}
	r.d = New(Options{Display: s.X().Display, Identify: func(_ int, _, class string) string { return strings.ToLower(class) }})
	t.Cleanup(func() { require.NoError(t, r.d.Close()) })
	conn, err := x11.Dial(s.X().Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	r.conn = conn
	return r
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) watch() {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.t.Cleanup(cancel)
	require.NoError(r.t, r.d.Watch(ctx, func(c window.Change) { r.changes <- c }))
}

func (r *rig) list() []window.Window {
	r.t.Helper()
	list, err := r.d.List(r.ctx())
	require.NoError(r.t, err)
	return list
}

// until waits for a change, and drops those before it.
func (r *rig) until(what string, is func(window.Change) bool) window.Change {
	r.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case c := <-r.changes:
			if is(c) {
				return c
			}
		case <-timer.C:
			r.t.Fatalf("%s was not told", what)
		}
	}
}

func (r *rig) told(notification string, w xproto.Window) window.Change {
	r.t.Helper()
	return r.until(notification, func(c window.Change) bool { return c.Notification == notification && c.Window.ID == int64(w) })
}

func (r *rig) focusOn(w xproto.Window) window.Change {
	r.t.Helper()
	return r.until("the focus", func(c window.Change) bool { return c.Focus && c.Window.ID == int64(w) })
}

// window opens a window and waits until it is managed.
func (r *rig) window(title string, x, y int16, w, h uint16) xproto.Window {
	r.t.Helper()
	id := r.unmapped(title, x, y, w, h)
	r.show(id)
	return id
}

func (r *rig) show(id xproto.Window) {
	r.t.Helper()
	// More than once: openbox forgets what wants to be shown while it starts.
	require.Eventually(r.t, func() bool {
		xproto.MapWindow(r.conn.Conn, id)
		return r.listed(id)
	}, patience, 5*time.Millisecond)
}

func (r *rig) listed(id xproto.Window) bool {
	for _, n := range r.numbers(r.conn.Root, "_NET_CLIENT_LIST") {
		if n == uint32(id) {
			return true
		}
	}
	return false
}

func (r *rig) unmapped(title string, x, y int16, w, h uint16) xproto.Window {
	r.t.Helper()
	id, err := xproto.NewWindowId(r.conn.Conn)
	require.NoError(r.t, err)
	require.NoError(r.t, xproto.CreateWindowChecked(r.conn.Conn, r.conn.Screen.RootDepth, id, r.conn.Root, x, y, w, h, 0,
		xproto.WindowClassInputOutput, r.conn.Screen.RootVisual, 0, nil).Check())
	// As a user placed it, so that the window manager leaves it there.
	hints := make([]byte, 18*4)
	binary.LittleEndian.PutUint32(hints, 1)
	r.property(id, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", 32, hints)
	r.title(id, title)
	r.text(id, "WM_CLASS", "STRING", "inst\x00Flash-Test\x00")
	r.cardinal(id, "_NET_WM_PID", uint32(os.Getpid()))
	return id
}

func (r *rig) title(id xproto.Window, title string) { r.text(id, "_NET_WM_NAME", "UTF8_STRING", title) }

func (r *rig) text(id xproto.Window, name, kind, value string) {
	r.property(id, name, kind, 8, []byte(value))
}

func (r *rig) cardinal(id xproto.Window, name string, values ...uint32) {
	r.property(id, name, "CARDINAL", 32, wordsOf(values...))
}

func (r *rig) atomList(id xproto.Window, name string, values ...string) {
	var list []uint32
	for _, v := range values {
		list = append(list, uint32(r.atom(v)))
	}
	r.property(id, name, "ATOM", 32, wordsOf(list...))
}

func wordsOf(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (r *rig) property(id xproto.Window, name, kind string, format byte, value []byte) {
	r.t.Helper()
	n := uint32(len(value)) / uint32(format/8)
	require.NoError(r.t, xproto.ChangePropertyChecked(r.conn.Conn, xproto.PropModeReplace, id, r.atom(name), r.atom(kind), format, n, value).Check())
}

func (r *rig) atom(name string) xproto.Atom {
	r.t.Helper()
	a, err := xproto.InternAtom(r.conn.Conn, false, uint16(len(name)), name).Reply()
	require.NoError(r.t, err)
	return a.Atom
}

func (r *rig) numbers(w xproto.Window, name string) []uint32 {
	p, err := xproto.GetProperty(r.conn.Conn, false, w, r.atom(name), xproto.GetPropertyTypeAny, 0, 1024).Reply()
	if err != nil {
		return nil
	}
	return numbers(p.Value)
}

func (r *rig) destroy(id xproto.Window) {
	r.t.Helper()
	require.NoError(r.t, xproto.DestroyWindowChecked(r.conn.Conn, id).Check())
}

// request asks the window manager for something, as a pager does.
func (r *rig) request(id xproto.Window, name string, values ...uint32) {
	r.t.Helper()
	ev := xproto.ClientMessageEvent{Format: 32, Window: id, Type: r.atom(name),
		Data: xproto.ClientMessageDataUnionData32New(append(values, make([]uint32, 5-len(values))...))}
	require.NoError(r.t, xproto.SendEventChecked(r.conn.Conn, false, r.conn.Root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(ev.Bytes())).Check())
}

func (r *rig) killManager() {
	r.t.Helper()
	pids := r.s.Find("openbox")
	require.NotEmpty(r.t, pids)
	for _, pid := range pids {
		require.NoError(r.t, syscall.Kill(pid, syscall.SIGKILL))
	}
	require.Eventually(r.t, func() bool {
		c := r.numbers(r.conn.Root, "_NET_SUPPORTING_WM_CHECK")
		return len(c) == 0 || r.numbers(xproto.Window(c[0]), "_NET_SUPPORTING_WM_CHECK") == nil
	}, patience, time.Millisecond)
}

func titlesOf(list []window.Window) []string {
	out := []string{}
	for _, w := range list {
		out = append(out, w.Title)
	}
	return out
}
