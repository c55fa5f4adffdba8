package panel

import (
	"context"
	"hash/maphash"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// settle is the model of a panel in which text was typed and all answers came.
func settle(t testing.TB, e *flashlight.Engine, text string) (*model, *flashlight.Session) {
	t.Helper()
	s := e.OpenSession()
	t.Cleanup(s.Close)
	m := &model{icon: testIcon, preview: previewOf}
	m.begin(text)
	m.generation = s.Update(text)
	deadline := time.After(20 * time.Second)
	for {
		if v := s.View(); v.Generation == m.generation && !v.Pending {
			m.show(v)
			return m, s
		}
		select {
		case <-s.Changed():
		case <-deadline:
			t.Fatal("the view does not settle")
		}
	}
}

func newPainter(theme Theme, scale float32, round bool) *painter {
	return &painter{
		fonts: draw.NewFonts(draw.FontOptions{}), icons: draw.NewIcons(draw.IconOptions{}), theme: theme, round: round,
		mt: newMetrics(testConfig(), &theme, scale, image.Pt(4000, 4000)), seed: maphash.MakeSeed(),
	}
}

func paintAll(p *painter, m *model) *draw.Image {
	s := m.arrange(&p.mt, p.fonts)
	im := draw.NewImage(s.size.X, s.size.Y)
	p.forget()
	p.frame(m, s, im)
	return im
}

// TestThePanelPaintsEveryStateInEveryTheme paints the panel in its states. With FLASH_PANEL_PICTURES it
// leaves the pictures in that directory.
func TestThePanelPaintsEveryStateInEveryTheme(t *testing.T) {
	e, _ := newEngine(t)
	menu := func(m *model, s *flashlight.Session) {
		id, _ := m.entry()
		c, ok := s.Choose(context.Background(), id)
		require.True(t, ok)
		m.menu = newMenu(c, e.Actions(c))
	}
	shots := []struct {
		name  string
		text  string
		theme Theme
		scale float32
		do    func(m *model, s *flashlight.Session)
	}{
		{"light", "fire", lightTheme(), 1, nil},
		{"dark", "fire", darkTheme(), 1, nil},
		{"contrast-light", "fire", contrastLightTheme(), 1, nil},
		{"contrast-dark", "fire", contrastDarkTheme(), 1, nil},
		{"scripts", "everything", darkTheme(), 1, func(m *model, _ *flashlight.Session) { m.list.Select(1); m.hover = 3 }},
		{"scripts-light", "everything", lightTheme(), 1, func(m *model, _ *flashlight.Session) { m.list.Select(9) }},
		{"hidpi", "fire", lightTheme(), 2, nil},
		{"hidpi-dark", "fire", darkTheme(), 2, nil},
		{"menu", "firefox rel", darkTheme(), 1, menu},
		{"menu-light", "fire", lightTheme(), 1, func(m *model, s *flashlight.Session) { menu(m, s); m.menu.box.Insert("chr"); m.menu.filter() }},
		{"error", "@kitty.tabs x", darkTheme(), 1, nil},
		{"error-light", "fire", lightTheme(), 1, func(m *model, _ *flashlight.Session) {
			m.status = choose.Notice{Text: "no program opens links of the kind fire:; install one that does", Warn: true}
		}},
		{"answer", "0.1 + 0.2", darkTheme(), 1, nil},
		{"answer-light", "0.1 + 0.2", lightTheme(), 1, nil},
		{"completions", "@f", lightTheme(), 1, nil},
		{"preview", "func", darkTheme(), 1, nil},
		{"empty", "", lightTheme(), 1, nil},
		{"nothing", "qqqqq", darkTheme(), 1, nil},
		{"selection", "שלום and Latin", lightTheme(), 1, func(m *model, _ *flashlight.Session) { m.box.Select(0, 12) }},
	}
	for _, shot := range shots {
		t.Run(shot.name, func(t *testing.T) {
			m, s := settle(t, e, shot.text)
			p := newPainter(shot.theme, shot.scale, true)
			defer p.fonts.Drop()
			if shot.do != nil {
				m.arrange(&p.mt, p.fonts)
				shot.do(m, s)
			}
			im := paintAll(p, m)
			require.NotZero(t, im.Pix[len(im.Pix)/2+3])
			dir := os.Getenv("FLASH_PANEL_PICTURES")
			if dir == "" {
				return
			}
			f, err := os.Create(filepath.Join(dir, shot.name+".png"))
			require.NoError(t, err)
			require.NoError(t, png.Encode(f, im.Snapshot()))
			require.NoError(t, f.Close())
		})
	}
}
