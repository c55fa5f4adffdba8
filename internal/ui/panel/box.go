package panel

import (
	"unicode"

	"github.com/flash-launcher/flash/internal/ui/edit"
)

// box is the line that is edited, and what keys do in it.
type box struct{ edit.Line }

// newBox is a box with a text to begin with.
func newBox(text string) box { return box{edit.New(text)} }

// edit lets a key change the line or the caret; used says that it did.
func (b *box) edit(k Key) (used bool) {
	extend := k.Mods&Shift != 0
	word := k.Mods&(Ctrl|Alt) != 0
	letter := shortcut(k)
	switch {
	case k.Sym == symLeft && word, k.Mods&Alt != 0 && letter == 'b':
		b.WordLeft(extend)
	case k.Sym == symRight && word, k.Mods&Alt != 0 && letter == 'f':
		b.WordRight(extend)
	case k.Sym == symLeft, k.Mods == Ctrl && letter == 'b':
		b.Left(extend)
	case k.Sym == symRight, k.Mods == Ctrl && letter == 'f':
		b.Right(extend)
	case k.Sym == symHome, k.Mods == Ctrl && letter == 'a':
		b.Home(extend)
	case k.Sym == symEnd, k.Mods == Ctrl && letter == 'e':
		b.End(extend)
	case k.Mods == Ctrl|Shift && letter == 'a', k.Mods == Ctrl && letter == '/':
		b.SelectAll()
	case k.Sym == symBackSpace && word, k.Mods == Ctrl && letter == 'w':
		b.CutWord()
	case k.Sym == symBackSpace, k.Mods == Ctrl && letter == 'h':
		b.Backspace()
	case k.Sym == symDelete && word, k.Mods == Alt && letter == 'd':
		b.CutWordEnd()
	case k.Sym == symDelete, k.Mods == Ctrl && letter == 'd':
		b.Delete()
	case k.Mods == Ctrl && letter == 'u':
		b.CutToStart()
	case k.Text != "" && k.Mods&(Ctrl|Alt|Super) == 0:
		b.Insert(k.Text)
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
