package keys

// layout is the keyboard as the core protocol shows it: for each key code a row
// of keysyms, two for the first group and two for the second, then those of the
// third and fourth level of both.
type layout struct {
	first byte
	per   int
	syms  []uint32
	group int  // in force, from 0
	num   bool // Num Lock is on
}

// stroke is a key and what must be held for it to write the keysym.
type stroke struct {
	code   byte
	shift  bool
	level3 bool
}

// columns are where a group has its levels.
func columns(group int) [4]int {
	if group == 1 {
		return [4]int{2, 3, 6, 7}
	}
	return [4]int{0, 1, 4, 5}
}

// find looks a keysym up in the group in force and then in the first: programs
// take the chords of a keyboard whose letters are not Latin from there. The
// lowest level wins, the one with the fewest keys to hold.
func (l layout) find(sym uint32) (stroke, bool) {
	groups := []int{l.group, 0}
	if l.group == 0 || l.group > 1 { // the core protocol shows two
		groups = groups[1:]
	}
	for _, g := range groups {
		for level, column := range columns(g) {
			if column >= l.per {
				continue
			}
			for i := 0; i*l.per+column < len(l.syms); i++ {
				if l.syms[i*l.per+column] == sym {
					return stroke{l.first + byte(i), (level&1 == 1) != (l.num && keypad(sym)), level >= 2}, true
				}
			}
		}
	}
	return stroke{}, false
}

// keypad reports whether Num Lock swaps the levels of a keysym's key.
func keypad(sym uint32) bool { return sym >= 0xff95 && sym <= 0xffb9 }

// code is the key of a modifier, whose level does not matter.
func (l layout) code(sym uint32) (byte, bool) {
	s, ok := l.find(sym)
	return s.code, ok
}
