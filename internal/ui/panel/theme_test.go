package panel

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

func TestAThemeFileChangesItsBase(t *testing.T) {
	d := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(d, "themes"), 0o700))
	path := filepath.Join(d, "themes", "sea.toml")
	require.NoError(t, os.WriteFile(path, []byte("base = \"dark\"\nradius = 4\nfont = \"Inter\"\n[colors]\naccent = \"#0af\"\n"), 0o600))
	for _, name := range []string{"sea", path, "themes/sea.toml"} {
		got, err := LoadTheme(name, d, Appearance{})
		require.NoError(t, err, name)
		want := darkTheme()
		want.Radius, want.Font, want.Accent = 4, "Inter", draw.RGB(0x00aaff)
		assert.Equal(t, want, got)
	}
}

func TestAutoFollowsTheDesktop(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Appearance
		want Theme
	}{
		{"auto", Appearance{}, lightTheme()}, {"", Appearance{Dark: true}, darkTheme()}, {"auto", Appearance{HighContrast: true}, contrastLightTheme()},
		{"auto", Appearance{true, true}, contrastDarkTheme()}, {"light", Appearance{Dark: true}, lightTheme()}, {"dark", Appearance{HighContrast: true}, contrastDarkTheme()},
		{"high-contrast-light", Appearance{Dark: true}, contrastLightTheme()},
	} {
		got, err := LoadTheme(c.name, "/nowhere", c.a)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c)
	}
}

func TestAFaultOfAThemeSaysWhereAndWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"radius = 99":                        "radius = 99 is not between 0 and 40",
		"base = \"sepia\"":                   `base = "sepia" is no theme; it is auto, light, dark, high-contrast-light or high-contrast-dark`,
		"[colors]\naccent = \"blue\"":        `colors.accent = "blue" is no colour; write #rgb, #rrggbb or #rrggbbaa`,
		"[colors]\nfoo = \"#fff\"":           "colors.foo is no colour of a theme; they are background",
		"\nshadow = true":                    "line 2, column 1: shadow is no key of a theme",
		"radius = \"x\"":                     "line 1, column 10",
		"radius =":                           "line 1",
		"[colors]\naccent = \"#ff\"\nx=\"\"": "colors.accent",
	} {
		_, err := ParseTheme([]byte(text), Appearance{})
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want)
	}
	got, err := LoadTheme("gone", "/nowhere", Appearance{Dark: true})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "/nowhere/themes/gone.toml is not there")
	assert.Equal(t, darkTheme(), got, "with an error comes a theme to go on with")
}

// contrast is WCAG's ratio of the luminances of two colours.
func contrast(a, b draw.Color) float64 {
	l := func(c draw.Color) float64 {
		f := func(v uint8) float64 {
			x := float64(v) / 255
			if x <= 0.03928 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*f(c.R) + 0.7152*f(c.G) + 0.0722*f(c.B)
	}
	x, y := l(a), l(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestTextCanBeReadInEveryTheme(t *testing.T) {
	for _, b := range builtin {
		th := b.theme()
		least := 4.5
		if th.Contrast {
			least = 7
		}
		for name, pair := range map[string][2]draw.Color{
			"text": {th.Text, th.Background}, "dim": {th.Dim, th.Background}, "accent": {th.found(false), th.Background}, "warning": {th.Warning, th.Background},
			"selected": {th.SelectedText, th.Selected}, "selected dim": {th.SelectedDim, th.Selected}, "selected accent": {th.found(true), th.Selected},
			"answer": {th.Answer, th.AnswerBack}, "badge": {th.Dim, th.Badge}, "hover": {th.Text, th.Hover},
		} {
			assert.GreaterOrEqual(t, contrast(pair[0], pair[1]), least, "%s in %s", name, b.name)
		}
	}
}

func TestWithHighContrastAnEmptyBoxSaysSoInFullColour(t *testing.T) {
	for _, b := range builtin {
		th := b.theme()
		assert.Equal(t, th.Contrast, th.faint().A == 255, b.name)
	}
}

func TestTheKeyBesideTheSelectedActionShowsInEveryTheme(t *testing.T) {
	for _, b := range builtin {
		th := b.theme()
		p := newPainter(th, 1, true)
		m := &model{}
		m.menu = newMenu(flashlight.Choice{}, []flashlight.Action{{Title: "Open"}, {ID: "copy", Title: "Copy"}})
		s := m.arrange(&p.mt, p.fonts)
		im := draw.NewImage(s.size.X, s.size.Y)
		p.frame(m, s, im)
		p.fonts.Drop()
		require.NotEmpty(t, s.actions, b.name)
		row := s.actions[0]
		most := 0.0
		for x := row.Max.X - row.Dx()/8; x < row.Max.X-p.mt.pad; x++ {
			for y := row.Min.Y + row.Dy()/4; y < row.Max.Y-row.Dy()/4; y++ {
				px := im.Pix[y*im.Stride+x*4:]
				most = max(most, contrast(draw.Color{R: px[2], G: px[1], B: px[0]}, th.Selected))
			}
		}
		assert.Greater(t, most, 3.0, b.name)
	}
}

func FuzzAThemeIsReadOrRefused(f *testing.F) {
	f.Add([]byte("base = \"dark\"\n[colors]\naccent = \"#0af\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if th, err := ParseTheme(data, Appearance{}); err == nil {
			assert.LessOrEqual(t, th.Radius, maxRadius)
		}
	})
}
