package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Files is the little of a file system that building a policy looks at.
type Files interface {
	// Resolve returns the canonical path, symlinks resolved; it fails when
	// the path does not exist.
	Resolve(path string) (string, error)
	Readlink(path string) (string, error)
	Glob(pattern string) []string
	IsDir(path string) bool
	// MakeDir makes a directory for the owner alone; one that is there already
	// must be the owner's.
	MakeDir(path string) error
	Open(path string) (*os.File, error)
}

type osFiles struct{}

func (osFiles) Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }

// policyFiles is the real file system while one policy is made. It resolves each
// directory once: two hundred paths of a policy have few above them, and looking
// at those again and again took longer than all else that a start prepares.
type policyFiles struct {
	osFiles
	known map[string]resolved
}

type resolved struct {
	path string
	err  error
}

func (f *policyFiles) Resolve(path string) (string, error) {
	dir := filepath.Dir(path)
	if !filepath.IsAbs(path) || path != filepath.Clean(path) || dir == path {
		return f.osFiles.Resolve(path) // such as `..` behind a symlink
	}
	if k, ok := f.known[path]; ok {
		return k.path, k.err
	}
	var k resolved
	if k.path, k.err = f.Resolve(dir); k.err == nil {
		k.path = filepath.Join(k.path, filepath.Base(path))
		var info os.FileInfo
		switch info, k.err = os.Lstat(k.path); {
		case k.err != nil:
			k.path = ""
		case info.Mode()&os.ModeSymlink != 0:
			k.path, k.err = f.osFiles.Resolve(k.path)
		}
	}
	f.known[path] = k
	return k.path, k.err
}

// MakeDir forgets what was not there before.
func (f *policyFiles) MakeDir(path string) error {
	clear(f.known)
	return f.osFiles.MakeDir(path)
}

func (osFiles) Readlink(path string) (string, error) { return os.Readlink(path) }

func (osFiles) Glob(pattern string) []string {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	return matches
}

func (osFiles) IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (osFiles) MakeDir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() {
		return errors.New("it is no directory of this user")
	}
	return nil
}

func (osFiles) Open(path string) (*os.File, error) { return os.Open(path) }

// expandPath understands a leading ~, a leading XDG or TMPDIR variable with the
// defaults of the XDG specification, and the user's number as $UID at the end
// of a name. Anything else is taken as it is: a manifest is not a shell script.
func expandPath(path, home string, getenv func(string) string) string {
	path = strings.ReplaceAll(path+"/", "$UID/", strconv.Itoa(os.Getuid())+"/")
	path = strings.TrimSuffix(path, "/")
	head, rest, _ := strings.Cut(path, "/")
	var base string
	switch head {
	case "~":
		base = home
	case "$XDG_CONFIG_HOME":
		base = envOr(getenv, "XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	case "$XDG_DATA_HOME":
		base = envOr(getenv, "XDG_DATA_HOME", filepath.Join(home, ".local/share"))
	case "$XDG_STATE_HOME":
		base = envOr(getenv, "XDG_STATE_HOME", filepath.Join(home, ".local/state"))
	case "$XDG_CACHE_HOME":
		base = envOr(getenv, "XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	case "$XDG_RUNTIME_DIR":
		base = getenv("XDG_RUNTIME_DIR")
		if base == "" {
			return path
		}
	case "$TMPDIR":
		base = envOr(getenv, "TMPDIR", "/tmp")
	default:
		return path
	}
	return filepath.Join(base, rest)
}

func envOr(getenv func(string) string, key, fallback string) string {
	if v := getenv(key); v != "" {
		return v
	}
	return fallback
}

// resolveFar resolves as much of the path as exists, so that a secret below a
// symlinked home is compared by its real place even before it is there.
func resolveFar(files Files, path string) string {
	path = filepath.Clean(path)
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := files.Resolve(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// linkDirs lists the directories that hold a symlink on the way to a path. A
// child's own root has to show them, or the path cannot be walked.
func linkDirs(files Files, path string) []string {
	var dirs []string
	for range 40 { // the kernel's limit on symlinks in one path
		link, rest, ok := firstLink(files, path)
		if !ok {
			break
		}
		dirs = append(dirs, filepath.Dir(link))
		target, err := files.Readlink(link)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, rest)
	}
	return dirs
}

func firstLink(files Files, path string) (link, rest string, ok bool) {
	for _, dir := range append(parents(path), path) {
		if _, err := files.Readlink(dir); err == nil {
			return dir, strings.TrimPrefix(path[len(dir):], "/"), true
		}
	}
	return "", "", false
}

// parents lists the directories above a path, outermost first, without "/".
func parents(path string) []string {
	var list []string
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			list = append(list, path[:i])
		}
	}
	return list
}

// within says whether path is dir or lies below it.
func within(path, dir string) bool {
	if dir == "/" || path == dir {
		return true
	}
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}

func below(path, dir string) bool { return path != dir && within(path, dir) }

func sortedUnique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
