package bar

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// TestScreenshotsOfTheBarOnAScreen takes pictures of the whole screen into the directory that
// FLASH_BAR_PICTURES names, for the documentation and to look at.
func TestScreenshotsOfTheBarOnAScreen(t *testing.T) {
	dir := os.Getenv("FLASH_BAR_PICTURES")
	if dir == "" {
		t.Skip("FLASH_BAR_PICTURES names no directory")
	}
	desktoptest.Need(t, "import")
	s := start(t, "#[reverse,bold] work #[default] vim#[align=centre]#[click=@calendar]#{T:%a %d %b  %H:%M}"+
		"#[align=right]#[click=:cpu refresh]#[dim]CPU#[nodim] #{spark:flash.plugin.cpu.history} #{flash.plugin.cpu.percent}#[norange]   "+
		"#[dim]MEM#[nodim] #{meter/7:flash.plugin.cpu.summary} #{flash.plugin.cpu.summary}   "+
		"#[fg=#{?#{>=:flash.plugin.cpu.summary,60},red,default},bold]BAT 18%")
	s.cpu("percent", "37%", "history", "▁▁▂▂▁▃▅▇█▆▄▃▂▂▃▄▃▂▃▃", "summary", "62%", "details", "4 processors: 12% 48% 39% 49%, load 0.91 0.70 0.44, pressure 0.00%")
	h, err := s.server.Hand()
	require.NoError(t, err)
	defer h.Close()
	for _, shot := range []struct {
		name  string
		theme Theme
		back  uint32
		at    string
	}{{"dark", Dark(), 0x34506b, "top"}, {"light", Light(), 0xcfd8e3, "top"}, {"bottom", Dark(), 0x34506b, "bottom"}} {
		s.mu.Lock()
		s.colour = shot.theme
		s.mu.Unlock()
		xproto.ChangeWindowAttributes(h.Conn.Conn, h.Root, xproto.CwBackPixel, []uint32{shot.back})
		xproto.ClearArea(h.Conn.Conn, false, h.Root, 0, 0, 0, 0)
		s.reconfigure(func(c *config.StatusBar) { c.Position = shot.at })
		y := int16(12)
		if shot.at == "bottom" {
			y = 790
		}
		s.eventually("the bar is shown", func() bool { return s.pixel(200, y-9) == background(s.colour) })
		h.MoveTo(500, 400)
		h.MoveTo(720, y)
		require.NoError(t, h.Sync())
		s.eventually("the hover text shows", func() bool {
			s.clock.Advance(tipDelay)
			shown := false
			s.Loop.Ask(func() { shown = s.tip != nil })
			return shown
		})
		s.settled()
		out, err := exec.Command("import", "-display", s.server.Display, "-window", "root", filepath.Join(dir, shot.name+".png")).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
