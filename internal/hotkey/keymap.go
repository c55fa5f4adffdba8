//go:build !darwin || !cgo

package hotkey

import (
	"slices"

	"github.com/jezek/xgb/xproto"
)

// State bits of X events.
const (
	stateShift   = 1 << 0
	stateLock    = 1 << 1
	stateControl = 1 << 2
	stateMod1    = 1 << 3
	stateMod4    = 1 << 6
	stateMods    = 0xff
	groupShift   = 13
	groupMask    = 3
)

// keymap is the keyboard as the core protocol shows it: for each keycode a row
// of keysyms, two of the first group and two of the second, then the third and
// fourth level of both.
type keymap struct {
	first uint8
	per   int
	syms  []xproto.Keysym

	num, alt, super, level3 uint16 // state bits
}

// Keysyms that tell which modifier is which.
const (
	symNumLock     = 0xff7f
	symAltL        = 0xffe9
	symAltR        = 0xffea
	symSuperL      = 0xffeb
	symSuperR      = 0xffec
	symLevel3Shift = 0xfe03
)

// newKeymap takes the map of keysyms and that of modifiers, whose rows are the
// keycodes of Shift, Lock, Control and Mod1 to Mod5.
func newKeymap(first uint8, per int, syms []xproto.Keysym, modifiers []xproto.Keycode) *keymap {
	k := &keymap{first: first, per: max(per, 1), syms: syms}
	width := len(modifiers) / 8
	for i, code := range modifiers {
		if code == 0 {
			continue
		}
		bit := uint16(1) << (i / width)
		if bit <= stateControl {
			continue // Alt beside Meta on the Control row is no Alt
		}
		for _, sym := range k.row(uint8(code)) {
			switch uint32(sym) {
			case symNumLock:
				k.num |= bit
			case symAltL, symAltR:
				k.alt |= bit
			case symSuperL, symSuperR:
				k.super |= bit
			case symLevel3Shift:
				k.level3 |= bit
			}
		}
	}
	if k.alt == 0 {
		k.alt = stateMod1
	}
	if k.super == 0 {
		k.super = stateMod4
	}
	return k
}

func (k *keymap) row(code uint8) []xproto.Keysym {
	at := (int(code) - int(k.first)) * k.per
	if at < 0 || at+k.per > len(k.syms) {
		return nil
	}
	return k.syms[at : at+k.per]
}

// columns are where a group has its levels. The core protocol shows two groups;
// further ones are taken for the first.
func columns(group int) [4]int {
	if group == 1 {
		return [4]int{2, 3, 6, 7}
	}
	return [4]int{0, 1, 4, 5}
}

// level is on which level of a group a key writes sym, -1 for none. A group that
// has nothing on a key takes what the first has.
func (k *keymap) level(code uint8, group int, sym uint32) int {
	row := k.row(code)
	cols := columns(group)
	if group == 1 && len(row) > 3 && row[2] == 0 && row[3] == 0 {
		cols = columns(0)
	}
	for level, col := range cols {
		if col < len(row) && uint32(row[col]) == sym {
			return level
		}
	}
	return -1
}

// stroke is a key and the modifiers that must be down with it, without locks.
type stroke struct {
	code  uint8
	state uint16
}

// strokes are the presses that make a chord, in all groups.
func (k *keymap) strokes(held mods, sym uint32) []stroke {
	var out []stroke
	for group := range 2 {
		if s, ok := k.stroke(held, sym, group); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// stroke is the press that makes a chord in a group: the key that writes it on
// the lowest level. Where that takes Shift or AltGr, they belong to the chord,
// but for digits, which French keyboards have on Shift and nobody means so.
func (k *keymap) stroke(held mods, sym uint32, group int) (stroke, bool) {
	best, code := -1, uint8(0)
	for c := int(k.first); c < int(k.first)+len(k.syms)/k.per; c++ {
		if l := k.level(uint8(c), group, sym); l >= 0 && (best < 0 || l < best) {
			best, code = l, uint8(c)
		}
	}
	if best < 0 {
		return stroke{}, false
	}
	s := stroke{code: code}
	if held&shift != 0 || best&1 != 0 && (sym < '0' || sym > '9') {
		s.state |= stateShift
	}
	if held&ctrl != 0 {
		s.state |= stateControl
	}
	if held&alt != 0 {
		s.state |= k.alt
	}
	if held&super != 0 {
		s.state |= k.super
	}
	if best >= 2 {
		s.state |= k.level3
	}
	return s, true
}

// locks are the states that may be on with any chord.
func (k *keymap) locks() []uint16 {
	if k.num == 0 {
		return []uint16{0, stateLock}
	}
	return []uint16{0, stateLock, k.num, stateLock | k.num}
}

// bare is a state without what a chord does not look at: locks, the layout and
// the buttons of the mouse.
func (k *keymap) bare(state uint16) uint16 { return state & stateMods &^ (stateLock | k.num) }

func group(state uint16) int { return int(state >> groupShift & groupMask) }
