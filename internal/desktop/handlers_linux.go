package desktop

import (
	"path/filepath"
	"slices"
	"strings"
)

// maxAssoc bounds an association file; the caches of large installations hold
// some 100 KiB.
const maxAssoc = 4 << 20

// handlers finds the application for a MIME type, as the association
// specification (mimeapps.list) and the cache beside the entries say.
type handlers struct {
	env     environ
	library *library
}

// find is the id of the application for a type, "" when there is none.
func (h handlers) find(mime string, s *shelf) string {
	if all := h.all(mime, s); len(all) > 0 {
		return all[0]
	}
	return ""
}

// all are the ids of the applications for a type, the one that the user chose
// first. An association with an application that is not installed counts as none.
func (h handlers) all(mime string, s *shelf) []string {
	var chosen, added, removed []string
	usable := func(id string) bool {
		it := s.items[id]
		return it != nil && !it.Hidden && !slices.Contains(removed, id)
	}
	for _, file := range h.lists() {
		groups := readAssoc(file, mime)
		for _, id := range groups["Default Applications"] {
			if it := s.items[id]; it != nil && !it.Hidden {
				chosen = append(chosen, id)
			}
		}
		for _, id := range groups["Added Associations"] {
			if usable(id) {
				added = append(added, id)
			}
		}
		// What a file removes, it removes from the files below it.
		removed = append(removed, groups["Removed Associations"]...)
	}
	out := append(chosen, added...)
	for _, dir := range h.library.dirs {
		for _, id := range readAssoc(filepath.Join(dir, "mimeinfo.cache"), mime)["MIME Cache"] {
			if usable(id) {
				out = append(out, id)
			}
		}
	}
	var once []string
	for _, id := range out {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}

// lists are the association files, the most important first, each directory's
// desktop-specific ones before its general one.
func (h handlers) lists() []string {
	var out []string
	for _, dir := range append(configDirs(h.env), h.library.dirs...) {
		for _, d := range h.library.desktops {
			out = append(out, filepath.Join(dir, strings.ToLower(d)+"-mimeapps.list"))
		}
		out = append(out, filepath.Join(dir, "mimeapps.list"))
	}
	return out
}

// readAssoc reads the lines of one type: group → ids without .desktop. What
// does not parse is passed over.
func readAssoc(file, mime string) map[string][]string {
	data, err := readBounded(file, maxAssoc)
	if err != nil {
		return nil
	}
	out := map[string][]string{}
	group := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			group = strings.Trim(line, "[]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != mime {
			continue
		}
		for _, id := range strings.Split(value, ";") {
			if id = strings.TrimSuffix(strings.TrimSpace(id), ".desktop"); id != "" {
				out[group] = append(out[group], id)
			}
		}
	}
	return out
}
