package edit

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

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

// OneLine makes one line of text, without what does something instead of showing
// something, and without what is no text.
func OneLine(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case Breaks(r):
			return ' '
		case Harmful(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
}

// Breaks says whether a code point parts words by moving on, as a tab and a line
// end do: a space stands for it in one line.
func Breaks(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Harmful are code points that do something instead of showing something:
// controls, line ends, byte-order marks, what is never seen, and those that set
// the direction of the text after them, which could make a row read as what it
// is not.
func Harmful(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\ufeff', r == '\u061c':
		return true
	case r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r >= 0xfff9 && r <= 0xfffb || r == '\u00ad' || r == '\u200b' || r == '\u2060'
}
