// Package printable makes text that came from elsewhere fit for one line of
// output. Window titles, plugins' words and pasted text may hold line ends,
// escape sequences and marks that turn the direction of what follows; what Flash
// shows of them shows them and does nothing. It measures and cuts nothing.
package printable

import (
	"strings"
	"unicode"
)

// Line is s as one line: a space where it breaks, and nothing where it would do
// something instead of showing something. A byte that is no text shows as U+FFFD,
// as that something was there is worth seeing.
func Line(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case Breaks(r):
			return ' '
		case Harmful(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
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
