package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the kernel's own limit on links in one path.
const maxLinks = 40

// watchDirs returns the directories whose entries decide what path leads to:
// the one that holds the file, each that holds a link on the way, and, where
// the way ends early, the deepest one that exists.
func watchDirs(path string) map[string]bool {
	dirs := map[string]bool{}
	at := "/"
	rest := components(filepath.Clean(path))
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		st, err := os.Lstat(next)
		switch {
		case err != nil || len(rest) == 0 && st.Mode()&fs.ModeSymlink == 0:
			dirs[at] = true
			return dirs
		case st.Mode()&fs.ModeSymlink != 0:
			dirs[at] = true
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return dirs
			}
			if filepath.IsAbs(target) {
				at = "/"
			}
			rest = append(components(target), rest...)
		default:
			at = next
		}
	}
	return dirs
}

func components(path string) []string {
	var out []string
	for c := range strings.SplitSeq(path, "/") {
		if c != "" && c != "." {
			out = append(out, c)
		}
	}
	return out
}
