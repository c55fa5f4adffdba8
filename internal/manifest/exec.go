package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// officialPrefix begins the names of the executables that come with Flash.
const officialPrefix = "flash-plugin-"

// resolver finds the executables of manifests.
type resolver struct {
	beside []string // folders of the running executable
	path   []string // the login PATH
}

// newResolver takes the folder that the running executable was called in and
// the one that it is really in: a link in ~/bin has no plugins beside it.
func newResolver(executable, loginPath string) resolver {
	var r resolver
	if executable != "" {
		r.beside = append(r.beside, filepath.Dir(executable))
		if real, err := filepath.EvalSymlinks(executable); err == nil {
			r.beside = append(r.beside, filepath.Dir(real))
		}
	}
	for _, dir := range filepath.SplitList(loginPath) {
		// A relative entry would mean another program in every folder.
		if filepath.IsAbs(dir) {
			r.path = append(r.path, dir)
		}
	}
	r.beside = slices.Compact(r.beside)
	return r
}

// resolve returns argv with an absolute program, or says why there is none.
func (r resolver) resolve(root string, argv []string) (resolved []string, fault string) {
	program, fault := r.program(root, argv[0])
	if fault != "" {
		return nil, fault
	}
	return append([]string{program}, argv[1:]...), ""
}

func (r resolver) program(root, name string) (path, fault string) {
	local, isLocal := strings.CutPrefix(name, "./")
	switch {
	case filepath.IsAbs(name):
		return name, notRunnable(name)
	case isLocal:
		if !filepath.IsLocal(local) {
			return "", fmt.Sprintf("exec %q leaves the plugin's folder", name)
		}
		path = filepath.Join(root, local)
		return path, notRunnable(path)
	case name == "" || strings.ContainsRune(name, filepath.Separator):
		return "", fmt.Sprintf("exec %q must be absolute, begin with ./, or be a bare name", name)
	}
	dirs := r.path
	if strings.HasPrefix(name, officialPrefix) {
		dirs = slices.Concat(r.beside, r.path)
	}
	for _, dir := range dirs {
		path = filepath.Join(dir, name)
		if notRunnable(path) == "" {
			return path, ""
		}
	}
	return "", fmt.Sprintf("exec %q is not on the login PATH: install it, or name it by its absolute path", name)
}

func notRunnable(path string) (fault string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Sprintf("exec %s cannot be used: %v", path, err)
	case !info.Mode().IsRegular():
		return fmt.Sprintf("exec %s is not a file", path)
	case info.Mode()&0o111 == 0:
		return fmt.Sprintf("exec %s is not executable: chmod +x it", path)
	}
	return ""
}

// file is one file of a plugin in one state.
type file struct {
	path  string
	size  int64
	mtime int64
	mode  os.FileMode
}

// filesOf returns the files that the child is made of: its program, what that
// links to, and the scripts that its arguments name.
func filesOf(root string, argv []string) []file {
	var files []file
	for i, arg := range argv {
		switch {
		case filepath.IsAbs(arg):
		case i > 0 && strings.HasPrefix(arg, "./"):
			arg = filepath.Join(root, arg)
		default:
			continue
		}
		info, err := os.Stat(arg)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		files = append(files, file{arg, info.Size(), info.ModTime().UnixNano(), info.Mode()})
		if real, err := filepath.EvalSymlinks(arg); err == nil && real != arg {
			files = append(files, file{real, info.Size(), info.ModTime().UnixNano(), info.Mode()})
		}
	}
	return files
}
