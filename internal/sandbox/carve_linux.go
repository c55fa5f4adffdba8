package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// carve turns grants into rules of an allow-list that has no way to deny
// below a grant: a grant that holds a secret is replaced by its entries,
// recursively, without the secrets. What is created later directly in such a
// directory stays closed until the next start.
//
// A carved directory itself may be listed only with listCarved, because
// Landlock rights reach down: listing would show the secrets' file names,
// which the namespace way masks by mount and the thread way cannot.
func (p *Policy) carve(grants []rule, listCarved bool, readdir func(string) []os.DirEntry) []rule {
	var rules []rule
	var descend func(dir string, rights right)
	descend = func(dir string, rights right) {
		if !p.holdsSecret(dir) {
			rules = append(rules, rule{dir, rights})
			return
		}
		if listCarved {
			rules = append(rules, rule{dir, rightList})
		}
		for _, entry := range readdir(dir) {
			path := filepath.Join(dir, entry.Name())
			if entry.Type()&os.ModeSymlink != 0 || slices.Contains(p.DenyRead, path) {
				continue
			}
			descend(path, rights)
		}
	}
	for _, g := range grants {
		descend(g.Path, g.Rights)
	}
	return merge(rules)
}

func readDir(dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // unreadable for the host too: nothing there can be granted
	}
	return entries
}
