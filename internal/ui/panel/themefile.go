package panel

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

const (
	maxThemeFile = 64 << 10
	maxRadius    = 40
)

// themeFile is a theme as a user writes it; what is absent is the base's.
type themeFile struct {
	Base      string            `toml:"base"`
	Radius    *int              `toml:"radius"`
	Underline *bool             `toml:"underline"`
	Font      string            `toml:"font"`
	Mono      string            `toml:"mono"`
	Colors    map[string]string `toml:"colors"`
}

// colors are the keys of [colors], in the order of the documentation.
func (t *Theme) colors() []struct {
	key string
	to  *draw.Color
} {
	return []struct {
		key string
		to  *draw.Color
	}{
		{"background", &t.Background}, {"border", &t.Border}, {"line", &t.Line}, {"text", &t.Text}, {"dim", &t.Dim},
		{"accent", &t.Accent}, {"selected", &t.Selected}, {"selected_text", &t.SelectedText}, {"selected_dim", &t.SelectedDim},
		{"hover", &t.Hover}, {"answer", &t.Answer}, {"answer_back", &t.AnswerBack}, {"warning", &t.Warning},
		{"badge", &t.Badge}, {"marked", &t.Marked},
	}
}

// LoadTheme returns the theme that a configuration names: "auto" or "", a
// built-in one, a file in the themes directory of configDir by its name, or a
// path. With an error it also returns the theme to use instead.
func LoadTheme(name, configDir string, a Appearance) (Theme, error) {
	if name == "" || name == "auto" {
		return Auto(a), nil
	}
	for _, b := range builtin {
		if b.name == name {
			if a.HighContrast && (name == "light" || name == "dark") {
				return Auto(Appearance{Dark: name == "dark", HighContrast: true}), nil
			}
			return b.theme(), nil
		}
	}
	path := name
	switch {
	case strings.HasPrefix(path, "~/"):
		home, _ := os.UserHomeDir()
		path = filepath.Join(home, path[2:])
	case !strings.ContainsRune(path, filepath.Separator):
		path = filepath.Join(configDir, "themes", name+".toml")
	case !filepath.IsAbs(path):
		path = filepath.Join(configDir, path)
	}
	t, err := readTheme(path, a)
	if err != nil {
		return Auto(a), err
	}
	return t, nil
}

func readTheme(path string, a Appearance) (Theme, error) {
	s, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return Theme{}, fmt.Errorf("theme %s is not there; write it, or set flashlight.theme to auto, light or dark", path)
	}
	if err == nil && (!s.Mode().IsRegular() || s.Size() > maxThemeFile) {
		err = fmt.Errorf("it is no file of at most %d KiB", maxThemeFile>>10)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s cannot be read: %w", path, err)
	}
	t, err := ParseTheme(data, a)
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", path, err)
	}
	return t, nil
}

// ParseTheme reads a theme file.
func ParseTheme(data []byte, a Appearance) (Theme, error) {
	var f themeFile
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Theme{}, tomlFault(err)
	}
	t := Auto(a)
	if f.Base != "" && f.Base != "auto" {
		found := false
		for _, b := range builtin {
			if b.name == f.Base {
				t, found = b.theme(), true
			}
		}
		if !found {
			return Theme{}, fmt.Errorf("base = %q is no theme; it is auto, light, dark, high-contrast-light or high-contrast-dark", f.Base)
		}
	}
	if f.Radius != nil {
		if *f.Radius < 0 || *f.Radius > maxRadius {
			return Theme{}, fmt.Errorf("radius = %d is not between 0 and %d", *f.Radius, maxRadius)
		}
		t.Radius = *f.Radius
	}
	if f.Underline != nil {
		t.Underline = *f.Underline
	}
	t.Font, t.Mono = cmp.Or(f.Font, t.Font), cmp.Or(f.Mono, t.Mono)
	known := t.colors()
	var keys []string
	for _, c := range known {
		keys = append(keys, c.key)
		v, ok := f.Colors[c.key]
		if !ok {
			continue
		}
		delete(f.Colors, c.key)
		if *c.to, ok = draw.ParseColor(v); !ok {
			return Theme{}, fmt.Errorf("colors.%s = %q is no colour; write #rgb, #rrggbb or #rrggbbaa", c.key, v)
		}
	}
	unknown := ""
	for k := range f.Colors {
		if unknown == "" || k < unknown {
			unknown = k
		}
	}
	if unknown != "" {
		return Theme{}, fmt.Errorf("colors.%s is no colour of a theme; they are %s", unknown, strings.Join(keys, ", "))
	}
	return t, nil
}

// tomlFault says where in the file the fault is.
func tomlFault(err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := unknown.Errors[0]
		line, column := e.Position()
		return fmt.Errorf("line %d, column %d: %s is no key of a theme; they are base, radius, underline, font, mono and [colors]", line, column, strings.Join(e.Key(), "."))
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		return fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return err
}
