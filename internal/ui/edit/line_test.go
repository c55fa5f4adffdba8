package edit

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/printable"
)

// at makes a line whose caret is at the bar; a selection lies between two.
func at(text string) *Line {
	from, rest, _ := strings.Cut(text, "|")
	part, end, ok := strings.Cut(rest, "|")
	if !ok {
		part, end = "", rest
	}
	return &Line{text: from + part + end, at: len(from + part), anchor: len(from)}
}

func (l *Line) String() string {
	from, to := l.Selection()
	if from == to {
		return l.text[:to] + "|" + l.text[to:]
	}
	return l.text[:from] + "|" + l.text[from:to] + "|" + l.text[to:]
}

// still and extended are the two ways of a movement.
func still(move func(*Line, bool)) func(*Line)    { return func(l *Line) { move(l, false) } }
func extended(move func(*Line, bool)) func(*Line) { return func(l *Line) { move(l, true) } }

func insert(s string) func(*Line) { return func(l *Line) { l.Insert(s) } }

func TestALineIsEditedByWholeGraphemes(t *testing.T) {
	for _, c := range []struct {
		name, before string
		do           func(*Line)
		after        string
	}{
		{"backspace", "cafe\u0301|", (*Line).Backspace, "caf|"},
		{"backspace at the start", "|a", (*Line).Backspace, "|a"},
		{"backspace over a flag", "ae\u0301🇩🇪|", (*Line).Backspace, "ae\u0301|"},
		{"backspace over a family", "a👩‍👩‍👧|b", (*Line).Backspace, "a|b"},
		{"delete", "|👍🏽b", (*Line).Delete, "|b"},
		{"delete at the end", "b|", (*Line).Delete, "b|"},
		{"left over a flag", "🇩🇪🇫🇷|", still((*Line).Left), "🇩🇪|🇫🇷"},
		{"left at the start", "|a", still((*Line).Left), "|a"},
		{"right", "|e\u0301x", still((*Line).Right), "e\u0301|x"},
		{"right at the end", "a|", still((*Line).Right), "a|"},
		{"home", "ab|c", still((*Line).Home), "|abc"},
		{"end", "ab|c", still((*Line).End), "abc|"},
		{"a mark joins what it follows", "e|x", insert("\u0301"), "e\u0301|x"},
		{"what joins on both sides", "👩|👧", insert("\u200d"), "👩\u200d👧|"},
		{"a cut joins what it parted", "e|x|\u0301y", (*Line).Backspace, "e\u0301|y"},
		{"lines become one", "|", insert("a\nb\x1b[31m\u202ec"), "a b[31mc|"},
	} {
		l := at(c.before)
		c.do(l)
		assert.Equal(t, c.after, l.String(), c.name)
	}
}

func TestWordsArePartedByWhiteSpace(t *testing.T) {
	for _, c := range []struct {
		name, before string
		do           func(*Line)
		after        string
	}{
		{"left", "one two|", still((*Line).WordLeft), "one |two"},
		{"left over white space", "one  |two", still((*Line).WordLeft), "|one  two"},
		{"right", "one| two three", still((*Line).WordRight), "one two| three"},
		{"right at the end", "one|", still((*Line).WordRight), "one|"},
		{"cut", "one two  |three", (*Line).CutWord, "one |three"},
		{"cut the only word", "one|", (*Line).CutWord, "|"},
		{"cut after a wide space", "一\u3000二|", (*Line).CutWord, "一\u3000|"},
		{"cut to the end of the word", "| three four", (*Line).CutWordEnd, "| four"},
		{"cut to the start", "one two| three", (*Line).CutToStart, "| three"},
		{"a mark on white space goes with it", "a \u0301b|", (*Line).CutWord, "a|"},
		{"nothing but that", " \u0301|", still((*Line).WordLeft), "| \u0301"},
		{"white space that joins what stands before it", "|\u0600 b", still((*Line).WordRight), "\u0600 |b"},
	} {
		l := at(c.before)
		c.do(l)
		assert.Equal(t, c.after, l.String(), c.name)
	}
}

func TestASelectionIsExtendedLeftAndTakenOut(t *testing.T) {
	for _, c := range []struct {
		name, before string
		do           func(*Line)
		after        string
	}{
		{"extend by a word", "hello world|", extended((*Line).WordLeft), "hello |world|"},
		{"extend by a grapheme", "a|e\u0301b", extended((*Line).Right), "a|e\u0301|b"},
		{"extend to the start", "ab|c", extended((*Line).Home), "|ab|c"},
		{"extend to the end", "ab|c", extended((*Line).End), "ab|c|"},
		{"left leaves it at its left end", "a|bc|d", still((*Line).Left), "a|bcd"},
		{"right leaves it at its right end", "a|bc|d", still((*Line).Right), "abc|d"},
		{"a word more takes it out alone", "one |two| three", (*Line).CutWord, "one | three"},
		{"backspace", "a|bc|d", (*Line).Backspace, "a|d"},
		{"delete", "a|bc|d", (*Line).Delete, "a|d"},
		{"writing replaces it", "a|bc|d", insert("x"), "ax|d"},
		{"all", "a|bc", (*Line).SelectAll, "|abc|"},
		{"the word in the middle of it", "|one two three", func(l *Line) { l.SelectWord(5) }, "one |two| three"},
		{"places that are none", "|é", func(l *Line) { l.Select(-1, 99) }, "|é|"},
		{"half a code point", "|aéb", func(l *Line) { l.Select(2, 3) }, "a|é|b"},
		{"a mark alone", "|xe\u0301", func(l *Line) { l.Select(2, 4); l.Insert("\u0308") }, "xe\u0308|"},
		{"the middle of a grapheme", "|e\u0301b", func(l *Line) { l.MoveTo(1, false) }, "e\u0301|b"},
	} {
		l := at(c.before)
		c.do(l)
		assert.Equal(t, c.after, l.String(), c.name)
	}
	l := at("a|bc|d")
	assert.Equal(t, "bc", l.Selected())
}

func TestALineHoldsOnlySoMuch(t *testing.T) {
	var l Line
	assert.True(t, l.Insert(strings.Repeat("a", MaxBytes-3)))
	assert.False(t, l.Insert("東京"))
	assert.Len(t, l.Text(), MaxBytes)
	assert.True(t, utf8.ValidString(l.Text()))
	l.SelectAll()
	assert.True(t, l.Insert(strings.Repeat("b", MaxBytes)), "what is replaced makes room")
	assert.False(t, l.Insert("c"))
	assert.Equal(t, MaxBytes, l.Caret())

	whole := New(strings.Repeat("e\u0301", MaxBytes))
	assert.Len(t, whole.Text(), MaxBytes-1, "no grapheme is cut in two")
}

// deeds are all that can be done to a line.
var deeds = []func(l *Line, s string, n int){
	func(l *Line, s string, _ int) { l.Insert(s) },
	func(l *Line, _ string, n int) { l.Left(n&1 != 0) },
	func(l *Line, _ string, n int) { l.Right(n&1 != 0) },
	func(l *Line, _ string, n int) { l.Home(n&1 != 0) },
	func(l *Line, _ string, n int) { l.End(n&1 != 0) },
	func(l *Line, _ string, n int) { l.WordLeft(n&1 != 0) },
	func(l *Line, _ string, n int) { l.WordRight(n&1 != 0) },
	func(l *Line, _ string, n int) { l.MoveTo(n, n&1 != 0) },
	func(l *Line, _ string, n int) { l.SelectWord(n) },
	func(l *Line, _ string, _ int) { l.SelectAll() },
	func(l *Line, _ string, _ int) { l.Backspace() },
	func(l *Line, _ string, _ int) { l.Delete() },
	func(l *Line, _ string, _ int) { l.CutToStart() },
	func(l *Line, _ string, _ int) { l.CutWord() },
	func(l *Line, _ string, _ int) { l.CutWordEnd() },
	func(l *Line, s string, n int) { l.Select(n, len(l.text)-n/2); l.Insert(s) },
}

// between says whether a byte of s is between graphemes.
func between(s string, at int) bool {
	sum := 0
	for g := range Graphemes(s) {
		if sum >= at {
			break
		}
		sum += len(g)
	}
	return sum == at
}

func FuzzALineStaysWhole(f *testing.F) {
	every := []byte{}
	for i := range deeds {
		every = append(every, byte(i), byte(i*5), byte(i), byte(i*3+1))
	}
	f.Add("a👩‍👩‍👧‍👦é", "\u0301", every)
	f.Add("one two  three", " x\n", every)
	f.Add("a \u0301b \u0600 c", "\u200d", every)
	f.Add("🇩🇪🇫🇷🇩", "🇪", every)
	f.Add(strings.Repeat("東", 1500), "京\xff", every)
	f.Fuzz(func(t *testing.T, begin, s string, script []byte) {
		l := New(begin)
		for len(script) > 1 {
			before := l
			deeds[int(script[0])%len(deeds)](&l, s, int(script[1]))
			script = script[2:]
			from, to := l.Selection()
			require.True(t, 0 <= from && from <= to && to <= len(l.text), "%q: the selection is %d to %d", l.text, from, to)
			require.Contains(t, []int{from, to}, l.Caret())
			require.True(t, between(l.text, l.at) && between(l.text, l.anchor), "%q: %d or %d is inside a grapheme", l.text, l.at, l.anchor)
			require.LessOrEqual(t, len(l.text), MaxBytes)
			require.True(t, utf8.ValidString(l.text), "%q", l.text)
			require.Negative(t, strings.IndexFunc(l.text, func(r rune) bool { return unicode.IsControl(r) || printable.Harmful(r) }), "%q", l.text)
			if l.text != before.text {
				require.Equal(t, from, to, "a change leaves nothing selected")
			}
		}
		l = New(head(l.text, 64))
		for n := len(l.text); l.text != ""; n-- { // word by word it gets empty
			require.Positive(t, n)
			l.CutWord()
		}
	})
}
