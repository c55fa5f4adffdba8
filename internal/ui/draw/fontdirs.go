package draw

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// fontDirs are where a machine keeps its fonts, the user's first.
func fontDirs() []string {
	home, _ := os.UserHomeDir()
	if runtime.GOOS == "darwin" {
		return []string{filepath.Join(home, "Library/Fonts"), "/Library/Fonts", "/System/Library/Fonts"}
	}
	var out []string
	for _, d := range dataDirs() {
		out = append(out, filepath.Join(d, "fonts"))
	}
	return append(out, filepath.Join(home, ".fonts"))
}

// dataDirs are XDG_DATA_HOME and XDG_DATA_DIRS, or what they are when unset.
func dataDirs() []string {
	home, _ := os.UserHomeDir()
	out := []string{cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local/share"))}
	for _, d := range filepath.SplitList(cmp.Or(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share")) {
		if filepath.IsAbs(d) {
			out = append(out, filepath.Clean(d))
		}
	}
	return out
}

// usualFamilies are what desktops use for interface text, where the user's
// settings name none.
var usualFamilies = [...]string{
	"Inter", "Adwaita Sans", "Cantarell", "Ubuntu Sans", "Ubuntu", "Noto Sans", "Open Sans", "Roboto", "Fira Sans",
	"DejaVu Sans", "Liberation Sans", "Helvetica Neue", "Helvetica", "Arial", "FreeSans", "Droid Sans",
}

// gtkSetting reads a key of the settings that GTK programs, and the desktops
// that set them up, share. Empty is none.
func gtkSetting(key string) string {
	home, _ := os.UserHomeDir()
	conf := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	for _, v := range [...]string{"gtk-4.0", "gtk-3.0"} {
		f, err := os.Open(filepath.Join(conf, v, "settings.ini"))
		if err != nil {
			continue
		}
		value := ""
		for in := bufio.NewScanner(f); in.Scan(); {
			if k, v, ok := strings.Cut(in.Text(), "="); ok && strings.TrimSpace(k) == key {
				value = strings.Trim(strings.TrimSpace(v), `"`)
			}
		}
		f.Close()
		if value != "" {
			return value
		}
	}
	return ""
}

// familyOf takes the size off a font's name such as "Cantarell 11".
func familyOf(name string) string {
	if i := strings.LastIndexByte(name, ' '); i > 0 && strings.Trim(name[i+1:], "0123456789.") == "" {
		name = name[:i]
	}
	return strings.TrimSuffix(strings.TrimSpace(name), ",")
}
