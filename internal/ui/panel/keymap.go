package panel

// Mods are the modifiers that were down with a key, whatever their place in the
// keyboard's map.
type Mods uint8

// The modifiers.
const (
	Shift Mods = 1 << iota
	Ctrl
	Alt
	Super
)

// Key is a key that went down.
type Key struct {
	Sym  uint32 // X keysym
	Text string // what it writes, "" for nothing
	Mods Mods
}

// State bits of X events.
const (
	stateShift = 1 << iota
	stateLock
	stateControl
	groupShift = 13
	groupMask  = 3
)

// keymap says what the keys of a keyboard mean, from the map of the core protocol.
type keymap struct {
	first int // keycode
	per   int // keysyms a key
	syms  []uint32

	level3, switcher, num, alt, super uint16 // state bits
}

// newKeymap takes the map of keysyms and that of modifiers, whose rows are the
// keycodes of Shift, Lock, Control and Mod1 to Mod5.
func newKeymap(first, per int, syms []uint32, modifiers []byte) *keymap {
	k := &keymap{first: first, per: per, syms: syms}
	if per <= 0 {
		k.per = 1
	}
	width := len(modifiers) / 8
	for i, code := range modifiers {
		if code == 0 || width == 0 {
			continue
		}
		bit := uint16(1) << (i / width)
		for _, sym := range k.key(code) {
			switch sym {
			case symLevel3Shift, symLevel3Latch:
				k.level3 |= bit
			case symModeSwitch:
				k.switcher |= bit
			case symNumLock:
				k.num |= bit
			case symAltL, symAltR, symMetaL, symMetaR:
				k.alt |= bit
			case symSuperL, symSuperR:
				k.super |= bit
			}
		}
	}
	// Keyboards list Meta under Alt, and Super beside Hyper: what stands for a
	// level is not also a modifier.
	k.alt &^= k.level3 | k.switcher
	k.super &^= k.level3 | k.switcher | k.alt
	return k
}

// key are the keysyms of a key.
func (k *keymap) key(code byte) []uint32 {
	i := (int(code) - k.first) * k.per
	if i < 0 || i+k.per > len(k.syms) {
		return nil
	}
	return k.syms[i : i+k.per]
}

// sym is what a key means in a state: by its group, then by its level. Servers
// with XKB lay out the core map as: two keysyms of group 1, two of group 2, the
// third and fourth level of group 1, those of group 2, then groups 3 and 4 whole.
func (k *keymap) sym(code byte, state uint16) uint32 {
	syms := k.key(code)
	if syms == nil {
		return 0
	}
	at := func(i int) uint32 {
		if i < len(syms) {
			return syms[i]
		}
		return 0
	}
	group := int(state>>groupShift) & groupMask
	third := state&k.level3 != 0
	if state&k.switcher != 0 && !third {
		if group == 0 && at(2) != 0 && (at(2) != at(0) || at(3) != at(1)) {
			group = 1
		} else {
			third = true
		}
	}
	var levels [4]uint32
	switch group {
	case 0:
		levels = [4]uint32{at(0), at(1), at(4), at(5)}
	case 1:
		levels = [4]uint32{at(2), at(3), at(6), at(7)}
	default:
		o := 8 + 4*(group-2)
		levels = [4]uint32{at(o), at(o + 1), at(o + 2), at(o + 3)}
	}
	if levels[0] == 0 && levels[1] == 0 {
		// The key has no such group: its first counts.
		levels = [4]uint32{at(0), at(1), at(4), at(5)}
	}
	low, high := levels[0], levels[1]
	if third && (levels[2] != 0 || levels[3] != 0) {
		low, high = levels[2], levels[3]
	}
	shift := state&stateShift != 0
	if state&stateLock != 0 && cased(low) {
		shift = !shift
	}
	if high >= symKeypadFirst && high <= symKeypadLast && state&k.num != 0 {
		shift = !shift
	}
	switch {
	case !shift:
		return low
	case high == 0:
		return upper(low)
	}
	return high
}

// look makes a Key of a key event.
func (k *keymap) look(code byte, state uint16) Key {
	sym := k.sym(code, state)
	if sym >= symKeypadHome && sym <= symKeypadDel {
		sym = keypadKeys[sym-symKeypadHome]
	}
	switch sym {
	case symKeypadEnter:
		sym = symReturn
	case symLeftTab:
		sym = symTab
	}
	out := Key{Sym: sym}
	if state&stateShift != 0 {
		out.Mods |= Shift
	}
	if state&stateControl != 0 {
		out.Mods |= Ctrl
	}
	if state&k.alt != 0 {
		out.Mods |= Alt
	}
	if state&k.super != 0 {
		out.Mods |= Super
	}
	if out.Mods&(Ctrl|Alt|Super) != 0 {
		// A shortcut means the same letter in every layout.
		if r := runeOf(sym); r >= 0x80 {
			for _, s := range k.key(code) {
				if l := runeOf(s); l > ' ' && l < 0x7f {
					out.Sym = s
					break
				}
			}
		}
		return out
	}
	if r := runeOf(sym); r != 0 {
		out.Text = string(r)
	}
	return out
}
