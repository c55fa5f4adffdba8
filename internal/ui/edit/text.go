package edit

import (
	"iter"

	"github.com/rivo/uniseg"
)

// Graphemes are the parts of s that a reader takes for one character each.
func Graphemes(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		state := -1
		for s != "" {
			var g string
			g, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
			if !yield(g) {
				return
			}
		}
	}
}

// around are the places between graphemes that are next to a byte of s: twice
// the byte itself where it is such a place.
func around(s string, at int) (before, after int) {
	for g := range Graphemes(s) {
		if after >= at {
			break
		}
		before, after = after, after+len(g)
	}
	if after <= at {
		before = after
	}
	return before, after
}

// head is as much of s as has room in that many bytes, by whole graphemes.
func head(s string, room int) string {
	if len(s) <= room {
		return s
	}
	cut := 0
	for g := range Graphemes(s) {
		if cut+len(g) > room {
			break
		}
		cut += len(g)
	}
	return s[:cut]
}
