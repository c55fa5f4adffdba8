package hotkey

import (
	"fmt"
	"slices"
)

// What Carbon calls the modifiers of a hot key.
const (
	macCommand = 0x100
	macShift   = 0x200
	macOption  = 0x800
	macControl = 0x1000
)

// macStroke is a key of a Mac's keyboard, by its place, and what is held.
type macStroke struct{ code, mods uint32 }

// macKeys are the keys that a layout tells apart.
const macKeys = 128

// macLayout is what the keys of a keyboard layout write, by what is held: "" for
// nothing. A dead key writes its accent.
type macLayout [macHeld][macKeys]string

// The modifiers with which a layout is asked. The first four are levels, from
// the lowest on.
const (
	macPlain = iota
	macWithShift
	macWithOption
	macWithShiftOption
	macWithCommand
	macHeld
)

// macLevels are what has to be held for a level.
var macLevels = [...]uint32{0, macShift, macOption, macShift | macOption}

// macCode is the place of a key that is the same in every layout.
func macCode(sym uint32) (uint32, bool) {
	if sym >= symF1 && sym < symF1+uint32(len(macFunction)) {
		return uint32(macFunction[sym-symF1]), true
	}
	switch sym {
	case 0x20: // space
		return 0x31, true
	case 0xff09: // Tab
		return 0x30, true
	case 0xff0d: // Return
		return 0x24, true
	case 0xff1b: // Escape
		return 0x35, true
	case 0xff08: // BackSpace, which Macs call Delete
		return 0x33, true
	case 0xffff: // Delete
		return 0x75, true
	case 0xff63: // Insert stands where Macs have Help
		return 0x72, true
	case 0xff50: // Home
		return 0x73, true
	case 0xff57: // End
		return 0x77, true
	case 0xff55: // Page Up
		return 0x74, true
	case 0xff56: // Page Down
		return 0x79, true
	case 0xff51: // Left
		return 0x7b, true
	case 0xff53: // Right
		return 0x7c, true
	case 0xff54: // Down
		return 0x7d, true
	case 0xff52: // Up
		return 0x7e, true
	}
	return 0, false
}

// macFunction are the places of F1 to F20.
var macFunction = [...]byte{
	0x7a, 0x78, 0x63, 0x76, 0x60, 0x61, 0x62, 0x64, 0x65, 0x6d,
	0x67, 0x6f, 0x69, 0x6b, 0x71, 0x6a, 0x40, 0x4f, 0x50, 0x5a,
}

// macKeypad says whether a place is on the keypad: a chord with a digit means
// the digits above the letters.
func macKeypad(code int) bool {
	return code >= 0x41 && code <= 0x5c && code != 0x5a && code != 0x4f && code != 0x50
}

// stroke is the press that makes a chord in a layout. As on X, the key counts
// that writes the character on the lowest level, and what that takes belongs to
// the chord, but for digits. With Command held a layout may write something
// else, Latin letters for instance, and that is what counts then.
func (l *macLayout) stroke(held mods, sym uint32) (macStroke, bool) {
	s := macStroke{mods: macMods(held)}
	if code, ok := macCode(sym); ok {
		s.code = code
		return s, true
	}
	if sym >= 0x7f {
		return macStroke{}, false
	}
	want := string(rune(sym))
	if held&super != 0 {
		if code := macFind(&l[macWithCommand], want); code >= 0 {
			s.code = uint32(code)
			return s, true
		}
	}
	for level, extra := range macLevels {
		if code := macFind(&l[level], want); code >= 0 {
			s.code = uint32(code)
			if sym < '0' || sym > '9' {
				s.mods |= extra
			}
			return s, true
		}
	}
	return macStroke{}, false
}

func macFind(keys *[macKeys]string, want string) int {
	for code, text := range keys {
		if text == want && !macKeypad(code) {
			return code
		}
	}
	return -1
}

func macMods(held mods) (out uint32) {
	for _, m := range [...]struct {
		held mods
		mod  uint32
	}{{shift, macShift}, {ctrl, macControl}, {alt, macOption}, {super, macCommand}} {
		if held&m.held != 0 {
			out |= m.mod
		}
	}
	return out
}

// macShortcut is a shortcut as the system lists it, whose modifiers have more
// bits: that of a function key says nothing.
func macShortcut(code, held uint32) macStroke {
	return macStroke{code, held & (macCommand | macShift | macOption | macControl)}
}

// macSystem is what the hot keys ask of macOS, all of it on one thread.
type macSystem interface {
	// layouts are the layout in force, and one with Latin letters for chords
	// that it cannot write.
	layouts() []macLayout
	// shortcuts are those that the system keeps for itself.
	shortcuts() []macStroke
	// register takes a stroke, and returns an error of the system's or 0.
	register(id uint32, s macStroke) int32
	unregister(id uint32)
}

// Errors of register.
const (
	macInternal = -9868 // eventInternalErr
	macTaken    = -9878 // eventHotKeyExistsErr
	macInvalid  = -9879 // eventHotKeyInvalidErr
)

// macBound are the bindings and what is registered for them. It is for one
// thread, the one that macSystem is for.
type macBound struct {
	sys      macSystem
	bindings []Binding
	ids      map[macStroke]uint32 // what is registered
	names    map[uint32]string    // of its bindings
	last     uint32
}

func newMacBound(sys macSystem) *macBound {
	return &macBound{sys: sys, ids: map[macStroke]uint32{}, names: map[uint32]string{}}
}

func (k *macBound) set(bindings []Binding) []Conflict {
	k.bindings = slices.Clone(bindings)
	return k.bind()
}

// bind brings what is registered in line with the bindings and the layout. What
// stays is not touched: another program could come in between.
func (k *macBound) bind() []Conflict {
	var layouts []macLayout
	var system []macStroke
	if len(k.bindings) > 0 {
		layouts, system = k.sys.layouts(), k.sys.shortcuts()
	}
	type resolved struct {
		Binding
		at macStroke
	}
	var want []resolved
	taken := map[macStroke]bool{}
	var conflicts []Conflict
	for _, b := range k.bindings {
		s, c := macResolve(b, layouts, system)
		if c == nil && taken[s] {
			c = &Conflict{b, "is the same key as another hot key on this layout", macRename}
		}
		if c != nil {
			conflicts = append(conflicts, *c)
			continue
		}
		taken[s] = true
		want = append(want, resolved{b, s})
	}
	for s, id := range k.ids {
		if !taken[s] {
			k.sys.unregister(id)
			delete(k.ids, s)
			delete(k.names, id)
		}
	}
	for _, w := range want {
		id, have := k.ids[w.at]
		if !have {
			k.last++
			id = k.last
			if code := k.sys.register(id, w.at); code != 0 {
				conflicts = append(conflicts, macRefused(w.Binding, w.at, code))
				continue
			}
			k.ids[w.at] = id
		}
		k.names[id] = w.ID
	}
	return conflicts
}

const macRename = "name another key in [hotkeys]"

// macResolve is the press that a binding means.
func macResolve(b Binding, layouts []macLayout, system []macStroke) (macStroke, *Conflict) {
	held, sym, err := b.Chord.parse()
	if err != nil {
		return macStroke{}, &Conflict{b, "is no chord: " + err.Error(), `write it like "alt+space"`}
	}
	if sym >= symF1+uint32(len(macFunction)) && sym < symF1+24 || sym == 0xff61 || sym >= 0x1008ff00 {
		return macStroke{}, &Conflict{b, "has a key that no Mac gives to a hot key", macRename}
	}
	for i := range layouts {
		s, ok := layouts[i].stroke(held, sym)
		if !ok {
			continue
		}
		if slices.Contains(system, s) {
			return s, &Conflict{b, "is taken by macOS", "turn it off in System Settings, Keyboard, Keyboard Shortcuts, or " + macRename}
		}
		return s, nil
	}
	return macStroke{}, &Conflict{b, "has a key that this keyboard layout does not have", macRename}
}

func macRefused(b Binding, s macStroke, code int32) Conflict {
	switch {
	case code == macInternal && s.mods&macOption != 0 && s.mods&(macCommand|macControl) == 0:
		// Such keys write, and those releases kept all of them from being listened to.
		return Conflict{b, "is refused by macOS 15.0 and 15.1 without Command or Control", "update macOS, or " + macRename}
	case code == macTaken:
		return Conflict{b, "is taken by another program", "free it there, or " + macRename}
	case code == macInvalid:
		return Conflict{b, "is no key that macOS takes for a hot key", macRename}
	}
	return Conflict{b, fmt.Sprintf("cannot be bound: macOS answered %d", code), macRename}
}

// pressed names the binding of a press, "" for one that has just gone.
func (k *macBound) pressed(id uint32) string { return k.names[id] }
