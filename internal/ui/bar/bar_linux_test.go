package bar

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
	"github.com/flash-launcher/flash/protocol"
)

const patience = 20 * time.Second

// screen is a bar on a display of its own.
type screen struct {
	*testing.T
	*Bar
	server *xvfb.Server
	clock  *eventtest.Fake
	other  *x11.Conn // another client

	mu     sync.Mutex
	cfg    config.StatusBar
	colour Theme
	clicks []string
}

func start(t *testing.T, template string) *screen {
	t.Helper()
	desktoptest.Need(t, "Xvfb", "openbox")
	server, err := xvfb.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	loop, err := x11.OpenLoop(server.Display, nil)
	require.NoError(t, err)
	t.Cleanup(loop.Close)
	other, err := x11.Dial(server.Display, x11.Handlers{Event: func([]byte) {}})
	require.NoError(t, err)
	t.Cleanup(other.Close)
	s := &screen{T: t, server: server, clock: eventtest.New(), other: other, colour: Dark()}
	s.cfg = config.StatusBar{Enabled: true, Template: template, Position: "top", Height: 26}
	r := status.New(s.clock)
	r.SetDeclared(map[string][]string{"cpu": {"summary", "percent", "history", "details"}})
	s.Bar = New(Options{
		Loop: loop, Registry: r, Clock: s.clock, Logger: slog.New(slog.DiscardHandler),
		Config: func() config.StatusBar {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.cfg
		},
		Theme: func() Theme {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.colour
		},
		Clicked: func(action string, button int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.clicks = append(s.clicks, action)
		},
	})
	t.Cleanup(s.Close)
	s.Apply()
	return s
}

func (s *screen) reconfigure(change func(*config.StatusBar)) {
	s.mu.Lock()
	change(&s.cfg)
	s.mu.Unlock()
	s.Apply()
}

func (s *screen) cpu(kv ...string) {
	m := map[string]protocol.StatusValue{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = protocol.StatusValue{Text: kv[i+1]}
	}
	s.Registry.Merge("cpu", 1, m)
}

// settled waits until the bar has done what it has to do for now.
func (s *screen) settled() {
	s.Helper()
	require.True(s, s.Loop.Ask(func() {
		_, _ = xproto.GetInputFocus(s.Loop.Conn.Conn).Reply()
	}))
	s.Loop.Ask(func() {})
}

func (s *screen) eventually(what string, cond func() bool) {
	s.Helper()
	require.Eventually(s, cond, patience, 10*time.Millisecond, what)
}

// pixel is what the screen shows at a place, as 0xrrggbb.
func (s *screen) pixel(x, y int16) uint32 {
	r, err := xproto.GetImage(s.other.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.other.Root), x, y, 1, 1, 0xffffffff).Reply()
	require.NoError(s, err)
	return uint32(r.Data[2])<<16 | uint32(r.Data[1])<<8 | uint32(r.Data[0])
}

// strip is what the bar's line shows between two columns.
func (s *screen) strip(x, w int) []byte {
	r, err := xproto.GetImage(s.other.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.other.Root), int16(x), 0, uint16(w), 26, 0xffffffff).Reply()
	require.NoError(s, err)
	return r.Data
}

func background(t Theme) uint32 {
	return uint32(t.Background.R)<<16 | uint32(t.Background.G)<<8 | uint32(t.Background.B)
}

// shown waits until the bar is on the screen.
func (s *screen) shown() {
	s.Helper()
	s.eventually("the bar is shown", func() bool {
		if s.pixel(500, 3) == background(s.colour) {
			return true
		}
		// A window manager that has just started may have lost the request.
		s.clock.Advance(mapAgain)
		return false
	})
	s.settled()
}

func (s *screen) property(w xproto.Window, name string) []uint32 {
	var out []uint32
	require.True(s, s.Loop.Ask(func() { out = s.values(w, name) }))
	return out
}

func (s *screen) window() (w xproto.Window) {
	require.True(s, s.Loop.Ask(func() {
		if s.win != nil {
			w = s.win.id
		}
	}))
	return w
}

func TestTheBarIsADockThatOtherWindowsKeepOff(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	assert.Equal(t, []uint32{0xffffffff}, s.property(s.window(), "_NET_WM_DESKTOP"))
	s.eventually("the window manager keeps its room", func() bool {
		area := s.property(s.Loop.Root, "_NET_WORKAREA")
		return len(area) >= 4 && area[1] == 26 && area[3] == 800-26
	})
	s.reconfigure(func(c *config.StatusBar) { c.Position, c.Height = "bottom", 40 })
	s.eventually("it is at the bottom", func() bool {
		area := s.property(s.Loop.Root, "_NET_WORKAREA")
		return area[1] == 0 && area[3] == 760 && s.pixel(500, 790) == background(s.colour) && s.pixel(500, 10) != background(s.colour)
	})
}

func TestTheBarIsOffUntilItIsTurnedOnAndObservesNothingThen(t *testing.T) {
	s := start(t, "#{flash.plugin.cpu.summary}")
	s.shown()
	assert.Equal(t, []string{"details", "summary"}, s.Registry.Observed("cpu"))
	s.reconfigure(func(c *config.StatusBar) { c.Enabled = false })
	s.eventually("it is gone", func() bool { return s.pixel(500, 3) != background(s.colour) })
	assert.Zero(t, s.window())
	assert.Empty(t, s.Registry.Observed("cpu"))
	before := s.Paints()
	s.cpu("summary", "cpu 3%")
	s.settled()
	assert.Equal(t, before, s.Paints())
	s.reconfigure(func(c *config.StatusBar) { c.Enabled = true })
	s.shown()
	assert.NotEmpty(t, s.Registry.Observed("cpu"))
}

func TestRestatedValuesPaintNothingAndAChangedOneItsOwnColumns(t *testing.T) {
	s := start(t, "left #{flash.plugin.cpu.percent}#[align=right]#{flash.plugin.cpu.summary}")
	s.cpu("summary", "cpu 33%", "percent", "33%")
	s.shown()
	before, right := s.Paints(), s.strip(800, 200)
	for range 100 {
		s.cpu("summary", "cpu 33%", "percent", "33%")
		s.cpu("history", "not shown")
	}
	s.settled()
	assert.Equal(t, before, s.Paints())
	s.cpu("percent", "34%")
	s.settled()
	assert.Equal(t, before+1, s.Paints())
	assert.Equal(t, right, s.strip(800, 200))
	s.cpu("summary", "cpu 34%")
	s.settled()
	assert.Equal(t, before+2, s.Paints())
	assert.NotEqual(t, right, s.strip(800, 200))
}

func TestAWindowThatLeavesTheBarCostsNoPaint(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	before, picture := s.Paints(), s.strip(0, 400)
	over := s.cover(0, 0, 400, 400)
	s.eventually("it is over the bar", func() bool { return s.pixel(5, 3) == 0xff00ff })
	xproto.DestroyWindow(s.other.Conn, over)
	s.eventually("the bar is back", func() bool { return string(picture) == string(s.strip(0, 400)) })
	s.settled()
	assert.Equal(t, before, s.Paints())
}

// cover puts a window that no manager moves over the screen.
func (s *screen) cover(x, y int16, w, h uint16) xproto.Window {
	id, err := xproto.NewWindowId(s.other.Conn)
	require.NoError(s, err)
	xproto.CreateWindow(s.other.Conn, 24, id, s.other.Root, x, y, w, h, 0, xproto.WindowClassInputOutput, s.other.Screen.RootVisual,
		xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{0xff00ff, 1})
	xproto.MapWindow(s.other.Conn, id)
	return id
}

func (s *screen) hiddenFor() (r reason) {
	s.Loop.Ask(func() { r = s.hidden })
	return r
}

func TestACoveredBarDoesNothingUntilItIsSeenAgain(t *testing.T) {
	s := start(t, "#{flash.plugin.cpu.summary}")
	s.cpu("summary", "cpu 33%")
	s.shown()
	over := s.cover(0, 0, 1000, 800)
	s.eventually("the bar knows that it is covered", func() bool { return s.hiddenFor() == covered })
	before := s.Paints()
	for range 20 {
		s.cpu("summary", "cpu 34%")
		s.cpu("summary", "cpu 35%")
	}
	s.settled()
	assert.Equal(t, before, s.Paints())
	s.clock.Advance(status.HoldGrace)
	assert.Empty(t, s.Registry.Observed("cpu"), "what nobody can see is not measured for long")
	xproto.DestroyWindow(s.other.Conn, over)
	s.eventually("it shows what is", func() bool { return s.Paints() == before+1 })
	assert.NotEmpty(t, s.Registry.Observed("cpu"))
}

func TestAFullscreenWindowStopsTheBar(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	id, err := xproto.NewWindowId(s.other.Conn)
	require.NoError(t, err)
	xproto.CreateWindow(s.other.Conn, 24, id, s.other.Root, 100, 100, 300, 300, 0, xproto.WindowClassInputOutput, s.other.Screen.RootVisual, xproto.CwBackPixel, []uint32{0xff00ff})
	_, err = xproto.GetInputFocus(s.other.Conn).Reply()
	require.NoError(t, err)
	s.Loop.Ask(func() {
		s.Bar.property(id, "_NET_WM_STATE", xproto.AtomAtom, uint32(s.atom("_NET_WM_STATE_FULLSCREEN")))
	})
	s.settled()
	xproto.MapWindow(s.other.Conn, id)
	s.eventually("it is stopped", func() bool { return s.hiddenFor()&fullscreen != 0 })
	xproto.DestroyWindow(s.other.Conn, id)
	s.eventually("it goes on", func() bool { return s.hiddenFor() == 0 })
}

func TestAHeldBarDoesNothing(t *testing.T) {
	s := start(t, "#{flash.plugin.cpu.summary}#{T:%T}")
	s.cpu("summary", "cpu 33%")
	s.shown()
	s.Hold(true)
	s.settled()
	before := s.Paints()
	s.cpu("summary", "cpu 34%")
	s.clock.Advance(time.Minute)
	s.settled()
	assert.Equal(t, before, s.Paints())
	s.Hold(false)
	s.settled()
	assert.Equal(t, before+1, s.Paints())
}

func TestABarThatIsMadeWhileHeldShowsOnceItIsNot(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	s.reconfigure(func(c *config.StatusBar) { c.Enabled = false })
	s.Hold(true)
	s.reconfigure(func(c *config.StatusBar) { c.Enabled = true })
	s.settled()
	s.Hold(false)
	s.shown()
}

func TestClicksAndTheWheelDoWhatTheTemplateSays(t *testing.T) {
	s := start(t, "#[click=:cpu refresh,click3=top,click4=up,click5=down]CPU and more#[norange] nothing here")
	s.shown()
	h, err := s.server.Hand()
	require.NoError(t, err)
	defer h.Close()
	bare := s.strip(0, 200)
	h.MoveTo(30, 10)
	require.NoError(t, h.Sync())
	s.eventually("it lights up", func() bool { return string(bare) != string(s.strip(0, 200)) })
	for _, b := range []byte{1, 2, 3, 4, 5} {
		h.Click(b)
	}
	require.NoError(t, h.Sync())
	s.eventually("all are told", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.clicks) == 4
	})
	assert.Equal(t, []string{":cpu refresh", "top", "up", "down"}, s.clicks)
	h.MoveTo(170, 10)
	h.Click(1)
	h.MoveTo(170, 300)
	require.NoError(t, h.Sync())
	s.eventually("the light is out", func() bool { return string(bare) == string(s.strip(0, 200)) })
	s.settled()
	assert.Len(t, s.clicks, 4)
}

func TestHoverTextShowsWhereThePointerRestsAndGoesWithIt(t *testing.T) {
	s := start(t, "#{flash.plugin.cpu.summary}")
	s.cpu("summary", "cpu 33%", "details", "2 processors: 30%, 36%")
	s.shown()
	// tip is how wide the hover text is and where it begins; 0 is none.
	tip := func() (w, y int) {
		s.Loop.Ask(func() {
			if s.tip != nil {
				w, y = s.tip.w, s.tip.y
			}
		})
		return w, y
	}
	shows := func() bool {
		w, _ := tip()
		return w > 0
	}
	h, err := s.server.Hand()
	require.NoError(t, err)
	defer h.Close()
	h.MoveTo(20, 10)
	require.NoError(t, h.Sync())
	armed := func() (on bool) {
		s.Loop.Ask(func() { on = s.tipTimer != nil })
		return on
	}
	s.eventually("the pointer is noticed", armed)
	assert.False(t, shows())
	s.clock.Advance(tipDelay)
	s.eventually("the text shows", shows)
	width, y := tip()
	s.eventually("below the bar", func() bool { return s.pixel(20, int16(y+2)) == 0x292c34 })
	s.cpu("details", "2 processors: 10%, 10%, and much more to say about them")
	s.eventually("it goes along", func() bool {
		w, _ := tip()
		return w > width
	})
	h.MoveTo(500, 400)
	require.NoError(t, h.Sync())
	s.eventually("it goes", func() bool { return !shows() })
}

func TestTheBarFollowsTheSizeOfTheScreen(t *testing.T) {
	s := start(t, "left#[align=right]right")
	s.shown()
	require.True(t, s.Loop.Ask(func() {
		c := s.Loop.Conn.Conn
		r, err := randr.GetScreenResources(c, s.Loop.Root).Reply()
		require.NoError(t, err)
		_, err = randr.SetCrtcConfig(c, r.Crtcs[0], 0, r.ConfigTimestamp, 0, 0, 0, randr.RotationRotate0, nil).Reply()
		require.NoError(t, err)
		require.NoError(t, randr.SetScreenSizeChecked(c, s.Loop.Root, 640, 480, 200, 150).Check())
	}))
	s.eventually("it is as wide as the screen", func() bool {
		g, err := xproto.GetGeometry(s.other.Conn, xproto.Drawable(s.window())).Reply()
		return err == nil && g.Width == 640
	})
	s.eventually("and painted to its end", func() bool { return s.pixel(400, 3) == background(s.colour) && s.pixel(635, 3) == background(s.colour) })
}

func TestTheThemeChangesInPlace(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	id := s.window()
	s.mu.Lock()
	s.colour = Light()
	s.mu.Unlock()
	s.Apply()
	s.shown()
	assert.Equal(t, id, s.window())
}

func TestOthersOnTheLoopKeepWhatTheySelected(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	require.True(t, s.Loop.Ask(func() {
		c := s.Loop.Conn.Conn
		xproto.ChangeWindowAttributes(c, s.Loop.Root, xproto.CwEventMask, []uint32{xproto.EventMaskSubstructureNotify})
		s.watch(s.Loop.Root, xproto.EventMaskPropertyChange)
		a, err := xproto.GetWindowAttributes(c, s.Loop.Root).Reply()
		require.NoError(t, err)
		assert.Equal(t, uint32(xproto.EventMaskSubstructureNotify|xproto.EventMaskPropertyChange), a.YourEventMask)
	}))
}

func TestTheBarGrowsWithTheUsersResolution(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	text := "Xft.dpi:\t192\n"
	xproto.ChangeProperty(s.other.Conn, xproto.PropModeReplace, s.other.Root, xproto.AtomResourceManager, xproto.AtomString, 8, uint32(len(text)), []byte(text))
	s.eventually("it is twice as high", func() bool { return s.pixel(500, 45) == background(s.colour) })
}

func TestABarKeepsRoomAtItsOwnEdgeOfTheScreen(t *testing.T) {
	screen := monitor{w: 3000, h: 1500}
	right := monitor{1000, 100, 2000, 1200, 0}
	assert.Equal(t, [12]uint32{0, 0, 126, 0, 0, 0, 0, 0, 1000, 2999, 0, 0}, strut(right, screen, 26, false))
	assert.Equal(t, [12]uint32{0, 0, 0, 226, 0, 0, 0, 0, 0, 0, 1000, 2999}, strut(right, screen, 26, true))
}

func TestAWindowManagerThatLosesTheRequestIsAskedAgain(t *testing.T) {
	s := start(t, "plain")
	s.shown()
	s.Loop.Ask(func() {
		s.win.mapped = false
		xproto.UnmapWindow(s.Loop.Conn.Conn, s.win.id)
		s.insist(mapAgain)
	})
	s.eventually("it is not mapped", func() bool { return s.pixel(500, 3) != background(s.colour) })
	s.clock.Advance(mapAgain)
	s.eventually("it is back", func() bool { return s.pixel(500, 3) == background(s.colour) })
	s.settled()
	assert.Nil(t, s.mapTimer)
}
