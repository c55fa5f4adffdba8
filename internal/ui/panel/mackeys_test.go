package panel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAMacsKeysAreTheInputMethodsOrThePanels(t *testing.T) {
	for _, c := range []struct {
		name      string
		e         macEvent
		composing bool
		held      uint32
		key       Key
		road      macRoad
	}{
		{"a letter", macEvent{text: "a", plain: "a"}, false, 0, Key{}, macToInput},
		{"Return", macEvent{code: 0x24, text: "\r", plain: "\r"}, false, 0, Key{}, macToInput},
		{"Option and a letter", macEvent{flags: macOption, text: "å", plain: "a"}, false, 0, Key{}, macToInput},
		{"Control and a letter", macEvent{flags: macControl, text: "\x0b", plain: "k"}, false, 0, Key{Sym: 'k', Mods: Ctrl}, macToModel},
		{"Control and a letter while composing", macEvent{flags: macControl, text: "\x0b", plain: "k"}, true, 0, Key{}, macToInput},
		{"Control and an arrow", macEvent{code: macCodeUp, flags: macControl, text: "\uf700", plain: "\uf700"}, false, 0, Key{}, macToInput},
		{"the entry before", macEvent{code: macCodeUp, flags: macOption, text: "\uf700", plain: "\uf700"}, false, 0, Key{Sym: symUp, Mods: Alt}, macToModel},
		{"Command and a letter", macEvent{flags: macCmd, text: "k", plain: "k"}, false, 0, Key{Sym: 'k', Mods: Ctrl}, macToModel},
		{"Command and a letter of a Russian keyboard", macEvent{flags: macCmd, text: "v", plain: "м"}, false, 0, Key{Sym: 'v', Mods: Ctrl}, macToModel},
		{"Command and a letter while composing", macEvent{flags: macCmd, text: "v", plain: "v"}, true, 0, Key{}, macNowhere},
		{"select all", macEvent{flags: macCmd, text: "a", plain: "a"}, false, 0, Key{Sym: 'a', Mods: Ctrl | Shift}, macToModel},
		{"close", macEvent{flags: macCmd, text: "w", plain: "w"}, false, 0, Key{Sym: symEscape}, macToModel},
		{"to the start of the line", macEvent{code: macCodeLeft, flags: macCmd | macShift}, false, 0, Key{Sym: symHome, Mods: Shift}, macToModel},
		{"to the first row", macEvent{code: macCodeUp, flags: macCmd}, false, 0, Key{Sym: symHome, Mods: Ctrl}, macToModel},
		{"quit", macEvent{flags: macCmd, text: "q", plain: "q"}, false, 0, Key{}, macNowhere},
		{"Command and Option", macEvent{flags: macCmd | macOption, text: "v", plain: "v"}, false, 0, Key{}, macNowhere},
		{"the hot key's Command, held", macEvent{flags: macCmd, text: "c", plain: "c"}, false, macCmd, Key{Text: "c"}, macToModel},
		{"the hot key's Option, held, and an arrow", macEvent{code: macCodeUp, flags: macOption, text: "\uf700", plain: "\uf700"}, false, macOption, Key{Sym: symUp}, macToModel},
		{"the hot key's Option, held, and Return", macEvent{code: macCodeReturn, flags: macOption, text: "\r", plain: "\r"}, false, macOption, Key{Sym: symReturn}, macToModel},
		{"the hot key's Option, held, and a function key", macEvent{code: 0x7a, flags: macOption, text: "\uf704", plain: "\uf704"}, false, macOption, Key{}, macToInput},
	} {
		key, road := macKey(c.e, c.composing, c.held)
		assert.Equal(t, c.key, key, c.name)
		assert.Equal(t, c.road, road, c.name)
	}
}

func TestCommandsOfTheTextSystemAreKeys(t *testing.T) {
	for selector, want := range map[string]Key{
		"insertNewline:": {Sym: symReturn}, "cancelOperation:": {Sym: symEscape}, "moveDown:": {Sym: symDown},
		"moveRightAndModifySelection:": {Sym: symRight, Mods: Shift}, "moveWordLeftAndModifySelection:": {Sym: symLeft, Mods: Alt | Shift},
		"insertBacktab:": {Sym: symTab, Mods: Shift}, "deleteWordBackward:": {Sym: symBackSpace, Mods: Alt},
		"scrollToEndOfDocument:": {Sym: symEnd}, "deleteToBeginningOfLine:": {Sym: 'u', Mods: Ctrl},
	} {
		got, ok := macCommand(selector)
		assert.True(t, ok, selector)
		assert.Equal(t, want, got, selector)
	}
	for _, selector := range []string{"noop:", "complete:", "insertText:", ""} {
		_, ok := macCommand(selector)
		assert.False(t, ok, selector)
	}
}

func TestUnitsOfUTF16CountEmojiTwice(t *testing.T) {
	const s = "a👍é"
	assert.Equal(t, 4, units(s))
	for unit, at := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 5, 3: 5, 4: len(s), 9: len(s)} {
		assert.Equal(t, at, unitByte(s, unit), unit)
	}
}
