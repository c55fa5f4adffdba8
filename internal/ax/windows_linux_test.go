package ax_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/protocol"
)

// shown is a window system that shows what a test says.
type shown struct {
	mu        sync.Mutex
	list      []desktop.Window
	activated []int64
}

func (s *shown) set(w ...desktop.Window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = w
}

func (s *shown) List(context.Context) ([]desktop.Window, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), nil
}

func (s *shown) Focused(context.Context) (desktop.Window, bool, error) {
	return desktop.Window{}, false, nil
}

func (s *shown) Activate(_ context.Context, _ int, window int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activated = append(s.activated, window)
	return nil
}

func (s *shown) Watch(context.Context, func(desktop.WindowChange)) error { return nil }

const screenHeight = 800

// window reads an X window's place, in the wire's geometry.
func (d *desk) window(t *testing.T, id, title string, pid int) desktop.Window {
	t.Helper()
	n, err := strconv.ParseInt(id, 10, 64)
	require.NoError(t, err)
	at := map[string]float64{}
	for line := range strings.Lines(d.Run("xdotool", "getwindowgeometry", "--shell", id)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			at[k], _ = strconv.ParseFloat(v, 64)
		}
	}
	return desktop.Window{
		ID: n, PID: pid, Title: title,
		Frame: protocol.Frame{X: at["X"], Y: screenHeight - at["Y"] - at["HEIGHT"], Width: at["WIDTH"], Height: at["HEIGHT"]},
	}
}

var ofWindows = []string{"AXTitle", "AXRole", "AXWindowNumber", "AXMain", "AXMinimized"}

func TestWindowsAreListedWithoutAskingTheApp(t *testing.T) {
	screen := &shown{}
	screen.set(
		desktop.Window{ID: 7, PID: 5, Title: "ü", Minimized: true, Frame: protocol.Frame{X: 1, Y: 2, Width: 3, Height: 4}},
		desktop.Window{ID: 8, PID: 6, Title: "another's"},
		desktop.Window{ID: 9, PID: 5, Title: "front", Frame: protocol.Frame{X: 1, Y: 2, Width: 3, Height: 4}},
	)
	// There is no bus at all.
	o := ax.New(t.Context(), ax.Options{Windows: screen})
	defer func() { require.NoError(t, o.Close()) }()
	d := &desk{o: o}
	nodes, _ := d.look(t, broker.AXQuery{PID: 5, Windows: true, Collect: ofWindows, Geometry: true, MaxNodes: 3000})
	require.Len(t, nodes, 2)
	require.JSONEq(t, `{"AXTitle":"ü","AXRole":"AXWindow","AXWindowNumber":7,"AXMain":false,"AXMinimized":true}`, string(nodes[0].Attrs))
	require.JSONEq(t, `{"AXTitle":"front","AXRole":"AXWindow","AXWindowNumber":9,"AXMain":true,"AXMinimized":false}`, string(nodes[1].Attrs))
	require.Equal(t, &protocol.Frame{X: 1, Y: 2, Width: 3, Height: 4}, nodes[1].Frame)
	none, _ := d.look(t, broker.AXQuery{PID: 77, Windows: true, Collect: ofWindows})
	require.Empty(t, none)

	// Also where more was asked for than there is.
	app, _ := d.look(t, broker.AXQuery{PID: 5, Follow: []string{"AXChildren"}, Collect: append(ofWindows, "AXValue")})
	require.Len(t, app, 3)
	require.Equal(t, "AXApplication", app[0].attrs["AXRole"])
	require.Equal(t, 0, app[2].Parent)

	require.NoError(t, o.Perform(t.Context(), nodes[0].Element, "AXRaise"))
	require.NoError(t, o.Set(t.Context(), nodes[1].Element, "AXMain", []byte("true")))
	require.Equal(t, []int64{7, 9}, screen.activated)
	require.Error(t, o.Perform(t.Context(), nodes[0].Element, "AXPress"))
	screen.set()
	require.ErrorIs(t, o.Perform(t.Context(), nodes[0].Element, "AXRaise"), broker.ErrStaleElement)
}

func TestATerminalThatShowsNothingElseHasItsWindow(t *testing.T) {
	desktoptest.Need(t, "xterm", "xdotool")
	screen := &shown{}
	d := newDesk(t, func(o *ax.Options) { o.Windows = screen })
	p := d.Start("xterm", "-T", "a terminal")
	id := d.Window("^a terminal$")
	screen.set(d.window(t, id, "a terminal", p.PID()))
	nodes, truncated := d.look(t, broker.AXQuery{PID: p.PID(), Windows: true, Follow: []string{"AXChildren"}, Collect: everything, Geometry: true})
	require.False(t, truncated)
	require.Len(t, nodes, 1)
	require.Equal(t, "a terminal", nodes[0].attrs["AXTitle"])
}

func TestWhatIsInAWindowIsWhereTheWindowSystemHasIt(t *testing.T) {
	screen := &shown{}
	d := newDesk(t, func(o *ax.Options) { o.Windows = screen })
	p, id := d.dialog(t, "dialog")
	window := d.window(t, id, "dialog", p.PID())
	window.Frame.X += 2000 // the window system's word counts
	screen.set(window, desktop.Window{ID: 3, PID: p.PID(), Title: "not on the bus", Frame: protocol.Frame{Width: 1, Height: 1}})
	nodes, _ := d.look(t, broker.AXQuery{PID: p.PID(), Windows: true, Follow: []string{"AXChildren"}, Collect: append(everything, "AXWindowNumber"), Geometry: true})
	top := find(t, nodes, "AXWindow", "dialog")
	require.EqualValues(t, window.ID, top.attrs["AXWindowNumber"])
	require.Equal(t, window.Frame, *top.Frame)
	find(t, nodes, "AXWindow", "not on the bus")
	ok := find(t, nodes, "AXButton", "OK")
	require.Greater(t, ok.Frame.X, window.Frame.X)
	require.Greater(t, ok.Frame.Y, window.Frame.Y)
	require.Less(t, ok.Frame.X+ok.Frame.Width, window.Frame.X+window.Frame.Width)
	require.Less(t, ok.Frame.Y+ok.Frame.Height, window.Frame.Y+window.Frame.Height)
	// The button is where a click presses it.
	x, y := int16(ok.Frame.X-2000+ok.Frame.Width/2), int16(screenHeight-ok.Frame.Y-ok.Frame.Height/2)
	hand, err := d.X().Hand()
	require.NoError(t, err)
	defer hand.Close()
	hand.MoveTo(x, y)
	hand.Click(1)
	require.NoError(t, hand.Sync())
	<-p.Done()
}
