package ax

import (
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/protocol"
)

func TestWindowsArePairedByTitleThenBySize(t *testing.T) {
	win := func(title string, w, h float64) *node {
		return &node{window: &desktop.Window{Title: title, Frame: protocol.Frame{Width: w, Height: h}}}
	}
	object := func(name string, w, h int32) *node {
		return &node{facts: facts{name: name, inWindow: &rect{W: w, H: h}}}
	}
	windows := []*node{win("b", 100, 100), win("retitled", 402, 320), win("b", 900, 900), win("alone", 5000, 5000)}
	objects := []*node{object("a", 400, 300), object("b", 100, 100), object("b", 900, 900), object("tiny", 1, 1)}
	pair(windows, objects)
	require.Same(t, objects[1], windows[0].twin)
	require.Same(t, objects[0], windows[1].twin)
	require.Same(t, objects[2], windows[2].twin)
	require.Nil(t, windows[3].twin)
	require.Nil(t, objects[3].twin)
}

func TestContentsLieInsideTheDecorations(t *testing.T) {
	w := desktop.Window{Frame: protocol.Frame{X: 10, Y: 20, Width: 204, Height: 130}} // 2 at the sides and below, 28 above
	p := placeOf(w, rect{W: 200, H: 100})
	require.Equal(t, &protocol.Frame{X: 12, Y: 22, Width: 200, Height: 100}, p.frame(rect{W: 200, H: 100}))
	require.Equal(t, &protocol.Frame{X: 17, Y: 102, Width: 10, Height: 10}, p.frame(rect{X: 5, Y: 10, W: 10, H: 10}))
}

func TestActionsAreFoundByTheirMacOSNames(t *testing.T) {
	for name, want := range map[string]int32{"AXPress": 1, "AXShowMenu": 0, "AXOpen": 2, "expand or contract": 3, "Frobnicate": -1, "AXConfirm": 1} {
		require.Equal(t, want, choose([]string{"ShowMenu", "click", "open", "expand or contract"}, name), name)
	}
}

func TestRolesAreThoseOfMacOS(t *testing.T) {
	require.Equal(t, "AXButton", roleName(43, 0))
	require.Equal(t, "AXTextField", roleName(roleText, 1<<stateSingleLine))
	require.Equal(t, "AXTextArea", roleName(roleText, 0))
	require.Equal(t, "AXGroup", roleName(4_000_000_000, 0))
	require.Equal(t, "AXSecureTextField", subrole(rolePassword, 0))
	require.Equal(t, "AXStandardWindow", subrole(roleFrame, 0))
	require.Equal(t, "AXDialog", subrole(roleDialog, 0))
	require.Empty(t, subrole(43, 0))
	require.True(t, ticks(roleToggle, 0))
	require.False(t, ticks(rolePageTab, 0))
}

func TestWhatTheWindowSystemKnowsIsAskedOfNoApp(t *testing.T) {
	require.True(t, needOf(broker.AXQuery{Windows: true, Collect: []string{"AXTitle", "AXWindowNumber", "AXNoSuch"}, Geometry: true}).windowsOnly())
	require.False(t, needOf(broker.AXQuery{Windows: true, Collect: []string{"AXTitle", "AXModal"}}).windowsOnly())
}

func TestErrorsOfWhatIsGoneAreTold(t *testing.T) {
	require.True(t, stale(dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown"}))
	require.True(t, stale(dbus.ErrClosed))
	require.False(t, stale(dbus.Error{Name: "org.freedesktop.DBus.Error.Failed"}))
	require.False(t, stale(errRefused))
}

func FuzzAValueIsReadOrRefused(f *testing.F) {
	for _, s := range []string{`"a"`, `1e3`, `true`, `null`, `{}`, `[1]`, `"x","w":1`, `1}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := parseValue(raw)
		if err != nil {
			return
		}
		switch v.(type) {
		case string, float64, bool:
		default:
			t.Fatalf("%T", v)
		}
	})
}
