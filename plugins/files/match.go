package files

import (
	"path/filepath"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable: without case and without marks, whichever way a
// file system composes them.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validName reports whether a path can cross the wire: file names are bytes on
// Linux, and some are no text.
func validName(path string) bool { return utf8.ValidString(path) && !strings.ContainsRune(path, 0) }

// firstIdeograph is where the letters begin of which one can be a word: Han
// characters, kana, Hangul.
const firstIdeograph = 0x2E80

// queryWords returns the folded words of a query, none when it is too short.
func queryWords(query string) []string {
	words := strings.Fields(fold(query))
	n := 0
	for _, w := range words {
		for _, r := range w {
			if n++; r >= firstIdeograph && unicode.IsLetter(r) {
				n = max(n, minQuery)
			}
		}
	}
	if n < minQuery {
		return nil
	}
	return words
}

// hit is one file found; lower ranks are better.
type hit struct {
	path string
	dir  bool
	rank int
}

// The ranks of a name, best first.
const (
	rankExact = iota
	rankStem
	rankPrefix
	rankWord
	rankInside
)

// judge says whether a file matches all words, and how well. Words may be in
// any order; one with a slash is looked for in the path below the root.
func judge(rel string, words []string) (rank int, ok bool) {
	name := fold(filepath.Base(rel))
	rank = rankInside
	for i, w := range words {
		if strings.Contains(w, "/") {
			if !strings.Contains(fold(rel), w) {
				return 0, false
			}
			continue
		}
		at := strings.Index(name, w)
		if at < 0 {
			return 0, false
		}
		if i > 0 {
			continue
		}
		switch {
		case len(words) == 1 && name == w:
			rank = rankExact
		case len(words) == 1 && strings.TrimSuffix(name, filepath.Ext(name)) == w:
			rank = rankStem
		case at == 0:
			rank = rankPrefix
		case !letter(name[at-1]):
			rank = rankWord
		}
	}
	return rank, true
}

func letter(b byte) bool {
	return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b >= utf8.RuneSelf
}

// best sorts hits and keeps the first maxResults: by rank, then the nearer to
// the root, then the shorter name, then the path so that the order stands.
func best(hits []hit) []hit {
	sort.Slice(hits, func(i, j int) bool {
		a, b := hits[i], hits[j]
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		if da, db := strings.Count(a.path, "/"), strings.Count(b.path, "/"); da != db {
			return da < db
		}
		if len(a.path) != len(b.path) {
			return len(a.path) < len(b.path)
		}
		return a.path < b.path
	})
	return hits[:min(len(hits), maxResults)]
}
