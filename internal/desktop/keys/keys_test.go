package keys

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

const patience = 30 * time.Second

// typist presses keys on a server whose focused window notes them.
type typist struct {
	t      *testing.T
	server *xvfb.Server
	window *xvfb.Window
	keys   *X11
	eyes   *x11.Conn
}

func newTypist(t *testing.T, programs ...string) *typist {
	t.Helper()
	leaktest.Check(t)
	desktoptest.Need(t, append([]string{"Xvfb", "openbox"}, programs...)...)
	s, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	w, err := s.Window()
	require.NoError(t, err)
	t.Cleanup(w.Close)
	eyes, err := x11.Dial(s.Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(t, err)
	t.Cleanup(eyes.Close)
	return &typist{t, s, w, New(s.Display, event.System()), eyes}
}

// down gives the keysyms of the keys that go down, as the first column has them,
// until and with the last.
func (k *typist) down(n int) []uint32 {
	k.t.Helper()
	var out []uint32
	held := map[byte]bool{}
	for len(out) < n || len(held) > 0 {
		select {
		case key := <-k.window.Keys():
			if key.Down {
				held[key.Code] = true
				m, err := xproto.GetKeyboardMapping(k.eyes.Conn, xproto.Keycode(key.Code), 1).Reply()
				require.NoError(k.t, err)
				out = append(out, uint32(m.Keysyms[0]))
			}
			if !key.Down {
				delete(held, key.Code)
			}
		case <-time.After(patience):
			require.Fail(k.t, "keys are missing", "%#x so far", out)
		}
	}
	return out
}

func (k *typist) post(keys ...broker.Key) error {
	return k.keys.PostKeys(k.t.Context(), os.Getpid(), keys, 8*time.Millisecond)
}

func code(t *testing.T, sym uint32) int {
	t.Helper()
	for _, e := range table {
		if e.sym == sym {
			return int(e.code)
		}
	}
	require.Fail(t, "no code for the keysym")
	return 0
}

func TestKeysReachTheProgramThatHasTheFocus(t *testing.T) {
	k := newTypist(t)
	require.NoError(t, k.post(broker.Key{Code: 0}, broker.Key{Code: 0x24}, broker.Key{Code: 0x31, Modifiers: []string{"shift", "control"}}))
	require.Equal(t, []uint32{'a', symReturn, symShift, symControl, ' '}, k.down(5))
	require.NoError(t, k.post(broker.Key{Code: 0x7b, Modifiers: []string{"command", "option", "function"}}))
	require.Equal(t, []uint32{symSuper, symAlt, 0xff51}, k.down(3))
	require.Empty(t, k.window.Keys())
}

func TestAProgramWithoutTheFocusGetsNoKeyAndIsTold(t *testing.T) {
	k := newTypist(t)
	err := k.keys.PostKeys(t.Context(), 1, []broker.Key{{Code: 0}}, 8*time.Millisecond)
	var focus *FocusError
	require.ErrorAs(t, err, &focus)
	require.Equal(t, FocusError{PID: 1}, *focus)
	require.ErrorContains(t, err, "host.activate")
	xproto.SetInputFocus(k.eyes.Conn, xproto.InputFocusNone, xproto.InputFocusNone, xproto.TimeCurrentTime)
	require.ErrorAs(t, k.post(broker.Key{Code: 0}), &focus)
	require.Empty(t, k.window.Keys())
}

func TestALostFocusEndsTheTyping(t *testing.T) {
	k := newTypist(t)
	many := make([]broker.Key, 32)
	ended := make(chan error)
	go func() { ended <- k.keys.PostKeys(t.Context(), os.Getpid(), many, 50*time.Millisecond) }()
	k.down(1)
	require.NoError(t, xproto.SetInputFocusChecked(k.eyes.Conn, xproto.InputFocusNone, xproto.InputFocusNone, xproto.TimeCurrentTime).Check())
	var focus *FocusError
	require.ErrorAs(t, <-ended, &focus)
	require.Positive(t, focus.Pressed)
	require.Less(t, focus.Pressed, len(many))
}

func TestATypingEndsWithItsCaller(t *testing.T) {
	k := newTypist(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- k.keys.PostKeys(ctx, os.Getpid(), make([]broker.Key, 2), time.Hour) }()
	k.down(1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestACodeThatHasNoKeyIsToldBeforeAnyIsPressed(t *testing.T) {
	k := newTypist(t)
	require.ErrorContains(t, k.post(broker.Key{Code: 0}, broker.Key{Code: 0x34}), "key code 52")
	require.ErrorContains(t, k.keys.PostGlobalKey(t.Context(), broker.Key{Code: 0, Modifiers: []string{"function"}}), "another modifier")
	require.Empty(t, k.window.Keys())
}

func TestWhatIsHeldAlreadyDoesNotJoinTheChord(t *testing.T) {
	k := newTypist(t)
	hand, err := k.server.Hand()
	require.NoError(t, err)
	defer hand.Close()
	x, err := k.keys.open()
	require.NoError(t, err)
	defer x.Close()
	super, ok := x.layout.code(symSuper)
	require.True(t, ok)
	require.NoError(t, x.press([]byte{super}))
	k.down(1)
	xtestDown(hand, super)
	require.NoError(t, hand.Sync())
	require.NoError(t, k.post(broker.Key{Code: 0}))
	require.Equal(t, []uint32{symSuper, 'a'}, k.down(2))
	p, err := xproto.QueryPointer(k.eyes.Conn, k.eyes.Root).Reply()
	require.NoError(t, err)
	require.Zero(t, p.Mask, "and none is left down")
}

func TestAHotKeyOfAnotherProgramIsPressedFromAnywhere(t *testing.T) {
	k := newTypist(t)
	pressed := make(chan struct{}, 8)
	other, err := x11.Dial(k.server.Display, x11.Handlers{Event: func(ev []byte) {
		if ev[0]&127 == xproto.KeyPress {
			pressed <- struct{}{}
		}
	}})
	require.NoError(t, err)
	defer other.Close()
	x, err := k.keys.open()
	require.NoError(t, err)
	defer x.Close()
	const volumeUp = 0x1008ff13
	volume, ok := x.layout.code(volumeUp)
	require.True(t, ok)
	handled, err := k.keys.Handled(t.Context(), volumeUp)
	require.NoError(t, err)
	require.False(t, handled)
	for _, grab := range []struct {
		code byte
		mods uint16
	}{{volume, xproto.ModMaskAny}, {mustCode(t, x, 'j'), xproto.ModMask4}} {
		require.NoError(t, xproto.GrabKeyChecked(other.Conn, false, other.Root, grab.mods, xproto.Keycode(grab.code), xproto.GrabModeAsync, xproto.GrabModeAsync).Check())
	}
	handled, err = k.keys.Handled(t.Context(), volumeUp)
	require.NoError(t, err)
	require.True(t, handled)
	heard := func() {
		t.Helper()
		select {
		case <-pressed:
		case <-time.After(patience):
			require.Fail(t, "the hot key was not heard")
		}
	}
	require.NoError(t, k.keys.Press(t.Context(), volumeUp))
	heard()
	require.NoError(t, k.keys.PostGlobalKey(t.Context(), broker.Key{Code: code(t, 'j'), Modifiers: []string{"command"}}))
	heard()
}

func mustCode(t *testing.T, h *hand, sym uint32) byte {
	t.Helper()
	c, ok := h.layout.code(sym)
	require.True(t, ok)
	return c
}

func TestEachLayoutHasItsOwnKeysForACode(t *testing.T) {
	k := newTypist(t, "setxkbmap", "xkbcomp")
	layout := func(args ...string) *hand {
		t.Helper()
		cmd := exec.Command("setxkbmap", args...)
		cmd.Env = append(os.Environ(), "DISPLAY="+k.server.Display)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		h, err := k.keys.open()
		require.NoError(t, err)
		t.Cleanup(h.Close)
		return h
	}
	find := func(h *hand, sym uint32) stroke {
		t.Helper()
		s, ok := h.layout.find(sym)
		require.True(t, ok, "%q", rune(sym))
		s.code -= h.layout.first
		return s
	}
	us := layout("us")
	a, q := find(us, 'a').code, find(us, 'q').code
	fr := layout("fr")
	assert.Equal(t, stroke{code: q}, find(fr, 'a'), "where Q is on an American keyboard")
	assert.Equal(t, stroke{code: a}, find(fr, 'q'))
	assert.True(t, find(fr, '1').shift, "digits are shifted")
	de := layout("de")
	assert.True(t, find(de, '[').level3, "brackets are on the third level")
	codes, err := de.chord('[', []string{"control"})
	require.NoError(t, err)
	assert.Len(t, codes, 3)
	both := layout("us,ru")
	both.layout.group = 1
	assert.Equal(t, stroke{code: a}, find(both, 'a'), "Cyrillic has no a; chords go by the first group")
	assert.Equal(t, stroke{code: find(us, 'f').code}, find(both, 0x6c1), "Cyrillic_a is in the group in force")
}

func TestTheTableIsWhole(t *testing.T) {
	seen := map[uint32]bool{}
	for i, e := range table {
		if i > 0 {
			require.Less(t, table[i-1].code, e.code, "ordered and without repeats")
		}
		require.False(t, seen[e.sym], "%#x twice", e.sym)
		seen[e.sym] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		require.True(t, seen[uint32(c)], "%c", c)
	}
	for c := '0'; c <= '9'; c++ {
		require.True(t, seen[uint32(c)], "%c", c)
	}
	for f := range uint32(20) {
		require.True(t, seen[symF1+f], "F%d", f+1)
	}
}

func TestNumLockSwapsTheLevelsOfTheKeypad(t *testing.T) {
	l := layout{first: 8, per: 4, syms: []uint32{0xff9e, symKP0, 0, 0, 'a', 'A', 0, 0}}
	s, _ := l.find(symKP0)
	assert.True(t, s.shift)
	l.num = true
	s, _ = l.find(symKP0)
	assert.False(t, s.shift)
	s, _ = l.find('A')
	assert.True(t, s.shift)
}

func xtestDown(h *xvfb.Hand, code byte) {
	xtest.FakeInput(h.Conn.Conn, xproto.KeyPress, code, 0, h.Root, 0, 0, 0)
}
