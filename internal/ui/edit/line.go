package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flash-launcher/flash/internal/printable"
)

// MaxBytes bounds a line: more than anybody types, and a pasted file stays out.
const MaxBytes = 4096

// Line is a line that is edited by whole graphemes. The zero Line is empty.
type Line struct {
	text   string
	at     int // byte of the caret
	anchor int // the other end of the selection, at where there is none
}

// New is a line of as much of a text as it holds, with the caret at its end.
func New(text string) Line {
	var l Line
	l.Insert(text)
	return l
}

// Text is the whole line.
func (l *Line) Text() string { return l.text }

// Caret is the byte that the caret stands before.
func (l *Line) Caret() int { return l.at }

// Selection is the selected part; from is to where there is none.
func (l *Line) Selection() (from, to int) { return min(l.at, l.anchor), max(l.at, l.anchor) }

// Selected is the text that is selected.
func (l *Line) Selected() string {
	from, to := l.Selection()
	return l.text[from:to]
}

// Insert puts s in place of the selection, without what cannot stand in one
// line, and says whether all of it had room.
func (l *Line) Insert(s string) bool {
	s = printable.Line(s)
	from, to := l.Selection()
	fits := head(s, MaxBytes-(len(l.text)-(to-from)))
	l.set(l.text[:from]+fits+l.text[to:], from+len(fits))
	return len(fits) == len(s)
}

// set replaces the line. What was written may have joined what stands after it,
// so the caret moves on to the next place between graphemes.
func (l *Line) set(text string, at int) {
	_, at = around(text, at)
	l.text, l.at, l.anchor = text, at, at
}

// MoveTo moves the caret to a byte, or behind the grapheme that the byte is in
// the middle of; extend keeps the other end of the selection.
func (l *Line) MoveTo(at int, extend bool) {
	_, l.at = around(l.text, at)
	if !extend {
		l.anchor = l.at
	}
}

// Left moves the caret by a grapheme, or to the left end of the selection.
func (l *Line) Left(extend bool) {
	if from, to := l.Selection(); !extend && from < to {
		l.MoveTo(from, false)
		return
	}
	l.MoveTo(l.before(), extend)
}

// Right moves the caret by a grapheme, or to the right end of the selection.
func (l *Line) Right(extend bool) {
	if from, to := l.Selection(); !extend && from < to {
		l.MoveTo(to, false)
		return
	}
	l.MoveTo(l.behind(), extend)
}

// Home moves the caret to the start of the line.
func (l *Line) Home(extend bool) { l.MoveTo(0, extend) }

// End moves the caret to the end of the line.
func (l *Line) End(extend bool) { l.MoveTo(len(l.text), extend) }

// WordLeft moves the caret to where the word before it begins.
func (l *Line) WordLeft(extend bool) { l.MoveTo(l.wordStart(), extend) }

// WordRight moves the caret to where the word after it ends.
func (l *Line) WordRight(extend bool) { l.MoveTo(l.wordEnd(), extend) }

// SelectAll selects the whole line.
func (l *Line) SelectAll() { l.anchor, l.at = 0, len(l.text) }

// SelectWord selects the word at a byte of the text.
func (l *Line) SelectWord(at int) {
	l.MoveTo(at, false)
	l.WordRight(false)
	end := l.at
	l.WordLeft(false)
	l.anchor, l.at = l.at, end
}

// Select selects what lies between two places, with the caret at the second of
// them. They may be inside a grapheme, though not inside a code point: an input
// method takes back a mark without the letter under it.
func (l *Line) Select(anchor, caret int) {
	l.anchor, l.at = l.codePoint(anchor), l.codePoint(caret)
}

func (l *Line) codePoint(at int) int {
	at = max(0, min(at, len(l.text)))
	for at < len(l.text) && !utf8.RuneStart(l.text[at]) {
		at--
	}
	return at
}

// Backspace takes out the selection, else the grapheme before the caret.
func (l *Line) Backspace() { l.cut(l.before(), l.at) }

// Delete takes out the selection, else the grapheme after the caret.
func (l *Line) Delete() { l.cut(l.at, l.behind()) }

// CutToStart takes out the selection, else all that stands before the caret.
func (l *Line) CutToStart() { l.cut(0, l.at) }

// CutWord takes out the selection, else what WordLeft goes over.
func (l *Line) CutWord() { l.cut(l.wordStart(), l.at) }

// CutWordEnd takes out the selection, else what WordRight goes over.
func (l *Line) CutWordEnd() { l.cut(l.at, l.wordEnd()) }

// cut takes out the selection if there is one, else what lies between.
func (l *Line) cut(from, to int) {
	if f, t := l.Selection(); f < t {
		from, to = f, t
	}
	l.set(l.text[:from]+l.text[to:], from)
}

// before is where the grapheme before the caret begins.
func (l *Line) before() int {
	b, _ := around(l.text, l.at-1)
	return b
}

// behind is where the grapheme after the caret ends.
func (l *Line) behind() int {
	_, b := around(l.text, min(l.at+1, len(l.text)))
	return b
}

// wordStart is where the word before the caret begins, as white space parts
// words. A mark may stand on white space: then they begin it together.
func (l *Line) wordStart() int {
	s := strings.TrimRightFunc(l.text[:l.at], unicode.IsSpace)
	i := strings.LastIndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	start, _ := around(l.text, i+size)
	return start
}

// wordEnd is where the word after the caret ends.
func (l *Line) wordEnd() int {
	rest := l.text[l.at:]
	word := strings.TrimLeftFunc(rest, unicode.IsSpace)
	end := strings.IndexFunc(word, unicode.IsSpace)
	if end < 0 {
		end = len(word)
	}
	_, end = around(l.text, len(l.text)-len(word)+end)
	return end
}
