package login

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// temporary are the folders that are emptied, or that a restart empties.
func temporary(getenv func(string) string) []string {
	dirs := []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm", "/run/user"}
	if t := filepath.Clean(getenv("TMPDIR")); filepath.IsAbs(t) && t != "/" {
		dirs = append(dirs, t)
	}
	return dirs
}

// program is the path of this program that will still be its path after an
// upgrade, with a note where there is none.
//
// Package managers keep each version in a folder of its own and a link that
// stays; an application bundle stays itself and is replaced whole.
func (m *Manager) program() (path, note string, err error) {
	real, err := filepath.EvalSymlinks(m.o.Executable)
	if err != nil {
		return "", "", fmt.Errorf("the program that runs cannot be found again: %w", err)
	}
	if err := m.stays(real); err != nil {
		return "", "", err
	}
	if m.o.GOOS == "darwin" && strings.Contains(real, ".app/Contents/MacOS/") && !versioned(real) {
		return real, "", nil
	}
	for _, link := range m.links(real) {
		if to, err := filepath.EvalSymlinks(link); err == nil && to == real && !versioned(link) && m.stays(link) == nil {
			return link, "", nil
		}
	}
	if versioned(real) {
		note = real + " goes with the next upgrade, and no link to it is on PATH: run this again after an upgrade"
	}
	return real, note, nil
}

// stays refuses a place in which the program will not be found at the next login.
func (m *Manager) stays(path string) error {
	if strings.IndexFunc(path, unicode.IsControl) >= 0 {
		return fmt.Errorf("the path %q holds a control character; rename the folder", path)
	}
	if m.o.GOOS != "darwin" && strings.ContainsAny(path, "\"'`\\$") {
		return fmt.Errorf("systemd starts no program whose path holds a quote, a backslash or a dollar sign, as %s does; rename the folder", path)
	}
	if m.o.GOOS == "darwin" {
		switch {
		case strings.Contains(path, "/AppTranslocation/"):
			return fmt.Errorf("macOS runs this copy of Flash from a place of its own, as it does with a download that was never moved (%s); move Flash.app to /Applications with the Finder, open it there, and try again", path)
		case strings.HasPrefix(path, "/Volumes/"):
			return fmt.Errorf("%s is on a disk or disk image that may not be there at login; copy Flash.app to /Applications and try again with that one", path)
		}
	}
	for _, dir := range m.o.Temporary {
		if strings.HasPrefix(path, dir+"/") {
			return fmt.Errorf("%s is in %s, which does not keep what is in it; install Flash, or build it in a folder that stays, and try again with that one", path, dir)
		}
	}
	return nil
}

// links are where a link to the program may be, the best first.
func (m *Manager) links(real string) []string {
	var out []string
	name := filepath.Base(real)
	if prefix, rest, ok := strings.Cut(real, "/Cellar/"); ok {
		if formula, rest, ok := strings.Cut(rest, "/"); ok {
			if _, inside, ok := strings.Cut(rest, "/"); ok {
				out = append(out, filepath.Join(prefix, "opt", formula, inside))
			}
		}
		out = append(out, filepath.Join(prefix, "bin", name))
	}
	if _, inside, ok := strings.Cut(real, ".app/"); ok {
		out = append(out, "/Applications/Flash.app/"+inside)
	}
	for _, dir := range filepath.SplitList(m.o.Getenv("PATH")) {
		if filepath.IsAbs(dir) {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// versioned reports a path that holds a version which an upgrade takes away.
func versioned(path string) bool {
	for _, part := range [...]string{"/Cellar/", "/Caskroom/", "/nix/store/", "/gnu/store/", "/.asdf/installs/", "/mise/installs/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}
