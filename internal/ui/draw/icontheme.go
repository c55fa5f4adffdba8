package draw

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// iconTheme is what of a theme's index is needed to find an icon in it.
type iconTheme struct {
	roots    []string // its directories, the user's first
	inherits []string
	dirs     []iconDir
}

// iconDir is one directory of a theme, for one size or some.
type iconDir struct {
	path     string
	size     int
	min, max int
}

// maxIconDirs bounds the directories of a theme; the largest have some 200.
const maxIconDirs = 1024

func readIconTheme(where []string, name string) iconTheme {
	var t iconTheme
	if name == "" || strings.ContainsRune(name, filepath.Separator) || strings.HasPrefix(name, ".") {
		return t
	}
	read := false
	for _, d := range where {
		root := filepath.Join(d, name)
		if s, err := os.Stat(root); err != nil || !s.IsDir() {
			continue
		}
		t.roots = append(t.roots, root)
		if !read {
			read = t.index(filepath.Join(root, "index.theme"))
		}
	}
	return t
}

// index reads an index.theme.
func (t *iconTheme) index(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	group := ""
	cur := iconDir{}
	kind, scale, threshold := "", 1, 2
	flush := func() {
		if group == "" || group == "Icon Theme" || cur.size == 0 || len(t.dirs) >= maxIconDirs {
			return
		}
		switch strings.ToLower(kind) {
		case "fixed":
			cur.min, cur.max = cur.size, cur.size
		case "scalable":
			if cur.min == 0 {
				cur.min = cur.size
			}
			if cur.max == 0 {
				cur.max = cur.size
			}
		default:
			cur.min, cur.max = cur.size-threshold, cur.size+threshold
		}
		cur.path = group
		cur.size, cur.min, cur.max = cur.size*scale, cur.min*scale, cur.max*scale
		t.dirs = append(t.dirs, cur)
	}
	for in := bufio.NewScanner(f); in.Scan(); {
		line := strings.TrimSpace(in.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			flush()
			group, cur = line[1:len(line)-1], iconDir{}
			kind, scale, threshold = "", 1, 2
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		n, _ := strconv.Atoi(value)
		switch key {
		case "Inherits":
			if group == "Icon Theme" {
				t.inherits = strings.Split(value, ",")
			}
		case "Size":
			cur.size = n
		case "MinSize":
			cur.min = n
		case "MaxSize":
			cur.max = n
		case "Type":
			kind = value
		case "Scale":
			scale = max(1, n)
		case "Threshold":
			threshold = n
		}
	}
	flush()
	return true
}

// find returns the file of an icon whose size is nearest: the right one, else
// the next larger, which looks better made smaller than a smaller one enlarged.
func (t *iconTheme) find(name string, size int) string {
	best, found := 1<<30, ""
	for _, d := range t.dirs {
		off := 0
		switch {
		case size < d.min:
			off = d.min - size
		case size > d.max:
			off = 4 * (size - d.max)
		}
		if off >= best {
			continue
		}
		for _, root := range t.roots {
			if path := iconFile(filepath.Join(root, d.path, name)); path != "" {
				best, found = off, path
				break
			}
		}
		if best == 0 {
			break
		}
	}
	return found
}
