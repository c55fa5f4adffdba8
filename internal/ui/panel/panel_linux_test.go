package panel

import (
	"image"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
	"github.com/flash-launcher/flash/protocol"
)

func (d *desk) window() *xvfb.Window {
	w, err := d.server.Window()
	require.NoError(d.t, err)
	d.t.Cleanup(w.Close)
	return w
}

func TestKeysTypedRightAfterTheHotKeyAreAllInTheBox(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	d.hotKey()
	for round := range 5 { // the first one opens a panel that has never been there
		d.tap(symControlL, ' ')
		d.typing("calculator")
		d.awaitOpen()
		d.untilText("calculator")
		d.settled()
		d.tap(symEscape)
		d.untilClosed()
		if round == 2 {
			d.ask(d.panel.release) // cold again
		}
	}
}

func TestTenLettersAtThePaceOfAFastTypistAreAllInTheBox(t *testing.T) {
	const pace = 30 // milliseconds a key
	d := newDesk(t, nil)
	d.window()
	d.hotKey()
	for range 3 {
		d.tap(symControlL, ' ')
		for _, r := range "calculator" {
			code := d.codes[uint32(r)]
			d.pressAfter(code, true, pace)
			d.press(code, false)
		}
		d.awaitOpen()
		d.untilText("calculator")
		d.tap(symEscape)
		d.untilClosed()
	}
}

func TestAWarmPanelHasItsFontsAndItsWindow(t *testing.T) {
	d := newDesk(t, nil)
	d.ask(d.panel.Warm)
	d.until("it is warm", func() bool { return d.panel.surface != nil && d.panel.id != 0 })
	d.ask(func() { assert.False(t, d.panel.mapped) })
	d.open(OpenOptions{Query: "fire"})
	d.settled()
	d.ask(func() { assert.NotEmpty(t, d.panel.m.list.items) })
}

func TestAnXServerThatDiesTakesNothingWithIt(t *testing.T) {
	closed := make(chan struct{}, 1)
	d := newDesk(t, func(o *Options) { o.Closed = func() { closed <- struct{}{} } })
	d.open(OpenOptions{Query: "fire"})
	d.settled()
	d.server.Kill()
	for d.loop.Ask(func() {}) { // until the loop has noticed
		time.Sleep(time.Millisecond)
	}
	d.panel.Shutdown()
	select {
	case <-closed:
	default:
		t.Fatal("the panel did not say that it is closed")
	}
	assert.Nil(t, d.panel.session)
	assert.Nil(t, d.panel.surface)
}

func TestThePanelOpensOnTheMonitorOfTheFocusedWindow(t *testing.T) {
	left, right := image.Rect(0, 0, 1920, 1080), image.Rect(1920, 200, 3200, 1224)
	all := []image.Rectangle{left, right}
	assert.Equal(t, 0, nearest(all, image.Pt(100, 100)))
	assert.Equal(t, 1, nearest(all, image.Pt(1920, 300)))
	assert.Equal(t, 1, nearest(all, image.Pt(2500, 10)), "beside all monitors the nearest")
	d := newDesk(t, nil)
	require.NoError(t, d.hand.Sync())
	d.hand.MoveTo(1200, 800)
	d.window() // over the whole screen: its middle counts, not the pointer
	d.open(OpenOptions{})
	d.ask(func() {
		assert.Equal(t, image.Rect(0, 0, 1280, 900), d.panel.monitor)
		assert.Equal(t, (1280-d.panel.size.X)/2, d.panel.at.X)
		assert.Equal(t, image.Pt(640, 450), d.panel.focusPlace(image.Pt(1200, 800)))
	})
}

func TestTheScaleFollowsTheDesktopThenTheMonitor(t *testing.T) {
	assert.Equal(t, 168.0, x11.XftDPI("Xcursor.size:\t24\nXft.dpi:\t168\nXft.rgba:\tnone\n"))
	assert.Zero(t, x11.XftDPI("Xft.antialias: 1"))
	assert.EqualValues(t, 1.75, x11.Scale(168, 1920, 500))
	assert.EqualValues(t, 1, x11.Scale(96, 3840, 340), "what the user chose counts")
	assert.EqualValues(t, 2, x11.Scale(0, 3840, 340))
	assert.EqualValues(t, 1, x11.Scale(0, 1920, 530))
	assert.EqualValues(t, 1, x11.Scale(0, 1920, 0), "a monitor without a size")
	assert.EqualValues(t, 1, x11.Scale(7, 1920, 0), "nonsense")
}

func TestTextOnTheClipboardIsPasted(t *testing.T) {
	d := newDesk(t, nil)
	clip := newClip(t, d)
	d.open(OpenOptions{Query: "a"})
	clip.offer("two\nlines")
	d.tap(symControlL, 'v')
	d.untilText("atwo lines")
}

func TestLettersCountWhileTheHotKeysModifierIsStillDown(t *testing.T) {
	d := newDesk(t, nil)
	d.hotKey()
	d.key(symControlL, true)
	d.tap(' ')
	d.typing("cal")
	d.key(symControlL, false)
	d.typing("cu")
	d.awaitOpen()
	d.untilText("calcu")
	d.tap(symControlL, 'u')
	d.untilText("")
}

func TestTheHotKeyClosesWhatItOpened(t *testing.T) {
	var d *desk
	d = newDesk(t, func(o *Options) {
		o.HotKey = func(e xproto.KeyPressEvent, held bool) bool {
			hot := byte(e.Detail) == d.codes[' '] && e.State&stateControl != 0
			if hot && !held {
				d.panel.Toggle(OpenOptions{})
			}
			return hot
		}
	})
	// The package of hot keys has the server repeat keys without releases.
	xproto.ChangeKeyboardControl(d.hand.Conn.Conn, xproto.KbAutoRepeatMode, []uint32{xproto.AutoRepeatModeOff})
	d.hotKey()
	d.key(symControlL, true)
	d.key(' ', true)
	d.awaitOpen()
	d.ask(func() { // as a keyboard repeats it
		d.panel.event(xproto.KeyPressEvent{Detail: xproto.Keycode(d.codes[' ']), State: stateControl, Event: d.panel.catcher})
	})
	d.key(' ', false)
	d.key(symControlL, false)
	d.typing("x")
	d.untilText("x")
	d.tap(symControlL, ' ')
	d.untilClosed()
}

func TestTheFocusGoesBackWhereItWas(t *testing.T) {
	d := newDesk(t, nil)
	w := d.window()
	before := d.focus()
	d.hand.MoveTo(700, 700)
	for range 3 {
		d.open(OpenOptions{})
		d.until("the panel has the focus", func() bool { return d.focus() == d.panel.id })
		d.typing("a")
		d.untilText("a")
		d.tap(symEscape)
		d.untilClosed()
		assert.Equal(t, before, d.focus())
	}
	d.typing("z")
	for {
		select {
		case k := <-w.Keys():
			require.NotEqual(t, d.codes['a'], k.Code, "a key meant for the panel came to the window")
			if k.Code == d.codes['z'] && k.Down {
				return
			}
		case <-time.After(patience):
			t.Fatal("the window gets no keys")
		}
	}
}

func TestAWindowThatTakesTheFocusClosesThePanelAndKeepsIt(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	d.open(OpenOptions{})
	d.window() // takes the focus
	d.untilClosed()
	f := d.focus()
	d.ask(func() { assert.NotEqual(t, d.panel.id, f); assert.NotEqual(t, d.panel.focus.Focus, f) })
}

func TestThePanelStaysWithoutTheFocusWhereTheConfigurationSaysSo(t *testing.T) {
	d := newDesk(t, nil)
	d.config.CloseOnFocusLoss = false
	d.window()
	d.open(OpenOptions{})
	w := d.window()
	d.until("the keyboard is let go", func() bool { return !d.panel.owned })
	d.sync()
	d.typing("q")
	select {
	case k := <-w.Keys():
		assert.Equal(t, d.codes['q'], k.Code)
	case <-time.After(patience):
		t.Fatal("the window gets no keys")
	}
	assert.True(t, d.panel.Visible())
	d.ask(func() { // the window covers the screen
		c := xproto.ConfigureWindowChecked(d.loop.Conn.Conn, d.panel.id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
		require.NoError(t, c.Check())
		d.hand.MoveTo(int16(d.panel.at.X+100), int16(d.panel.at.Y+20))
	})
	d.settled()
	d.hand.Click(1)
	d.until("a click brings the focus back", func() bool { return d.panel.owned && d.focus() == d.panel.id })
	d.typing("b")
	d.untilText("b")
}

func TestAKeyboardThatAnotherProgramHoldsIsSaidAndTakenWhenItIsFree(t *testing.T) {
	d := newDesk(t, nil)
	r, err := xproto.GrabKeyboard(d.hand.Conn.Conn, false, d.hand.Root, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	require.NoError(t, err)
	require.EqualValues(t, xproto.GrabStatusSuccess, r.Status)
	d.open(OpenOptions{})
	d.until("the panel says so", func() bool { return d.panel.m.status.Text == grabNotice })
	xproto.UngrabKeyboard(d.hand.Conn.Conn, xproto.TimeCurrentTime)
	d.until("the notice goes", func() bool { return d.panel.m.status.Text == "" })
	d.typing("ok")
	d.untilText("ok")
}

func TestAClickBesideThePanelClosesIt(t *testing.T) {
	d := newDesk(t, nil)
	d.window()
	d.open(OpenOptions{})
	d.hand.MoveTo(3, 3)
	d.hand.Click(1)
	d.untilClosed()
}

func TestAClickOnALineTakesIt(t *testing.T) {
	d := newDesk(t, nil)
	d.open(OpenOptions{Query: "chromium"})
	d.settled()
	var at image.Point
	d.ask(func() { at = d.panel.p.scene.lines[0].Min.Add(d.panel.at).Add(image.Pt(90, 10)) })
	d.hand.MoveTo(int16(at.X), int16(at.Y))
	d.until("the line under the pointer is marked", func() bool { return d.panel.m.hover == 0 })
	d.hand.Click(1)
	d.untilClosed()
	assert.Equal(t, []protocol.Effect{{Type: protocol.EffectOpen, BundleID: "chromium"}}, d.host.done())
}

func TestWhatThePanelKeptIsGivenBackAWhileAfterItClosed(t *testing.T) {
	clock := eventtest.New()
	d := newDesk(t, func(o *Options) { o.Clock = clock })
	d.ask(func() { d.panel.Open(OpenOptions{}) })
	d.until("it opens", func() bool { return d.panel.mapped })
	d.ask(d.panel.Close)
	d.ask(func() { require.NotNil(t, d.panel.surface) })
	clock.Advance(dropAfter)
	d.until("it is given back", func() bool { return d.panel.surface == nil })
	d.ask(func() { d.panel.Open(OpenOptions{}) })
	d.until("it opens again", func() bool { return d.panel.mapped && d.panel.surface != nil })
}

func TestALayoutThatChangesChangesWhatKeysWrite(t *testing.T) {
	d := newDesk(t, nil)
	d.open(OpenOptions{})
	d.typing("q")
	d.untilText("q")
	// The key of "q" writes in two groups and four levels.
	code := d.codes['q']
	syms := []xproto.Keysym{'q', 'Q', 0x6ca, 0x6ea, '@', 0x7d9, 0x6c6, 0x6e6} // Cyrillic in the second group
	require.NoError(t, xproto.ChangeKeyboardMappingChecked(d.hand.Conn.Conn, 1, xproto.Keycode(code), byte(len(syms)), syms).Check())
	d.until("the new map is told", func() bool { return d.panel.keymap == nil })
	d.press(code, true)
	d.press(code, false)
	d.untilText("qq")
	d.ask(func() {
		assert.Equal(t, "й", d.panel.keymap.look(code, 1<<groupShift).Text)
		assert.Equal(t, "Й", d.panel.keymap.look(code, 1<<groupShift|stateShift).Text)
	})
}

// shot is what the server shows of the panel.
func (d *desk) shot() []byte {
	var out []byte
	d.ask(func() {
		r, err := xproto.GetImage(d.loop.Conn.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(d.panel.id), 0, 0, uint16(d.panel.size.X), uint16(d.panel.size.Y), 0xffffffff).Reply()
		require.NoError(d.t, err)
		out = r.Data
		for i := 3; i < len(out); i += 4 {
			out[i] = 0
		}
	})
	return out
}

func TestWhatShowsIsWhatWasPaintedWithAndWithoutSharedMemory(t *testing.T) {
	var shots [][]byte
	for _, shared := range []bool{true, false} {
		d := newDesk(t, nil)
		d.ask(func() { d.panel.start(); d.panel.hasShm = d.panel.hasShm && shared })
		d.open(OpenOptions{Query: "everythin"})
		d.settled()
		d.ask(func() { require.Equal(t, shared, d.panel.surface.seg != 0) })
		for range 3 {
			d.tap(symDown)
		}
		d.typing("g")
		d.untilText("everything")
		d.tap(symDown)
		d.settled()
		d.until("the second line is selected", func() bool { return d.panel.m.list.At() == 1 && !d.panel.dirty })
		d.until("the server has read it", func() bool { return !d.panel.surface.busy })
		shots = append(shots, d.shot())
		var painted []byte
		d.ask(func() {
			im := paintAll(&d.panel.p, &d.panel.m)
			painted = append(painted, im.Pix...)
			d.panel.p.forget()
		})
		for i := 3; i < len(painted); i += 4 {
			painted[i] = 0
		}
		require.Equal(t, painted, shots[len(shots)-1])
	}
	assert.Equal(t, shots[0], shots[1])
}

func TestWithACompositorTheWindowIsTransparentAtItsCorners(t *testing.T) {
	d := newDesk(t, nil)
	d.open(OpenOptions{})
	d.ask(func() { assert.False(t, d.panel.argb) })
	d.ask(d.panel.Close)
	owner, err := xproto.NewWindowId(d.hand.Conn.Conn)
	require.NoError(t, err)
	xproto.CreateWindow(d.hand.Conn.Conn, 0, owner, d.hand.Root, -9, -9, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil)
	var atom xproto.Atom
	d.ask(func() { atom = d.panel.atoms.compositor })
	require.NoError(t, xproto.SetSelectionOwnerChecked(d.hand.Conn.Conn, owner, atom, xproto.TimeCurrentTime).Check())
	d.open(OpenOptions{})
	d.ask(func() {
		assert.True(t, d.panel.argb)
		assert.Zero(t, d.panel.surface.image.Pix[3])
	})
	d.typing("a")
	d.untilText("a")
}
