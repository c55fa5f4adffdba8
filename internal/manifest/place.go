package manifest

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// officialPlaces are relative to the folder that bin is in.
var officialPlaces = [...]string{"share/flash/plugins", "Resources/plugins", "plugins"}

// NoOfficial is the fault of a build that has lost its plugins: dir is where
// OfficialDir found them to be, or "".
func NoOfficial(dir string) Fault {
	if dir != "" {
		return Fault{Path: dir, Problems: []string{"holds none of the plugins that come with Flash; install Flash anew"}}
	}
	exe, err := os.Executable()
	if err != nil {
		exe = "flash"
	}
	return Fault{Path: exe, Problems: []string{"the plugins that come with Flash are in none of ../" + strings.Join(officialPlaces[:], ", ../") +
		"; leave the program where it was installed and link to it, or name their folder in FLASH_OFFICIAL_PLUGINS"}}
}

// OfficialDir finds the plugins that belong to the build of the program exe
// ("" is this one), "" when there are none: in a checkout beside bin, in a
// package under share, in a macOS bundle under Resources.
func OfficialDir(exe string) string {
	if dir := os.Getenv("FLASH_OFFICIAL_PLUGINS"); dir != "" {
		return dir
	}
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return ""
		}
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	base := filepath.Dir(filepath.Dir(exe))
	for _, rel := range officialPlaces {
		dir := filepath.Join(base, rel)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// LoginPath is the PATH that a login shell would have: a resident started by a
// desktop session often lacks the user's own folders.
func LoginPath() string {
	path := os.Getenv("PATH")
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	extra := []string{filepath.Join(home, ".local/bin"), filepath.Join(home, "bin"), "/usr/local/bin", "/usr/bin", "/bin"}
	if runtime.GOOS == "darwin" {
		extra = append([]string{"/opt/homebrew/bin"}, extra...)
	}
	have := filepath.SplitList(path)
	for _, dir := range extra {
		if !slices.Contains(have, dir) {
			have = append(have, dir)
		}
	}
	return strings.Join(have, string(os.PathListSeparator))
}
