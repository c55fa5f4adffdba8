package panel

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// TestScreenshotsOfThePanelOnAScreen takes pictures of the whole screen into the directory that
// FLASH_PANEL_PICTURES names, for the documentation and to look at.
func TestScreenshotsOfThePanelOnAScreen(t *testing.T) {
	dir := os.Getenv("FLASH_PANEL_PICTURES")
	if dir == "" {
		t.Skip("FLASH_PANEL_PICTURES names no directory")
	}
	desktoptest.Need(t, "import")
	theme := darkTheme
	d := newDesk(t, func(o *Options) { o.Theme = func() Theme { return theme() } })
	background := func(c uint32) {
		xproto.ChangeWindowAttributes(d.hand.Conn.Conn, d.hand.Root, xproto.CwBackPixel, []uint32{c})
		xproto.ClearArea(d.hand.Conn.Conn, false, d.hand.Root, 0, 0, 0, 0)
		require.NoError(t, d.hand.Sync())
	}
	shoot := func(name string) {
		d.settled()
		d.until("the server has painted", func() bool { return d.panel.surface == nil || !d.panel.surface.busy })
		out, err := exec.Command("import", "-display", d.server.Display, "-window", "root", filepath.Join(dir, name+".png")).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	background(0x37506e)
	d.open(OpenOptions{Query: "fire"})
	d.ask(func() { d.panel.m.list.Height = 9 })
	shoot("screen-dark")
	d.tap(symControlL, 'k')
	d.until("the menu opens", func() bool { return d.panel.m.menu != nil })
	shoot("screen-menu")
	d.tap(symEscape)
	d.tap(symEscape)
	d.untilClosed()
	theme = lightTheme
	d.open(OpenOptions{Query: "everything"})
	shoot("screen-light")
	d.ask(d.panel.Close)

	// As on a fine screen, whose desktop sets this resource.
	xproto.ChangeProperty(d.hand.Conn.Conn, xproto.PropModeReplace, d.hand.Root, xproto.AtomResourceManager, xproto.AtomString, 8, 14, []byte("Xft.dpi:\t168\n\n"))
	require.NoError(t, d.hand.Sync())
	d.open(OpenOptions{Query: "fire"})
	shoot("screen-fine")
	d.ask(d.panel.Close)
}
