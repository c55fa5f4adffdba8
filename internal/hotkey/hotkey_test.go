//go:build !darwin || !cgo

package hotkey_test

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/hotkey"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

const patience = 20 * time.Second

// Keycodes of Xvfb's keyboard, by what an American one has there.
const (
	keyQ        = 24
	keyA        = 38
	keyK        = 45
	key1        = 10
	keySpace    = 65
	keyEqual    = 21
	keySuper    = 133
	keyControl  = 37
	keyShift    = 50
	keyCaps     = 66
	keyNum      = 77
	keyMenu     = 135
	keyVolumeUp = 123
	keyAltGr    = 108
)

type rig struct {
	t       *testing.T
	s       *xvfb.Server
	hand    *xvfb.Hand
	focus   *xvfb.Window // has the focus, and what no hot key takes
	loop    *x11.Loop
	keys    *hotkey.Keys
	pressed chan string
	remaps  chan []hotkey.Conflict
	// onPress, if set, runs in Pressed.
	onPress func(id string, t xproto.Timestamp)
}

func newRig(t *testing.T) *rig {
	leaktest.Check(t)
	desktoptest.Need(t, "Xvfb", "openbox", "setxkbmap")
	s, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	r := &rig{t: t, s: s, pressed: make(chan string, 64), remaps: make(chan []hotkey.Conflict, 64)}
	r.hand, err = s.Hand()
	require.NoError(t, err)
	t.Cleanup(r.hand.Close)
	r.focus, err = s.Window()
	require.NoError(t, err)
	t.Cleanup(r.focus.Close)
	r.loop, r.keys = r.connect()
	// The server keeps a map for each keyboard and shows that of the one that
	// was typed on last: a layout is given to that.
	r.tap(keyShift)
	return r
}

// connect makes further hot keys on a connection of their own.
func (r *rig) connect() (*x11.Loop, *hotkey.Keys) {
	r.t.Helper()
	loop, err := x11.OpenLoop(r.s.Display, nil)
	require.NoError(r.t, err)
	r.t.Cleanup(loop.Close)
	keys := hotkey.New(hotkey.Options{
		Loop: loop,
		Pressed: func(id string, t xproto.Timestamp) {
			if r.onPress != nil {
				r.onPress(id, t)
			}
			r.pressed <- id
		},
		Conflicts: func(c []hotkey.Conflict) { r.remaps <- c },
	})
	return loop, keys
}

func (r *rig) bind(chords ...hotkey.Chord) []hotkey.Conflict {
	var list []hotkey.Binding
	for _, c := range chords {
		list = append(list, hotkey.Binding{ID: "do " + string(c), Chord: c})
	}
	return r.keys.Set(list)
}

func (r *rig) key(code byte, down bool) {
	kind := byte(xproto.KeyRelease)
	if down {
		kind = xproto.KeyPress
	}
	xtest.FakeInput(r.hand.Conn.Conn, kind, code, 0, r.hand.Root, 0, 0, 0)
}

// tap presses keys in order and releases them in reverse.
func (r *rig) tap(codes ...byte) {
	r.t.Helper()
	for _, c := range codes {
		r.key(c, true)
	}
	for _, c := range slices.Backward(codes) {
		r.key(c, false)
	}
	require.NoError(r.t, r.hand.Sync())
}

func (r *rig) heard(want string) {
	r.t.Helper()
	select {
	case got := <-r.pressed:
		require.Equal(r.t, want, got)
	case <-time.After(patience):
		r.t.Fatalf("%q was not heard", want)
	}
}

// arrives waits until a key press reaches the window with the focus.
func (r *rig) arrives(code byte) {
	r.t.Helper()
	timer := time.After(patience)
	for {
		select {
		case k := <-r.focus.Keys():
			if k.Down && k.Code == code {
				return
			}
		case <-timer:
			r.t.Fatalf("key %d did not reach the focus", code)
		}
	}
}

func (r *rig) layout(args ...string) {
	r.t.Helper()
	for len(r.remaps) > 0 {
		<-r.remaps
	}
	out, err := exec.Command("setxkbmap", append([]string{"-display", r.s.Display}, args...)...).CombinedOutput()
	require.NoError(r.t, err, "%s", out)
	select {
	case <-r.remaps:
	case <-time.After(patience):
		r.t.Fatal("the new layout was not taken up")
	}
	r.settled()
}

// settled waits until what the server told so far was handled.
func (r *rig) settled() {
	r.t.Helper()
	_, err := xproto.GetInputFocus(r.loop.Conn.Conn).Reply()
	require.NoError(r.t, err)
	for range 2 { // what an event queued runs after it
		require.True(r.t, r.loop.Ask(func() {}))
	}
}

func TestAChordIsHeardWhateverLocksAreOn(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+space"))
	for _, lock := range []byte{0, keyCaps, keyNum, keyCaps} { // none, Caps, both, Num
		if lock != 0 {
			r.tap(lock)
		}
		r.tap(keySuper, keySpace)
		r.heard("do super+space")
	}
	r.tap(keyControl, keySuper, keySpace)
	r.arrives(keySpace)
	assert.Empty(t, r.pressed, "with more modifiers it is another chord")
}

func TestAKeyIsWhereTheLayoutHasIt(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+q", "super+y", "super+1", "ctrl+plus", "super+backslash"))
	for _, c := range []struct {
		layout     string
		q, y       byte
		other      byte // writes neither
		plus, back []byte
	}{
		{"us", 24, 29, 38, []byte{keyControl, keyShift, keyEqual}, []byte{keySuper, 51}},
		{"fr", 38, 29, 24, []byte{keyControl, keyShift, keyEqual}, []byte{keySuper, keyAltGr, 17}},
		{"de", 24, 52, 29, []byte{keyControl, 35}, []byte{keySuper, keyAltGr, 20}},
	} {
		r.layout(c.layout)
		r.tap(keySuper, c.other)
		r.arrives(c.other)
		r.tap(keySuper, c.q)
		r.heard("do super+q")
		r.tap(keySuper, c.y)
		r.heard("do super+y")
		r.tap(keySuper, key1)
		r.heard("do super+1")
		r.tap(c.plus...)
		r.heard("do ctrl+plus")
		r.tap(c.back...)
		r.heard("do super+backslash")
		assert.Empty(t, r.pressed, c.layout)
	}
}

func TestAKeyThatIsMappedAnewByItselfIsFollowed(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+q"))
	// As xmodmap does, and xdotool for each letter that no key writes.
	for _, c := range []struct {
		code byte
		sym  xproto.Keysym
	}{{keyQ, 'x'}, {keyA, 'q'}} {
		for len(r.remaps) > 0 {
			<-r.remaps
		}
		require.NoError(t, xproto.ChangeKeyboardMappingChecked(r.hand.Conn.Conn, 1, xproto.Keycode(c.code), 1, []xproto.Keysym{c.sym}).Check())
		select {
		case <-r.remaps:
		case <-time.After(patience):
			t.Fatalf("that key %d writes %q now was not taken up", c.code, rune(c.sym))
		}
		r.settled()
	}
	r.tap(keySuper, keyQ)
	r.arrives(keyQ)
	r.tap(keySuper, keyA)
	r.heard("do super+q")
}

func TestOfSeveralLayoutsTheOneInForceDecides(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+a"))
	r.layout("-layout", "us,fr", "-option", "grp:menu_toggle")
	r.tap(keySuper, keyQ) // writes an a in French
	r.arrives(keyQ)
	r.tap(keySuper, keyA)
	r.heard("do super+a")
	r.tap(keyMenu)
	r.tap(keySuper, keyA)
	r.arrives(keyA)
	r.tap(keySuper, keyQ)
	r.heard("do super+a")
	assert.Empty(t, r.pressed)
}

func TestALayoutWithoutTheLetterLeavesTheChordWhereItWas(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+k"))
	r.layout("-layout", "us,ru", "-option", "grp:menu_toggle")
	for range 2 {
		r.tap(keySuper, keyK)
		r.heard("do super+k")
		r.tap(keyMenu)
	}
}

func TestSeveralChordsMayDoTheSame(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.keys.Set([]hotkey.Binding{{ID: "same", Chord: "super+a"}, {ID: "same", Chord: "super+q"}}))
	for _, code := range []byte{keyA, keyQ} {
		r.tap(keySuper, code)
		r.heard("same")
	}
}

func TestAMediaKeyNeedsNoModifier(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("volumeup"))
	r.tap(keyVolumeUp)
	r.heard("do volumeup")
}

func TestAChordOfAnotherProgramIsNamedAndTheOthersWork(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+space"))
	_, other := r.connect()
	want := []hotkey.Binding{{ID: "mine", Chord: "super+space"}, {ID: "free", Chord: "ctrl+f5"}}
	conflicts := other.Set(want)
	require.Len(t, conflicts, 1)
	assert.Equal(t, "mine", conflicts[0].ID)
	assert.ErrorContains(t, conflicts[0], "super+space is taken by another program")
	assert.ErrorContains(t, conflicts[0], "[hotkeys]")
	r.tap(keyControl, 71)
	r.heard("free")
	r.tap(keySuper, keySpace)
	r.heard("do super+space")

	r.keys.Close()
	require.Empty(t, other.Set(want), "what was freed can be taken")
	r.tap(keySuper, keySpace)
	r.heard("mine")
	require.Empty(t, other.Set(nil))
	r.tap(keySuper, keySpace)
	r.arrives(keySpace)
}

func TestWhatCannotBeBoundSaysWhy(t *testing.T) {
	r := newRig(t)
	conflicts := r.bind("super+nonsense", "hyper+a", "eject", "super+a", "shift+super+a", "super+a")
	require.Len(t, conflicts, 3)
	assert.ErrorContains(t, conflicts[0], `"nonsense" is no key`)
	assert.ErrorContains(t, conflicts[1], `"hyper" is no modifier`)
	assert.ErrorContains(t, conflicts[2], "same key as another hot key")
	r.layout("ru")
	assert.NotEmpty(t, r.keys.Set([]hotkey.Binding{{ID: "x", Chord: "super+a"}}), "no key writes it")
}

// panel is a window that takes the keyboard when a hot key opens it.
type panel struct {
	window xproto.Window
	typed  chan byte
}

func (r *rig) panel() *panel {
	r.t.Helper()
	p := &panel{typed: make(chan byte, 256)}
	c := r.loop.Conn
	id, err := xproto.NewWindowId(c.Conn)
	require.NoError(r.t, err)
	p.window = id
	require.NoError(r.t, xproto.CreateWindowChecked(c.Conn, c.Screen.RootDepth, id, c.Root, 10, 10, 100, 50, 0,
		xproto.WindowClassInputOutput, c.Screen.RootVisual, xproto.CwOverrideRedirect|xproto.CwEventMask,
		[]uint32{1, xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease}).Check())
	require.True(r.t, r.loop.Ask(func() {
		r.loop.Handle(func(ev xgb.Event) {
			if e, ok := ev.(xproto.KeyPressEvent); ok && e.Event == p.window {
				p.typed <- byte(e.Detail)
			}
		})
	}))
	return p
}

func (r *rig) open(p *panel, t xproto.Timestamp) {
	xproto.MapWindow(r.loop.Conn.Conn, p.window)
	g, err := xproto.GrabKeyboard(r.loop.Conn.Conn, false, p.window, t, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if assert.NoError(r.t, err) {
		assert.Equal(r.t, byte(xproto.GrabStatusSuccess), g.Status)
	}
}

func TestKeysTypedRightAfterTheChordAllReachTheWindowThatItOpens(t *testing.T) {
	r := newRig(t)
	p := r.panel()
	typed := make(chan struct{})
	r.onPress = func(_ string, at xproto.Timestamp) {
		<-typed // everything was typed before the window is there
		r.open(p, at)
	}
	require.Empty(t, r.bind("super+space"))
	letters := []byte{24, 25, 26, 27, 28, 29, 30, 31, 32, 33}
	for round := range 3 {
		r.key(keySuper, true)
		r.key(keySpace, true)
		r.key(keySpace, false)
		r.key(keySuper, false)
		for _, c := range letters {
			r.tap(c)
		}
		require.NoError(t, r.hand.Sync())
		typed <- struct{}{}
		r.heard("do super+space")
		for _, want := range letters {
			select {
			case got := <-p.typed:
				require.Equal(t, want, got, "round %d", round)
			case <-time.After(patience):
				t.Fatalf("key %d was lost", want)
			}
		}
		require.True(t, r.loop.Ask(func() {
			xproto.UngrabKeyboard(r.loop.Conn.Conn, xproto.TimeCurrentTime)
			xproto.UnmapWindow(r.loop.Conn.Conn, p.window)
		}))
		r.settled()
	}
	r.tap(keyA)
	for {
		k := <-r.focus.Keys()
		if k.Down && k.Code == keyA {
			break
		}
		assert.False(t, k.Down && slices.Contains(letters, k.Code), "key %d reached the old focus", k.Code)
	}
}

func TestTheKeyboardGoesOnWhereNobodyTookIt(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+space"))
	for range 3 {
		r.tap(keySuper, keySpace)
		r.heard("do super+space")
		r.tap(keyA)
		r.arrives(keyA)
	}
}

func TestAHandlerThatHangsDoesNotHoldTheKeyboard(t *testing.T) {
	r := newRig(t)
	hang := make(chan struct{})
	r.onPress = func(string, xproto.Timestamp) { <-hang }
	require.Empty(t, r.bind("super+space"))
	r.tap(keySuper, keySpace)
	r.tap(keyA)
	r.arrives(keyA)
	close(hang)
	r.heard("do super+space")
}

func TestAChordThatIsHeldIsOnePress(t *testing.T) {
	r := newRig(t)
	p := r.panel()
	r.onPress = func(_ string, at xproto.Timestamp) { r.open(p, at) }
	require.Empty(t, r.bind("super+space"))
	r.key(keySuper, true)
	r.key(keySpace, true)
	r.heard("do super+space")
	// The repeats of the key that is down come to the window that took the
	// keyboard; when it goes they would be presses of the chord again.
	for range 3 {
		select {
		case code := <-p.typed:
			assert.EqualValues(t, keySpace, code)
		case <-time.After(patience):
			t.Fatal("the key does not repeat")
		}
	}
	var found string
	require.True(t, r.loop.Ask(func() {
		found = r.keys.Find(keySpace, 1<<6)
		xproto.UngrabKeyboard(r.loop.Conn.Conn, xproto.TimeCurrentTime)
	}))
	assert.Equal(t, "do super+space", found)
	r.settled()
	r.key(keySpace, false)
	r.key(keySuper, false)
	r.tap(keyA)
	r.arrives(keyA)
	assert.Empty(t, r.pressed)
}

func TestALostServerLeavesNothingHanging(t *testing.T) {
	r := newRig(t)
	require.Empty(t, r.bind("super+space"))
	r.s.Kill()
	r.keys.Close()
	r.keys.Set(nil)
}
