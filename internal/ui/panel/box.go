package panel

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxInput bounds the input in bytes: more than anybody types, and a pasted file
// stays out.
const maxInput = 4096

// box is the line that is edited, by whole graphemes.
type box struct {
	text   string
	at     int // byte of the caret, between graphemes
	anchor int // the other end of the selection, at where there is none
}

// insert puts s in place of the selection, without what cannot stand in one
// line, and says whether all of it had room.
func (b *box) insert(s string) bool {
	s = oneLine(s)
	from, to := b.selection()
	rest := b.text[:from] + b.text[to:]
	whole := true
	if room := maxInput - len(rest); len(s) > room {
		cut := 0
		for _, g := range graphemes(s) {
			if cut+len(g) > room {
				break
			}
			cut += len(g)
		}
		s, whole = s[:cut], false
	}
	b.set(b.text[:from]+s+b.text[to:], from+len(s))
	return whole
}

// set replaces the line. What was typed may join the grapheme after it, so the
// caret moves on to the next boundary.
func (b *box) set(text string, at int) {
	b.text, b.at = text, 0
	for _, g := range graphemes(text) {
		if b.at >= at {
			break
		}
		b.at += len(g)
	}
	b.anchor = b.at
}

// selection is the selected part; from is to where there is none.
func (b *box) selection() (from, to int) { return min(b.at, b.anchor), max(b.at, b.anchor) }

func (b *box) selected() string {
	from, to := b.selection()
	return b.text[from:to]
}

func (b *box) selectAll() { b.anchor, b.at = 0, len(b.text) }

// moveTo moves the caret; extend keeps the other end of the selection.
func (b *box) moveTo(at int, extend bool) {
	b.at = at
	if !extend {
		b.anchor = at
	}
}

func (b *box) left(extend bool) {
	if from, to := b.selection(); !extend && from < to {
		b.moveTo(from, false)
		return
	}
	b.moveTo(b.at-b.before(), extend)
}

func (b *box) right(extend bool) {
	if from, to := b.selection(); !extend && from < to {
		b.moveTo(to, false)
		return
	}
	b.moveTo(b.at+b.behind(), extend)
}

// before is the length of the grapheme before the caret.
func (b *box) before() int {
	if g := graphemes(b.text[:b.at]); len(g) > 0 {
		return len(g[len(g)-1])
	}
	return 0
}

// behind is the length of the grapheme after the caret.
func (b *box) behind() int {
	g, _, _, _ := uniseg.FirstGraphemeClusterInString(b.text[b.at:], -1)
	return len(g)
}

// remove takes out the selection if there is one, else what lies between.
func (b *box) remove(from, to int) {
	if f, t := b.selection(); f < t {
		from, to = f, t
	}
	b.set(b.text[:from]+b.text[to:], from)
}

func (b *box) backspace()  { b.remove(b.at-b.before(), b.at) }
func (b *box) delete()     { b.remove(b.at, b.at+b.behind()) }
func (b *box) cutToStart() { b.remove(0, b.at) }
func (b *box) cutWord()    { b.remove(b.wordStart(), b.at) }
func (b *box) cutWordEnd() { b.remove(b.at, b.wordEnd()) }

// wordStart is where the word before the caret begins, as white space parts words.
func (b *box) wordStart() int {
	s := strings.TrimRightFunc(b.text[:b.at], unicode.IsSpace)
	i := strings.LastIndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

// wordEnd is where the word after the caret ends.
func (b *box) wordEnd() int {
	rest := b.text[b.at:]
	word := strings.TrimLeftFunc(rest, unicode.IsSpace)
	end := strings.IndexFunc(word, unicode.IsSpace)
	if end < 0 {
		end = len(word)
	}
	return b.at + len(rest) - len(word) + end
}

// selectWord selects the word at a byte of the text.
func (b *box) selectWord(at int) {
	b.moveTo(at, false)
	end := b.wordEnd()
	b.moveTo(end, false)
	start := b.wordStart()
	b.anchor, b.at = start, end
}

// edit lets a key change the line or the caret; used says that it did.
func (b *box) edit(k Key) (used bool) {
	extend := k.Mods&Shift != 0
	word := k.Mods&(Ctrl|Alt) != 0
	letter := shortcut(k)
	switch {
	case k.Sym == symLeft && word, k.Mods&Alt != 0 && letter == 'b':
		b.moveTo(b.wordStart(), extend)
	case k.Sym == symRight && word, k.Mods&Alt != 0 && letter == 'f':
		b.moveTo(b.wordEnd(), extend)
	case k.Sym == symLeft, k.Mods == Ctrl && letter == 'b':
		b.left(extend)
	case k.Sym == symRight, k.Mods == Ctrl && letter == 'f':
		b.right(extend)
	case k.Sym == symHome, k.Mods == Ctrl && letter == 'a':
		b.moveTo(0, extend)
	case k.Sym == symEnd, k.Mods == Ctrl && letter == 'e':
		b.moveTo(len(b.text), extend)
	case k.Mods == Ctrl|Shift && letter == 'a', k.Mods == Ctrl && letter == '/':
		b.selectAll()
	case k.Sym == symBackSpace && word, k.Mods == Ctrl && letter == 'w':
		b.cutWord()
	case k.Sym == symBackSpace, k.Mods == Ctrl && letter == 'h':
		b.backspace()
	case k.Sym == symDelete && word, k.Mods == Alt && letter == 'd':
		b.cutWordEnd()
	case k.Sym == symDelete, k.Mods == Ctrl && letter == 'd':
		b.delete()
	case k.Mods == Ctrl && letter == 'u':
		b.cutToStart()
	case k.Text != "" && k.Mods&(Ctrl|Alt|Super) == 0:
		b.insert(k.Text)
	default:
		return false
	}
	return true
}

// shortcut is the letter of a key that is pressed with Ctrl or Alt.
func shortcut(k Key) rune {
	if k.Mods&(Ctrl|Alt) == 0 {
		return 0
	}
	return unicode.ToLower(runeOf(k.Sym))
}

func graphemes(s string) []string {
	var out []string
	state := -1
	for s != "" {
		var g string
		g, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		out = append(out, g)
	}
	return out
}

// oneLine makes one line of text, without what does something instead of showing
// something: controls, and marks that turn the direction of what follows, which
// could make a row read as what it is not.
func oneLine(s string) string {
	clean := true
	for _, r := range s {
		if r < ' ' || r >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return ' '
		case harmful(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
}

func harmful(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\ufeff', r == '\u061c', r == '\u200e', r == '\u200f':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r == '\u00ad' || r == '\u200b' || r == '\u2060'
}
