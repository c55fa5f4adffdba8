package protocol

import (
	"strconv"
	"unsafe"
)

// smallObject is how many keys of one object are compared one by one before a
// hash set takes over: a row has five, and a scan of sixteen short strings
// costs less than one map insert.
const smallObject = 16

// scanner reads one JSON document once, front to back, and refuses what
// encoding/json lets pass: invalid UTF-8, lone surrogates, duplicate keys at
// any depth, nesting past MaxDepth. All decoders of this package stand on it.
//
// It works on a string so that values without escapes are substrings of the
// document: whoever builds the scanner decides whether that string is a copy
// that may be kept or a view that ends with the call.
//
// After the first fault every method fails.
type scanner struct {
	s     string
	i     int
	depth int
	// slack is how many of the bytes before i the compact encoding would not
	// have: spaces, and escapes that it writes shorter. It makes the compact
	// size of any value a subtraction (see compactFrom).
	slack int
	// nul is set once a string held U+0000, which can only come as an escape.
	nul bool
	// keys are those of the open objects, one after another. Callers may lend
	// room for them from their stack.
	keys  []string
	buf   []byte // scratch for strings with escapes
	fault string // the first one and its place, "" for none
	// faultAt is that place, as a byte of s.
	faultAt int
}

// view returns b as a string without a copy. The string, and whatever was cut
// from it, must not outlive the caller's hold on b.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// fail records a fault at the current byte and reports false.
func (sc *scanner) fail(problem string) bool {
	if sc.fault == "" {
		sc.fault, sc.faultAt = problem+" at byte "+strconv.Itoa(sc.i), sc.i
	}
	return false
}

// peek skips spaces and returns the next byte, 0 at the end. Its shape keeps it
// just within what the compiler inlines; it is called once or twice a token.
func (sc *scanner) peek() (c byte) {
	if sc.i < len(sc.s) {
		c = sc.s[sc.i]
	}
	if c > ' ' {
		return
	}
	return sc.peekSlow()
}

func (sc *scanner) peekSlow() byte {
	i := sc.i
	for i < len(sc.s) {
		switch c := sc.s[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			sc.slack += i - sc.i
			sc.i = i
			if c == 0 {
				sc.fail("invalid character")
			}
			return c
		}
	}
	sc.slack += i - sc.i
	sc.i = i
	return 0
}

// end requires that nothing but spaces is left.
func (sc *scanner) end() bool {
	if sc.fault != "" {
		return false
	}
	sc.peek()
	if sc.i != len(sc.s) {
		return sc.fail("text after the value")
	}
	return true
}

// mark is a place in the document from which compact sizes can be measured.
type mark struct{ i, slack int }

// here returns the mark of the next value.
func (sc *scanner) here() mark {
	sc.peek()
	return mark{sc.i, sc.slack}
}

// compactFrom returns the size that everything since m has in the compact encoding.
func (sc *scanner) compactFrom(m mark) int { return sc.i - m.i - (sc.slack - m.slack) }

// open consumes the bracket c, '{' or '['.
func (sc *scanner) open(c byte) bool {
	if sc.fault != "" {
		return false
	}
	if sc.peek() != c {
		if c == '{' {
			return sc.fail("expected an object")
		}
		return sc.fail("expected an array")
	}
	if sc.depth++; sc.depth > MaxDepth {
		return sc.fail("nested deeper than " + strconv.Itoa(MaxDepth) + " levels")
	}
	sc.i++
	return true
}

// next steps to element n of the open container: it consumes the comma, or the
// closing bracket and reports false. It also reports false after a fault.
func (sc *scanner) next(n int, closer byte) bool {
	if sc.fault != "" {
		return false
	}
	c := sc.peek()
	if c == closer {
		sc.i++
		sc.depth--
		return false
	}
	if n == 0 {
		return true
	}
	if c != ',' {
		return sc.fail("expected ',' or '" + string(rune(closer)) + "'")
	}
	sc.i++
	return true
}

// key reads an object key and its colon.
func (sc *scanner) key() (string, bool) {
	if sc.peek() != '"' {
		return "", sc.fail("expected a key")
	}
	k, ok := sc.str()
	if !ok {
		return "", false
	}
	if sc.peek() != ':' {
		return "", sc.fail("expected ':'")
	}
	sc.i++
	return k, true
}

// skip validates one value of any kind and passes over it.
func (sc *scanner) skip() bool {
	if sc.fault != "" {
		return false
	}
	switch c := sc.peek(); c {
	case '{':
		return sc.skipObject()
	case '[':
		sc.open('[')
		for n := 0; sc.next(n, ']'); n++ {
			sc.skip()
		}
		return sc.fault == ""
	case '"':
		return sc.skipString()
	case 't':
		return sc.literal("true")
	case 'f':
		return sc.literal("false")
	case 'n':
		return sc.literal("null")
	default:
		_, _, ok := sc.number()
		return ok
	}
}

func (sc *scanner) skipObject() bool {
	sc.open('{')
	set := sc.newKeySet()
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok || !set.add(sc, k) {
			return false
		}
		sc.skip()
	}
	set.drop(sc)
	return sc.fault == ""
}

// keySet finds duplicate keys of one object.
type keySet struct {
	base int
	big  map[string]struct{}
}

func (sc *scanner) newKeySet() keySet { return keySet{base: len(sc.keys)} }

func (k *keySet) add(sc *scanner, key string) bool {
	if sc.keys == nil {
		sc.keys = make([]string, 0, smallObject/2)
	}
	if k.big != nil {
		if _, dup := k.big[key]; dup {
			return sc.fail("duplicate key")
		}
		k.big[key] = struct{}{}
		return true
	}
	seen := sc.keys[k.base:]
	for _, o := range seen {
		if o == key {
			return sc.fail("duplicate key")
		}
	}
	if len(seen) < smallObject {
		sc.keys = append(sc.keys, key)
		return true
	}
	k.big = make(map[string]struct{}, 4*smallObject)
	for _, o := range seen {
		k.big[o] = struct{}{}
	}
	k.big[key] = struct{}{}
	return true
}

func (k *keySet) drop(sc *scanner) { sc.keys = sc.keys[:k.base] }

// literal consumes the given word.
func (sc *scanner) literal(word string) bool {
	if sc.fault != "" {
		return false
	}
	if len(sc.s)-sc.i < len(word) || sc.s[sc.i:sc.i+len(word)] != word {
		return sc.fail("invalid literal")
	}
	sc.i += len(word)
	return true
}

// null consumes a null and reports whether there was one.
func (sc *scanner) null() bool {
	return sc.fault == "" && sc.peek() == 'n' && sc.literal("null")
}

// boolean reads true or false and nothing else.
func (sc *scanner) boolean() (value, ok bool) {
	if sc.fault != "" {
		return false, false
	}
	switch sc.peek() {
	case 't':
		return true, sc.literal("true")
	case 'f':
		return false, sc.literal("false")
	}
	return false, sc.fail("expected a boolean")
}

// number reads a number by the JSON grammar; integer says that it has neither
// fraction nor exponent.
func (sc *scanner) number() (text string, integer, ok bool) {
	if sc.fault != "" {
		return "", false, false
	}
	sc.peek()
	s, start := sc.s, sc.i
	i := start
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && '1' <= s[i] && s[i] <= '9':
		i = digits(s, i)
	case i == start:
		return "", false, sc.fail("expected a value")
	default:
		return "", false, sc.fail("invalid number")
	}
	integer = true
	if i < len(s) && s[i] == '.' {
		integer = false
		j := digits(s, i+1)
		if j == i+1 {
			return "", false, sc.fail("invalid number")
		}
		i = j
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		integer = false
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		j := digits(s, i)
		if j == i {
			return "", false, sc.fail("invalid number")
		}
		i = j
	}
	sc.i = i
	return s[start:i], integer, true
}

func digits(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// integer reads a number written as an integer that fits 64 bits.
func (sc *scanner) integer() (int64, bool) {
	at := sc.i
	text, whole, ok := sc.number()
	if !ok {
		return 0, false
	}
	if whole {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v, true
		}
	}
	sc.i = at
	return 0, sc.fail("expected an integer")
}
