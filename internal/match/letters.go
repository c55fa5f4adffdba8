package match

import "unicode"

// class is what a character is for finding where words begin.
type class uint8

const (
	space class = iota
	separator
	lower
	upper
	digit
	han
	hiragana
	katakana
	otherLetter // scripts without case
)

func (c class) inWord() bool { return c > separator }

// prolonged is the sound mark that continues a word of either kana.
const prolonged = 'ー'

func classOf(r rune) class {
	switch {
	case r < 0x80:
		return asciiClass[r]
	case unicode.Is(unicode.Han, r):
		return han
	case r == prolonged || unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLower(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		return otherLetter
	case unicode.IsSpace(r):
		return space
	}
	return separator
}

// beginsWord says whether a character of class c begins a word after one of
// class prev.
func beginsWord(prev, c class) bool {
	switch c {
	case space, separator:
		return false
	case han:
		return true
	case upper, digit, hiragana, katakana, otherLetter:
		return prev != c
	}
	return prev <= separator || prev >= han // lower
}

// Presence: each letter and digit of ASCII has a bit of its own, all other
// characters share what is left, by their low bits: neighbours in an alphabet
// then get different bits. A space has none.
const (
	digitBit  = 26
	sharedBit = 36
	sharedN   = 64 - sharedBit
)

func presence(r rune) uint64 {
	switch {
	case r >= 'a' && r <= 'z':
		return 1 << (r - 'a')
	case r >= '0' && r <= '9':
		return 1 << (digitBit + r - '0')
	case r == ' ':
		return 0
	}
	return 1 << (sharedBit + uint32(r)%sharedN)
}

// grams is which groups of three neighbouring bytes a text has, hashed to 256
// bits. In a path or a URL nearly every letter occurs, so presence rules out
// little there.
type grams [4]uint64

func (g *grams) add(b []byte) {
	if len(b) < 3 {
		return
	}
	last := uint32(b[0])<<8 | uint32(b[1])
	for _, c := range b[2:] {
		last = (last<<8 | uint32(c)) & 0xffffff
		h := last * 0x9e3779b1 >> 24
		g[h>>6] |= 1 << (h & 63)
	}
}

func (g *grams) has(q *grams) bool {
	return q[0]&^g[0]|q[1]&^g[1]|q[2]&^g[2]|q[3]&^g[3] == 0
}

var (
	asciiClass = func() (t [0x80]class) {
		for r := rune(0); r < 0x80; r++ {
			switch {
			case r <= ' ' || r == 0x7f:
				t[r] = space
			case r >= 'a' && r <= 'z':
				t[r] = lower
			case r >= 'A' && r <= 'Z':
				t[r] = upper
			case r >= '0' && r <= '9':
				t[r] = digit
			default:
				t[r] = separator
			}
		}
		return t
	}()
	asciiLower = func() (t [0x80]byte) {
		for c := range t {
			t[c] = byte(unicode.ToLower(rune(c)))
		}
		return t
	}()
	// asciiPresence is by the character as typed, so that folding needs no
	// second look at what it wrote.
	asciiPresence = func() (t [0x80]uint64) {
		for c := range t {
			if asciiClass[c] != space {
				t[c] = presence(rune(asciiLower[c]))
			}
		}
		return t
	}()
)
