package panel

import "strings"

// Modifiers as the events of macOS have them.
const (
	macShift   = 1 << 17
	macControl = 1 << 18
	macOption  = 1 << 19
	macCmd     = 1 << 20

	// macHeldBack may still be down from the hot key that opened the panel.
	macHeldBack = macControl | macOption | macCmd
)

// macEvent is a key that went down on a Mac.
type macEvent struct {
	code  uint16 // its place
	flags uint32
	text  string // what it writes
	plain string // and what it would without modifiers
}

// macRoad says who takes a key.
type macRoad uint8

const (
	macNowhere macRoad = iota
	macToModel
	macToInput // the input method, which gives it back as text or as a command
)

// Places of keys that write nothing.
const (
	macCodeReturn = 0x24
	macCodeTab    = 0x30
	macCodeDelete = 0x33
	macCodeEscape = 0x35
	macCodeHelp   = 0x72
	macCodeLeft   = 0x7b
	macCodeRight  = 0x7c
	macCodeDown   = 0x7d
	macCodeUp     = 0x7e
)

// macKey says what a key means. While text is composed every key is the input
// method's, but for shortcuts, which wait. Modifiers that are held from the hot
// key are not meant for what is typed.
func macKey(e macEvent, composing bool, held uint32) (Key, macRoad) {
	flags := e.flags &^ held
	switch {
	case flags&macCmd != 0:
		if composing {
			return Key{}, macNowhere
		}
		return macShortcut(e, flags)
	case composing:
		return Key{}, macToInput
	case flags&macControl != 0:
		// What macOS makes of Control by itself is the same where both know it.
		if l := macLetter(e.plain); l != 0 {
			k := Key{Sym: uint32(l), Mods: Ctrl}
			if flags&macShift != 0 {
				k.Mods |= Shift
			}
			return k, macToModel
		}
	case flags&macOption != 0 && (e.code == macCodeUp || e.code == macCodeDown):
		// The system has two commands for it, of which neither is what was typed
		// before.
		if e.code == macCodeUp {
			return Key{Sym: symUp, Mods: Alt}, macToModel
		}
		return Key{Sym: symDown, Mods: Alt}, macToModel
	case e.code == macCodeHelp && flags&macShift != 0:
		return Key{Sym: symInsert, Mods: Shift}, macToModel
	case e.flags&held != 0:
		if macWrites(e.plain) {
			return Key{Text: e.plain}, macToModel
		}
		if sym := macSym(e.code); sym != 0 {
			return Key{Sym: sym}, macToModel
		}
	}
	return Key{}, macToInput
}

// macSym is the keysym of a key that writes nothing, 0 for others.
func macSym(code uint16) uint32 {
	switch code {
	case macCodeReturn:
		return symReturn
	case macCodeTab:
		return symTab
	case macCodeEscape:
		return symEscape
	case macCodeDelete:
		return symBackSpace
	case macCodeLeft:
		return symLeft
	case macCodeRight:
		return symRight
	case macCodeUp:
		return symUp
	case macCodeDown:
		return symDown
	}
	return 0
}

// macShortcut is what a key means with Command: what the panel has with Control
// elsewhere, and the ways in which Macs move in text.
func macShortcut(e macEvent, flags uint32) (Key, macRoad) {
	extend := Mods(0)
	if flags&macShift != 0 {
		extend = Shift
	}
	switch e.code {
	case macCodeLeft:
		return Key{Sym: symHome, Mods: extend}, macToModel
	case macCodeRight:
		return Key{Sym: symEnd, Mods: extend}, macToModel
	case macCodeUp:
		return Key{Sym: symHome, Mods: Ctrl}, macToModel
	case macCodeDown:
		return Key{Sym: symEnd, Mods: Ctrl}, macToModel
	case macCodeDelete:
		return Key{Sym: 'u', Mods: Ctrl}, macToModel
	}
	letter := macLetter(e.text)
	if letter == 0 {
		letter = macLetter(e.plain)
	}
	switch {
	case flags&(macControl|macOption) != 0:
	case letter == 'a':
		return Key{Sym: 'a', Mods: Ctrl | Shift}, macToModel
	case letter == 'w', e.text == ".":
		return Key{Sym: symEscape}, macToModel
	case letter != 0 && strings.ContainsRune("cxvk", letter):
		return Key{Sym: uint32(letter), Mods: Ctrl}, macToModel
	}
	return Key{}, macNowhere
}

// macLetter is the small Latin letter or the sign that a key has, 0 for none.
func macLetter(text string) rune {
	if len(text) != 1 || text[0] <= ' ' || text[0] >= 0x7f {
		return 0
	}
	return rune(strings.ToLower(text)[0])
}

// macWrites says whether a text is no control and no key of Apple's, which have
// characters of their own in the private area.
func macWrites(text string) bool {
	for _, r := range text {
		if r < ' ' || r == 0x7f || r >= 0xf700 && r <= 0xf8ff {
			return false
		}
	}
	return text != ""
}

// macCommand is the key that a command of the text system stands for. What is
// not named here means nothing to the panel.
func macCommand(selector string) (Key, bool) {
	name, extend := strings.CutSuffix(strings.TrimSuffix(selector, ":"), "AndModifySelection")
	k := Key{}
	if extend {
		k.Mods = Shift
	}
	switch name {
	case "insertNewline", "insertLineBreak", "insertNewlineIgnoringFieldEditor":
		k.Sym = symReturn
	case "insertTab":
		k.Sym = symTab
	case "insertBacktab":
		k.Sym, k.Mods = symTab, Shift
	case "cancelOperation", "cancel":
		k.Sym = symEscape
	case "moveUp":
		k.Sym = symUp
	case "moveDown":
		k.Sym = symDown
	case "moveLeft", "moveBackward":
		k.Sym = symLeft
	case "moveRight", "moveForward":
		k.Sym = symRight
	case "moveWordLeft", "moveWordBackward":
		k.Sym, k.Mods = symLeft, k.Mods|Alt
	case "moveWordRight", "moveWordForward":
		k.Sym, k.Mods = symRight, k.Mods|Alt
	case "moveToBeginningOfLine", "moveToLeftEndOfLine", "moveToBeginningOfParagraph", "moveParagraphBackward", "scrollToBeginningOfDocument":
		k.Sym = symHome
	case "moveToEndOfLine", "moveToRightEndOfLine", "moveToEndOfParagraph", "moveParagraphForward", "scrollToEndOfDocument":
		k.Sym = symEnd
	case "moveToBeginningOfDocument":
		k.Sym, k.Mods = symHome, Ctrl
	case "moveToEndOfDocument":
		k.Sym, k.Mods = symEnd, Ctrl
	case "pageUp", "scrollPageUp":
		k.Sym = symPageUp
	case "pageDown", "scrollPageDown":
		k.Sym = symPageDown
	case "deleteBackward", "deleteBackwardByDecomposingPreviousCharacter":
		k.Sym = symBackSpace
	case "deleteForward":
		k.Sym = symDelete
	case "deleteWordBackward":
		k.Sym, k.Mods = symBackSpace, Alt
	case "deleteWordForward":
		k.Sym, k.Mods = symDelete, Alt
	case "deleteToBeginningOfLine", "deleteToBeginningOfParagraph":
		k.Sym, k.Mods = 'u', Ctrl
	case "selectAll":
		k.Sym, k.Mods = 'a', Ctrl|Shift
	default:
		return Key{}, false
	}
	return k, true
}
