package panel

import "unicode"

// Keysyms of keys that mean something to the panel.
const (
	symBackSpace   = 0xff08
	symTab         = 0xff09
	symReturn      = 0xff0d
	symEscape      = 0xff1b
	symMultiKey    = 0xff20
	symHome        = 0xff50
	symLeft        = 0xff51
	symUp          = 0xff52
	symRight       = 0xff53
	symDown        = 0xff54
	symPageUp      = 0xff55
	symPageDown    = 0xff56
	symEnd         = 0xff57
	symInsert      = 0xff63
	symNumLock     = 0xff7f
	symKeypadEnter = 0xff8d
	symKeypadHome  = 0xff95 // and on to symKeypadDelete
	symKeypadDel   = 0xff9f
	symKeypadFirst = 0xff80
	symKeypadLast  = 0xffbd
	symDelete      = 0xffff
	symModeSwitch  = 0xff7e
	symLevel3Shift = 0xfe03
	symLevel3Latch = 0xfe04
	symLeftTab     = 0xfe20
	symAltL        = 0xffe9
	symAltR        = 0xffea
	symMetaL       = 0xffe7
	symMetaR       = 0xffe8
	symSuperL      = 0xffeb
	symSuperR      = 0xffec
	symFirstMod    = 0xffe1
	symLastMod     = 0xffee
	symFirstLevel  = 0xfe01 // ISO_Lock and the other shifts and latches
	symLastLevel   = 0xfe13
	symUnicode     = 0x01000000 // and the code point
	symUnicodeLast = 0x0110ffff
)

// keypadKeys are what the keys of the keypad do without Num Lock, from
// symKeypadHome on.
var keypadKeys = [...]uint32{symHome, symLeft, symUp, symRight, symDown, symPageUp, symPageDown, symEnd, 0, symInsert, symDelete}

// runeOf is what a keysym writes, 0 for nothing.
func runeOf(sym uint32) rune {
	switch {
	case sym >= 0x20 && sym <= 0x7e, sym >= 0xa0 && sym <= 0xff:
		return rune(sym)
	case sym >= symUnicode+0x20 && sym <= symUnicodeLast:
		if r := rune(sym - symUnicode); !unicode.IsControl(r) {
			return r
		}
		return 0
	case sym == 0xff80: // KP_Space
		return ' '
	case sym >= 0xffaa && sym <= 0xffaf, sym >= 0xffb0 && sym <= 0xffb9: // KP_Multiply to KP_9
		return rune(sym - 0xff80)
	case sym == 0xffbd: // KP_Equal
		return '='
	case sym > 0xffff:
		return 0
	}
	lo, hi := 0, len(legacyKeysyms)/4
	for lo < hi {
		m := (lo + hi) / 2
		e := legacyKeysyms[4*m : 4*m+4]
		switch s := uint32(e[0])<<8 | uint32(e[1]); {
		case s < sym:
			lo = m + 1
		case s > sym:
			hi = m
		default:
			return rune(e[2])<<8 | rune(e[3])
		}
	}
	return 0
}

// isModifier says whether a keysym only changes what other keys mean.
func isModifier(sym uint32) bool {
	return sym >= symFirstMod && sym <= symLastMod || sym >= symFirstLevel && sym <= symLastLevel || sym == symModeSwitch || sym == symNumLock
}

// cased says whether Caps Lock concerns a keysym.
func cased(sym uint32) bool {
	r := runeOf(sym)
	return r != 0 && unicode.ToUpper(r) != unicode.ToLower(r)
}

// upper is the keysym of the capital, for keys that list the small letter alone.
func upper(sym uint32) uint32 {
	r := runeOf(sym)
	if u := unicode.ToUpper(r); u != r {
		if u < 0x100 {
			return uint32(u)
		}
		return symUnicode + uint32(u)
	}
	return sym
}
