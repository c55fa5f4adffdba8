package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxInput bounds the input in bytes: more than anybody types, and a pasted
// file stays out.
const maxInput = 4096

// prompt is the line that is edited, by whole graphemes.
type prompt struct {
	text string
	at   int // byte offset of the cursor, between graphemes
}

// insert puts s before the cursor, without what cannot stand in one line, and
// says whether all of it had room.
func (p *prompt) insert(s string) bool {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case harmful(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	whole := true
	if room := maxInput - len(p.text); len(s) > room {
		cut := 0
		for _, g := range graphemes(s) {
			if cut+len(g) > room {
				break
			}
			cut += len(g)
		}
		s, whole = s[:cut], false
	}
	p.set(p.text[:p.at]+s+p.text[p.at:], p.at+len(s))
	return whole
}

// set replaces the line. What was typed may join the grapheme after it, so the
// cursor moves on to the next boundary.
func (p *prompt) set(text string, at int) {
	p.text, p.at = text, 0
	for _, g := range graphemes(text) {
		if p.at >= at {
			return
		}
		p.at += len(g)
	}
}

func (p *prompt) left() {
	p.at -= p.before()
}

func (p *prompt) right() {
	if g := graphemes(p.text[p.at:]); len(g) > 0 {
		p.at += len(g[0])
	}
}

// before is the length of the grapheme before the cursor.
func (p *prompt) before() int {
	if g := graphemes(p.text[:p.at]); len(g) > 0 {
		return len(g[len(g)-1])
	}
	return 0
}

func (p *prompt) home() { p.at = 0 }
func (p *prompt) end()  { p.at = len(p.text) }

func (p *prompt) backspace() { p.cut(p.at-p.before(), p.at) }

func (p *prompt) delete() {
	from := p.at
	p.right()
	p.cut(from, p.at)
}

// cut removes text[from:to] and leaves the cursor there.
func (p *prompt) cut(from, to int) { p.set(p.text[:from]+p.text[to:], from) }

func (p *prompt) cutToStart() { p.cut(0, p.at) }

func (p *prompt) cutWord() { p.cut(p.wordStart(), p.at) }

func (p *prompt) wordLeft() { p.at = p.wordStart() }

// wordStart is where the word before the cursor begins, as white space parts words.
func (p *prompt) wordStart() int {
	s := strings.TrimRightFunc(p.text[:p.at], unicode.IsSpace)
	i := strings.LastIndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

func (p *prompt) wordRight() {
	rest := p.text[p.at:]
	word := strings.TrimLeftFunc(rest, unicode.IsSpace)
	end := strings.IndexFunc(word, unicode.IsSpace)
	if end < 0 {
		end = len(word)
	}
	p.at += len(rest) - len(word) + end
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
