package desktoptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// packages names the Debian package of a program whose name differs from it.
var packages = map[string]string{
	"Xvfb":                "xvfb",
	"Xwayland":            "xwayland",
	"at-spi-bus-launcher": "at-spi2-core",
	"at-spi2-registryd":   "at-spi2-core",
	"busctl":              "systemd",
	"dbus-monitor":        "dbus-bin",
	"dbus-send":           "dbus-bin",
	"gdbus":               "libglib2.0-bin",
	"i3":                  "i3-wm",
	"import":              "imagemagick",
	"setxkbmap":           "x11-xkb-utils",
	"swaymsg":             "sway",
	"wl-copy":             "wl-clipboard",
	"wl-paste":            "wl-clipboard",
	"xev":                 "x11-utils",
	"xhost":               "x11-xserver-utils",
	"xkbcomp":             "x11-xkb-utils",
	"xprop":               "x11-utils",
	"xrandr":              "x11-xserver-utils",
	"xrdb":                "x11-xserver-utils",
	"xset":                "x11-xserver-utils",
	"xwininfo":            "x11-utils",
}

// helpers are where programs lie that others start and nobody types.
var helpers = []string{"/usr/libexec", "/usr/lib/at-spi2-core", "/usr/lib"}

// require is the variable, and its value, with which nothing may be missing.
const (
	requireKey, requireValue = "FLASH_TEST_DISPLAY", "require"
	skipValue                = "skip" // skips all of them, whatever is installed
)

// Need skips the test if one of the programs is not installed and names the
// Debian packages that have them. With FLASH_TEST_DISPLAY=require it fails.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	if os.Getenv(requireKey) == skipValue {
		t.Skip(requireKey + " is " + skipValue)
	}
	var missing []string
	for _, p := range programs {
		if find(p) != "" {
			continue
		}
		name := packages[p]
		if name == "" {
			name = p
		}
		missing = append(missing, name)
	}
	if len(missing) == 0 {
		return
	}
	say := "this test needs programs that are not installed: apt-get install " + strings.Join(missing, " ")
	if os.Getenv(requireKey) == requireValue {
		t.Fatal(say)
	}
	t.Skip(say)
}

func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, dir := range helpers {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
