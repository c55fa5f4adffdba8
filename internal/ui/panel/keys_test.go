package panel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeysymsWriteTheirLetters(t *testing.T) {
	for sym, want := range map[uint32]rune{
		'a': 'a', 0xe4: 'ä', 0x1a1: 'Ą', 0x6c1: 'а', 0x7e1: 'α', 0x5c7: 'ا', 0xce0: 'א', 0xda1: 'ก', 0x20ac: '€', 0x13bd: 'œ', 0x4b1: 'ア', 0xaa9: '—',
		0x01000439: 'й', 0x0101f600: '😀', 0xffb5: '5', 0xffab: '+', 0xffbd: '=', 0xff80: ' ',
		symReturn: 0, symF12Sym: 0, 0xfe51: 0, 0xffffff: 0, 0x01000007: 0, 0x02000000: 0,
	} {
		assert.Equal(t, string(want), string(runeOf(sym)), "%#x", sym)
	}
}

const symF12Sym = 0xffc9

// german is a keyboard with a second, Russian group: q, ä, 2, a keypad key, a
// dead key, Alt, AltGr, Num Lock, Super, Shift.
func german() *keymap {
	syms := [][]uint32{
		{'q', 'Q', 0x6ca, 0x6ea, '@', 0x7d9, 0x6ca, 0x6ea},
		{0xe4, 0xc4, 0x6dc, 0x6fc, 0xfe52, 0xfe59, 0, 0},
		{'2', '"', '2', '"', 0xb2, 0xac1, 0, 0},
		{symKeypadHome, 0xffb7, symKeypadHome, 0xffb7},
		{0xfe51, 0xfe50, 0xfe51, 0xfe50},
		{symAltL, symMetaL},
		{symLevel3Shift},
		{symNumLock},
		{symSuperL},
		{symShiftL2, 0},
	}
	var flat []uint32
	for _, s := range syms {
		flat = append(flat, append(s, make([]uint32, 8-len(s))...)...)
	}
	// Shift, Lock, Control, Mod1 Alt, Mod2 Num Lock, Mod3, Mod4 Super, Mod5 AltGr.
	return newKeymap(10, 8, flat, []byte{19, 0, 0, 15, 17, 0, 18, 16})
}

const (
	symShiftL2 = 0xffe1
	mod1       = 1 << 3
	mod2       = 1 << 4
	mod4       = 1 << 6
	mod5       = 1 << 7
	group2     = 1 << groupShift
)

func TestAKeyWritesByItsGroupAndLevel(t *testing.T) {
	k := german()
	for _, c := range []struct {
		code  byte
		state uint16
		want  string
	}{
		{10, 0, "q"}, {10, stateShift, "Q"}, {10, stateLock, "Q"}, {10, stateLock | stateShift, "q"}, {10, mod5, "@"}, {10, mod5 | stateShift, "Ω"},
		{10, group2, "й"}, {10, group2 | stateShift, "Й"}, {10, group2 | stateLock, "Й"}, {10, 3 << groupShift, "q"}, {10, mod2, "q"},
		{11, 0, "ä"}, {11, stateShift, "Ä"}, {11, stateLock, "Ä"}, {12, stateLock, "2"}, {12, stateShift, `"`}, {12, mod5, "²"},
		{13, 0, ""}, {13, mod2, "7"}, {13, mod2 | stateShift, ""}, {13, stateShift, "7"},
		{10, stateControl, ""}, {10, mod1, ""}, {10, mod4, ""}, {99, 0, ""}, {0, 0, ""},
	} {
		assert.Equal(t, c.want, k.look(c.code, c.state).Text, "key %d in state %#x", c.code, c.state)
	}
	assert.EqualValues(t, symHome, k.look(13, 0).Sym)
	assert.Equal(t, Ctrl|Alt|Super|Shift, k.look(10, stateControl|mod1|mod4|stateShift).Mods)
	assert.EqualValues(t, 'q', k.look(10, stateControl|group2).Sym, "a shortcut is the same in every layout")
}

func TestModeSwitchIsTheSecondGroupOrTheThirdLevel(t *testing.T) {
	k := newKeymap(10, 8, []uint32{
		'a', 'A', 0x6c6, 0x6e6, 0, 0, 0, 0,
		'e', 'E', 'e', 'E', 0x20ac, 0, 0, 0,
		symModeSwitch, 0, 0, 0, 0, 0, 0, 0,
	}, []byte{0, 0, 0, 0, 0, 0, 0, 12})
	assert.Equal(t, "ф", k.look(10, mod5).Text)
	assert.Equal(t, "€", k.look(11, mod5).Text)
}

// press puts keys through a composer and returns what was written.
func composed(keys ...uint32) string {
	c := &compose{}
	out := ""
	for _, sym := range keys {
		text, _, used := c.Key(Key{Sym: sym})
		if !used {
			text = string(runeOf(sym))
		}
		out += text
	}
	return out
}

func TestDeadKeysAndComposeWriteWhatTheyUsuallyDo(t *testing.T) {
	const (
		grave, acute, circumflex, tilde, diaeresis, ring, caron, stroke = 0xfe50, 0xfe51, 0xfe52, 0xfe53, 0xfe57, 0xfe58, 0xfe5a, 0xfe63
		multi                                                           = symMultiKey
		shift                                                           = 0xffe1
	)
	for _, c := range []struct {
		want string
		keys []uint32
	}{
		{"é", []uint32{acute, 'e'}}, {"É", []uint32{acute, shift, 'E'}}, {"ấ", []uint32{circumflex, acute, 'a'}}, {"ấ", []uint32{acute, circumflex, 'a'}},
		{"ü", []uint32{diaeresis, 'u'}}, {"ř", []uint32{caron, 'r'}}, {"ø", []uint32{stroke, 'o'}}, {"ł", []uint32{stroke, 'l'}}, {"å", []uint32{ring, 'a'}},
		{"´", []uint32{acute, ' '}}, {"´", []uint32{acute, acute}}, {"~", []uint32{tilde, ' '}}, {"`x", []uint32{grave, 'x'}}, {"€", []uint32{deadCurrency, 'e'}}, {"λ", []uint32{deadGreek, 'l'}},
		{"έ", []uint32{acute, 0x7e5}}, // Greek epsilon
		{"é", []uint32{multi, '\'', 'e'}}, {"é", []uint32{multi, 'e', '\''}}, {"œ", []uint32{multi, 'o', 'e'}}, {"ß", []uint32{multi, 's', 's'}},
		{"©", []uint32{multi, 'o', 'c'}}, {"€", []uint32{multi, '=', 'e'}}, {"…", []uint32{multi, '.', '.'}}, {"—", []uint32{multi, '-', '-', '-'}},
		{"–", []uint32{multi, '-', '-', '.'}}, {"→", []uint32{multi, '-', '>'}}, {"½", []uint32{multi, '1', '2'}}, {"ñ", []uint32{multi, '~', 'n'}}, {"ç", []uint32{multi, ',', 'c'}},
		{"①", []uint32{multi, '(', '1', ')'}}, {"b", []uint32{multi, 'q', 'q', 'b'}}, {"a", []uint32{acute, symBackSpace, 'a'}}, {"a", []uint32{multi, symEscape, 'a'}},
		{"é", []uint32{multi, acute, 'e'}},
	} {
		assert.Equal(t, c.want, composed(c.keys...), "%x", c.keys)
	}
	c := &compose{}
	_, shown, used := c.Key(Key{Sym: acute})
	assert.True(t, used)
	assert.Equal(t, "´", shown)
	_, _, used = c.Key(Key{Sym: symReturn})
	assert.False(t, used, "a key that writes nothing ends it and means what it means")
	_, _, used = c.Key(Key{Sym: 'a'})
	assert.False(t, used)
}
