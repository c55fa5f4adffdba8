package protocol

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the index of the first byte at or after i that a JSON string
// cannot hold plainly as ASCII: a quote, a backslash, a control character or
// the start of a multi-byte rune. It looks at eight bytes a step, because most
// of a publication is the insides of strings.
func plain(s string, i int) int {
	for i+8 <= len(s) {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// A subtraction borrows only out of a byte that is itself a hit, so the
		// lowest set bit is exact.
		hit := (x | (x - 0x20*ones) | ((x ^ '"'*ones) - ones) | ((x ^ '\\'*ones) - ones)) & highs
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
		i += 8
	}
	for i < len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
		i++
	}
	return i
}

// str reads a string and returns its value, a substring of the document unless
// it has escapes.
func (sc *scanner) str() (string, bool) {
	if sc.peek() != '"' {
		return "", sc.fail("expected a string")
	}
	s, start := sc.s, sc.i+1
	i := plain(s, start)
	if i < len(s) && s[i] == '"' {
		sc.i = i + 1
		return s[start:i], true
	}
	i, ok := sc.run(i)
	if !ok {
		return "", false
	}
	if s[i] == '"' {
		sc.i = i + 1
		return s[start:i], true
	}
	return sc.escaped(start, i)
}

// skipString validates a string without building its value.
func (sc *scanner) skipString() bool {
	s, i := sc.s, plain(sc.s, sc.i+1)
	if i < len(s) && s[i] == '"' {
		sc.i = i + 1
		return true
	}
	for {
		j, ok := sc.run(i)
		if !ok {
			return false
		}
		if sc.s[j] == '"' {
			sc.i = j + 1
			return true
		}
		r, n := sc.escape(j)
		if n == 0 {
			return false
		}
		sc.slack += n - escapedLen(r)
		i = j + n
	}
}

// run passes over plain text from i on and returns the index of the quote or
// backslash that ends it.
func (sc *scanner) run(i int) (int, bool) {
	s := sc.s
	for {
		i = plain(s, i)
		if i == len(s) {
			sc.i = i
			return 0, sc.fail("unterminated string")
		}
		c := s[i]
		if c == '"' || c == '\\' {
			return i, true
		}
		if c < 0x20 {
			sc.i = i
			return 0, sc.fail("control character in a string")
		}
		for i < len(s) && s[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				sc.i = i
				return 0, sc.fail("invalid UTF-8")
			}
			i += n
		}
	}
}

// escaped finishes a string that began at start and whose first backslash is at i.
func (sc *scanner) escaped(start, i int) (string, bool) {
	buf := append(sc.buf[:0], sc.s[start:i]...)
	for sc.s[i] != '"' {
		r, n := sc.escape(i)
		if n == 0 {
			return "", false
		}
		if r == 0 {
			sc.nul = true
		}
		sc.slack += n - escapedLen(r)
		buf = utf8.AppendRune(buf, r)
		i += n
		j, ok := sc.run(i)
		if !ok {
			return "", false
		}
		buf = append(buf, sc.s[i:j]...)
		i = j
	}
	sc.i = i + 1
	sc.buf = buf
	return string(buf), true
}

// escape decodes the escape whose backslash is at i. A length of 0 means a fault.
func (sc *scanner) escape(i int) (r rune, n int) {
	s := sc.s
	if i+1 < len(s) {
		switch s[i+1] {
		case '"', '\\', '/':
			return rune(s[i+1]), 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'u':
			return sc.escapeU(i)
		}
	}
	sc.i = i
	sc.fail("invalid escape")
	return 0, 0
}

func (sc *scanner) escapeU(i int) (r rune, n int) {
	r = hex4(sc.s, i+2)
	if r < 0 {
		sc.i = i
		sc.fail("invalid escape")
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if i+7 < len(sc.s) && sc.s[i+6] == '\\' && sc.s[i+7] == 'u' {
		if p := utf16.DecodeRune(r, hex4(sc.s, i+8)); p != utf8.RuneError {
			return p, 12
		}
	}
	sc.i = i
	sc.fail("lone surrogate")
	return 0, 0
}

// hex4 returns the value of the four hex digits at i, or -1.
func hex4(s string, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	var v rune
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return -1
		}
	}
	return v
}
