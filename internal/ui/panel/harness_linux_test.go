package panel

import (
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

const patience = 20 * time.Second

// screenSize has room for the panel at its tallest.
const screenSize = "1280x900x24"

// desk is a screen with a panel on it and a hand at its keyboard and mouse.
type desk struct {
	t      testing.TB
	server *xvfb.Server
	loop   *x11.Loop
	panel  *Panel
	engine *flashlight.Engine
	host   *fakeHost
	hand   *xvfb.Hand
	codes  map[uint32]byte // keycode of each keysym that needs no modifier
	opened chan struct{}
	config config.Flashlight
}

func newDesk(t testing.TB, change func(*Options)) *desk {
	t.Helper()
	desktoptest.Need(t, "Xvfb", "openbox")
	s, err := xvfb.StartWith(xvfb.Options{Screen: screenSize})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	d := &desk{t: t, server: s, codes: map[uint32]byte{}, opened: make(chan struct{}, 4096), config: testConfig()}
	d.loop, err = x11.OpenLoop(s.Display, nil)
	require.NoError(t, err)
	t.Cleanup(d.loop.Close)
	d.hand, err = s.Hand()
	require.NoError(t, err)
	t.Cleanup(d.hand.Close)
	d.engine, d.host = newEngine(t)
	o := Options{
		Platform: Platform{Loop: d.loop}, Engine: d.engine, Config: func() config.Flashlight { return d.config }, Theme: darkTheme,
		Icon: testIcon, Opened: func() { d.opened <- struct{}{} },
	}
	if change != nil {
		change(&o)
	}
	d.panel = New(o)
	t.Cleanup(d.panel.Shutdown)
	d.learnKeys()
	// The window manager takes the focus once, when it has started.
	d.until("the window manager has the focus", func() bool { return d.focus() > xproto.InputFocusPointerRoot })
	return d
}

func (d *desk) learnKeys() {
	setup := xproto.Setup(d.hand.Conn.Conn)
	m, err := xproto.GetKeyboardMapping(d.hand.Conn.Conn, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)).Reply()
	require.NoError(d.t, err)
	for i := 0; i < len(m.Keysyms); i += int(m.KeysymsPerKeycode) {
		if sym := uint32(m.Keysyms[i]); sym != 0 && d.codes[sym] == 0 {
			d.codes[sym] = byte(int(setup.MinKeycode) + i/int(m.KeysymsPerKeycode))
		}
	}
}

// ask runs a function on the loop and waits for it.
func (d *desk) ask(fn func()) { require.True(d.t, d.loop.Ask(fn)) }

// until waits for something that is so on the loop.
func (d *desk) until(what string, so func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		ok := false
		d.ask(func() { ok = so() })
		if ok {
			return
		}
		require.False(d.t, time.Now().After(deadline), what)
	}
}

func (d *desk) text() string {
	var s string
	d.ask(func() { s = d.panel.m.box.Text() })
	return s
}

func (d *desk) untilText(want string) {
	d.t.Helper()
	d.until("the box has "+want+", and not what was typed", func() bool { return d.panel.m.box.Text() == want })
}

// settled waits until the answers to what is typed are there and painted.
func (d *desk) settled() {
	d.t.Helper()
	d.until("the panel settles", func() bool {
		p := d.panel
		return p.mapped && !p.dirty && p.m.fresh() && !p.m.view.Pending && !p.m.acting
	})
}

func (d *desk) open(o OpenOptions) {
	d.t.Helper()
	d.ask(func() { d.panel.Open(o) })
	d.awaitOpen()
	d.until("the panel has the focus", func() bool { return d.focus() == d.panel.id })
}

func (d *desk) awaitOpen() {
	d.t.Helper()
	select {
	case <-d.opened:
	case <-time.After(patience):
		require.Fail(d.t, "the panel does not open")
	}
}

func (d *desk) key(sym uint32, down bool) {
	code := d.codes[sym]
	require.NotZero(d.t, code, "no key for keysym %#x", sym)
	d.press(code, down)
}

func (d *desk) press(code byte, down bool) { d.pressAfter(code, down, 0) }

// pressAfter is a key that comes that many milliseconds after the one before it.
func (d *desk) pressAfter(code byte, down bool, wait uint32) {
	kind := byte(xproto.KeyPress)
	if !down {
		kind = xproto.KeyRelease
	}
	xtest.FakeInput(d.hand.Conn.Conn, kind, code, wait, d.hand.Root, 0, 0, 0)
}

// tap presses and releases keys, the first ones held while the last one goes.
func (d *desk) tap(syms ...uint32) {
	for _, s := range syms {
		d.key(s, true)
	}
	for i := len(syms) - 1; i >= 0; i-- {
		d.key(syms[i], false)
	}
}

func (d *desk) typing(s string) {
	for _, r := range s {
		d.tap(uint32(r))
	}
}

const (
	symControlL = 0xffe3
	symShiftL   = 0xffe1
	symF12      = 0xffc9
)

// hotKey grabs Ctrl+Space as the package of hot keys does, on the panel's loop.
func (d *desk) hotKey() {
	d.ask(func() {
		d.loop.Handle(func(ev xgb.Event) {
			if e, ok := ev.(xproto.KeyPressEvent); ok && e.Event == d.loop.Root {
				d.panel.Toggle(OpenOptions{Time: e.Time})
				xproto.AllowEvents(d.loop.Conn.Conn, xproto.AllowAsyncKeyboard, e.Time)
			}
		})
		err := xproto.GrabKeyChecked(d.loop.Conn.Conn, false, d.loop.Root, xproto.ModMaskControl, xproto.Keycode(d.codes[' ']), xproto.GrabModeAsync, xproto.GrabModeSync).Check()
		require.NoError(d.t, err)
	})
}

// sync waits until the server has done what the panel asked for.
func (d *desk) sync() {
	d.ask(func() { _, _ = xproto.GetInputFocus(d.loop.Conn.Conn).Reply() })
}

func (d *desk) focus() xproto.Window {
	r, err := xproto.GetInputFocus(d.hand.Conn.Conn).Reply()
	require.NoError(d.t, err)
	return r.Focus
}

func (d *desk) untilClosed() {
	d.t.Helper()
	d.until("the panel closes", func() bool { return !d.panel.Visible() })
}
