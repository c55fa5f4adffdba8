// Package bundle holds what can be decided about macOS applications without
// macOS: where they lie, which of them count, and the argument lists of the
// system's own tools. It asks no framework and starts nothing, so that it is
// tested wherever the project is built.
package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suffix ends the name of an application bundle.
const Suffix = ".app"

// Depth is how far below a root applications are looked for: vendors put theirs
// into a folder of their own, and none nests deeper.
const Depth = 2

// Roots lists where applications lie, the most important first: what the user
// or an administrator installed stands before what came with the system.
func Roots(home string) []string {
	roots := []string{"/Applications", "/System/Applications", "/System/Library/CoreServices/Applications"}
	if filepath.IsAbs(home) {
		roots = slices.Insert(roots, 0, filepath.Join(home, "Applications"))
	}
	return roots
}

// Find lists the bundles below the roots, in the order of the roots and by
// path inside one. It never looks into a bundle: the helpers in there are not
// the user's applications.
func Find(roots []string) []string {
	var out []string
	for _, r := range roots {
		out = find(out, r, Depth)
	}
	return out
}

func find(out []string, dir string, depth int) []string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, d := range list {
		p := filepath.Join(dir, d.Name())
		if strings.HasPrefix(d.Name(), ".") || !isDir(d, p) {
			continue
		}
		if strings.HasSuffix(d.Name(), Suffix) {
			out = append(out, p)
		} else if depth > 0 {
			out = find(out, p, depth-1)
		}
	}
	return out
}

func isDir(d os.DirEntry, path string) bool {
	if d.Type()&os.ModeSymlink == 0 {
		return d.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Info is what a bundle says of itself.
type Info struct{ ID, Name, PlainName, Program, Path string }

// Describe fills what a bundle leaves out or says for a Finder window: the
// display name may carry the suffix, and the file's name is the one that
// people know from other languages.
func Describe(path, id, display, executable string) Info {
	plain := strings.TrimSuffix(filepath.Base(path), Suffix)
	name := strings.TrimSuffix(display, Suffix)
	if name == "" {
		name = plain
	}
	if plain == name {
		plain = ""
	}
	program := ""
	if executable != "" {
		program = filepath.Base(executable)
	}
	return Info{ID: id, Name: name, PlainName: plain, Program: program, Path: path}
}

// Unique drops bundles without an id and all but the first of each id, and
// orders the rest by id.
func Unique(infos []Info) []Info {
	seen := map[string]bool{}
	var out []Info
	for _, i := range infos {
		if i.ID != "" && !seen[i.ID] {
			seen[i.ID] = true
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// regular is NSApplicationActivationPolicyRegular: an application with a Dock
// icon. The others are agents and helpers that nobody switches to.
const regular = 0

// Counts reports whether a running process is an application to list.
func Counts(policy int, id string, pid int) bool { return policy == regular && id != "" && pid > 0 }

// OpenArgs is the call of open(1) that starts an application, or brings a
// running one to the front, with what it is to open.
func OpenArgs(id string, urls []string) []string {
	return append([]string{"/usr/bin/open", "-b", id}, urls...)
}

// NotifyArgs is the call of osascript(1) that shows a notification. The texts
// are arguments of the script and never part of it.
func NotifyArgs(title, body string) []string {
	return []string{
		"/usr/bin/osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
		"--", title, body,
	}
}
