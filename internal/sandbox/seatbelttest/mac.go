package seatbelttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Mac is a made-up macOS file system for policies (sandbox.Files): /var, /tmp
// and /etc are links into /private, and only what was added exists, with the
// directories above it.
type Mac struct {
	files map[string]bool // true for a directory
	links map[string]string
	macho string
	// Made lists the directories that a policy had made.
	Made []string
}

// Where things are on the made-up machine.
const (
	Home    = "/Users/u"
	Support = Home + "/Library/Application Support/Flash"
	Bundle  = "/Applications/Flash.app/Contents"
	// Brew is where programs are that do not come with the system.
	Brew = "/opt/homebrew/bin"
	// DataDirs holds the data directory of every plugin.
	DataDirs = Support + "/data"
)

// NewMac has what every Mac has, and a home with secrets.
func NewMac(tb testing.TB) *Mac {
	tb.Helper()
	// To a policy every Mach-O looks alike: no script, no ELF file.
	macho := filepath.Join(tb.TempDir(), "macho")
	if err := os.WriteFile(macho, []byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01"), 0o755); err != nil {
		tb.Fatal(err)
	}
	m := &Mac{
		files: map[string]bool{"/": true},
		links: map[string]string{"/var": "/private/var", "/tmp": "/private/tmp", "/etc": "/private/etc"},
		macho: macho,
	}
	m.Add("/private/etc/passwd", "/private/etc/master.passwd", "/private/etc/ssl/cert.pem", "/private/tmp/", "/private/var/run/",
		"/System/Library/CoreServices/", "/usr/lib/dyld", "/usr/share/zoneinfo/", "/bin/sh", "/usr/bin/true", "/usr/bin/id",
		"/dev/null", "/dev/zero", "/dev/urandom", Brew+"/", "/opt/homebrew/lib/", "/opt/homebrew/var/postgresql@17/PG_VERSION", "/opt/homebrew/etc/redis.conf", "/usr/local/bin/", "/usr/libexec/",
		Home+"/.ssh/id_ed25519", Home+"/.ssh/config", Home+"/.config/gh/hosts.yml", Home+"/.config/app.toml", Home+"/.bashrc",
		Home+"/.zsh_history", Home+"/docs/note.txt", Home+"/Library/Keychains/login.keychain-db",
		Home+"/Library/Safari/History.db", DataDirs+"/plugins/other/secret", Support+"/state/rank", Support+"/run/flash.sock",
		Home+"/Library/Logs/Flash/flash.log")
	return m
}

// Add makes files, and directories where the path ends with a slash.
func (m *Mac) Add(paths ...string) {
	for _, path := range paths {
		dir := strings.HasSuffix(path, "/")
		path = m.resolve(filepath.Clean(path))
		m.files[path] = m.files[path] || dir
		for up := filepath.Dir(path); up != "/"; up = filepath.Dir(up) {
			m.files[up] = true
		}
	}
}

// Link makes a symlink.
func (m *Mac) Link(target, link string) {
	link = m.resolve(link)
	m.Add(filepath.Dir(link) + "/")
	m.links[link] = target
}

// resolve follows links as far as the path exists, and is the canonical path.
func (m *Mac) resolve(path string) string {
	for range 40 { // the kernel's limit on symlinks in one path
		link := ""
		for _, up := range append(ancestors(path), path) {
			if _, ok := m.links[up]; ok {
				link = up
				break
			}
		}
		if link == "" {
			return path
		}
		target := m.links[link]
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, strings.TrimPrefix(path, link))
	}
	return path
}

func ancestors(path string) []string {
	var list []string
	for up := filepath.Dir(path); up != "/"; up = filepath.Dir(up) {
		list = append(list, up)
	}
	slices.Reverse(list)
	return list
}

// Canonical is where a path leads, whether all of it exists or not.
func (m *Mac) Canonical(path string) string { return m.resolve(filepath.Clean(path)) }

// Resolve is part of sandbox.Files, as are the rest.
func (m *Mac) Resolve(path string) (string, error) {
	real := m.Canonical(path)
	if _, ok := m.files[real]; !ok {
		return "", &fs.PathError{Op: "lstat", Path: path, Err: fs.ErrNotExist}
	}
	return real, nil
}

func (m *Mac) Readlink(path string) (string, error) {
	if target, ok := m.links[path]; ok {
		return target, nil
	}
	return "", &fs.PathError{Op: "readlink", Path: path, Err: fs.ErrInvalid}
}

func (m *Mac) Glob(pattern string) []string {
	var list []string
	for path := range m.files {
		if ok, err := filepath.Match(pattern, path); err == nil && ok {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

func (m *Mac) IsDir(path string) bool { return m.files[m.resolve(path)] }

func (m *Mac) MakeDir(path string) error {
	m.Made = append(m.Made, path)
	m.Add(path + "/")
	return nil
}

func (m *Mac) Open(path string) (*os.File, error) {
	real, err := m.Resolve(path)
	if err != nil {
		return nil, err
	}
	if m.files[real] {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	return os.Open(m.macho)
}

// On is the arguments of the attempt at some places, as the kernel sees them.
// Deeds on a name do not follow it where it is a link itself.
func (a Attempt) On(m *Mac, at Places) []string {
	named := slices.Contains([]string{"rename", "remove", "link", "symlink"}, a.Deed)
	var args []string
	for _, arg := range a.Args {
		arg = at.In(arg)
		switch {
		case strings.HasPrefix(arg, "/") && named && arg != "/":
			arg = filepath.Clean(arg)
			arg = filepath.Join(m.Canonical(filepath.Dir(arg)), filepath.Base(arg))
		case strings.HasPrefix(arg, "/"):
			arg = m.Canonical(arg)
		}
		args = append(args, arg)
	}
	return args
}

// OnDarwin lists the attempts that are held on macOS, with their deeds.
func OnDarwin() ([]Attempt, []Deed) {
	var attempts []Attempt
	var deeds []Deed
	for _, a := range Attempts {
		if d, ok := DeedOf(a.Deed); ok && a.NotOnDarwin == "" && d.NotOnDarwin == "" {
			attempts, deeds = append(attempts, a), append(deeds, d)
		}
	}
	return attempts, deeds
}
