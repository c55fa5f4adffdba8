package match

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folding. What goes: letter case (by Unicode's rules, never a locale's: i is
// the lower case of I and of İ, and ı folds to i as well, so that Turkish and
// other keyboards find each other's words), diacritics, compatibility forms
// (full-width letters, ligatures, half-width kana), runs of white space, marks
// nobody types (trademark signs, variation selectors, joiners). What stays:
// punctuation, because c++ and .bashrc mean it, and every script as itself: the
// voicing of kana and the short mark of й make other letters, not accents;
// only ё is written as е by half its readers.

// MaxFolded bounds how much of a title or alias is matched: the title quota.
const MaxFolded = 4096

// folder appends folded text to a slab. It is reused for a whole index.
type folder struct {
	text    []byte
	starts  []uint16 // where words begin, from base; only when words is set
	words   bool
	base    int
	letters int  // characters written, spaces too
	plain   bool // the text was ASCII

	mask     uint64 // presence of all characters
	initials uint64 // presence of the characters that begin words

	prev, prevPrev class
	lastAt         int
	lastRune       rune
	gap            bool // white space seen, written only before a further character
	segment        []byte

	track    []source // for each byte written, where it came from; nil when not asked for
	tracking bool
	from, to int
	gapFrom  int
}

// source is the byte range of the original that a folded byte stands for.
type source struct{ from, to int }

func (f *folder) begin() {
	f.base = len(f.text)
	f.letters, f.mask, f.initials = 0, 0, 0
	f.prev, f.prevPrev, f.gap = space, space, false
}

// fold appends the folded form of s.
func (f *folder) fold(s string) {
	f.begin()
	i := 0
	switch {
	case f.tracking:
	case f.words:
		i = f.ascii(s)
	default:
		i = f.asciiDetail(s)
	}
	f.plain = i == len(s)
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			f.from, f.to = i, i+1
			f.put(rune(asciiLower[c]), asciiClass[c])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if f.quick(s, i, r, n) {
			i += n
			continue
		}
		n = norm.NFKC.NextBoundaryInString(s[i:], true)
		f.from, f.to = i, i+n
		f.slow(s[i : i+n])
		i += n
	}
}

// ascii folds the leading ASCII of s and returns its length. It is put without
// the calls, for the text that nearly all rows are made of.
func (f *folder) ascii(s string) int {
	text, mask := f.text, f.mask
	prev, prevPrev := f.prev, f.prevPrev
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			break
		}
		cl := asciiClass[c]
		if cl == space {
			f.gap = len(text) > f.base
			continue
		}
		if f.gap {
			text = append(text, ' ')
			f.letters++
			prev, f.gap = space, false
		}
		if f.words {
			if beginsWord(prev, cl) {
				f.starts = append(f.starts, uint16(len(text)-f.base))
				f.initials |= asciiPresence[c]
			} else if cl == lower && prev == upper && prevPrev == upper {
				f.starts = append(f.starts, uint16(len(text)-1-f.base))
				f.initials |= asciiPresence[text[len(text)-1]]
			}
		}
		text = append(text, asciiLower[c])
		mask |= asciiPresence[c]
		f.letters++
		prevPrev, prev = prev, cl
	}
	if len(text) > len(f.text) {
		f.lastAt, f.lastRune = len(text)-1-f.base, rune(text[len(text)-1])
	}
	f.text, f.mask, f.prev, f.prevPrev = text, mask, prev, prevPrev
	return i
}

// asciiDetail is ascii for text of which no words are wanted.
func (f *folder) asciiDetail(s string) int {
	at := len(f.text)
	text := slices.Grow(f.text, len(s))
	text = text[:at+len(s)] // a space is written for one that was read
	mask, gap := f.mask, f.gap
	i, n := 0, at
	for ; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			break
		}
		if asciiClass[c] == space {
			gap = n > f.base
			continue
		}
		if gap {
			text[n] = ' '
			n++
			gap = false
		}
		text[n] = asciiLower[c]
		n++
		mask |= asciiPresence[c]
	}
	f.letters += n - at
	f.text, f.mask, f.gap = text[:n], mask, gap
	return i
}

// put appends one folded character.
func (f *folder) put(r rune, cl class) {
	if cl == space {
		if !f.gap {
			f.gapFrom = f.from
		}
		f.gap = len(f.text) > f.base
		return
	}
	if f.gap {
		f.text = append(f.text, ' ')
		f.letters++
		f.prev, f.gap = space, false
		if f.tracking {
			f.track = append(f.track, source{f.gapFrom, f.gapFrom + 1})
		}
	}
	if r == prolonged && f.prev == hiragana {
		cl = hiragana
	}
	at := len(f.text) - f.base
	if f.words {
		if beginsWord(f.prev, cl) {
			f.starts = append(f.starts, uint16(at))
			f.initials |= presence(r)
		} else if cl == lower && f.prev == upper && f.prevPrev == upper {
			f.starts = append(f.starts, uint16(f.lastAt))
			f.initials |= presence(f.lastRune)
		}
	}
	f.text = utf8.AppendRune(f.text, r)
	if f.tracking {
		for range len(f.text) - f.base - at {
			f.track = append(f.track, source{f.from, f.to})
		}
	}
	f.mask |= presence(r)
	f.letters++
	f.prevPrev, f.prev = f.prev, cl
	f.lastAt, f.lastRune = at, r
}

// quick folds the character r of n bytes at s[i:] if it can be folded without
// looking at what it composes with. fold_test.go holds it equal to slow.
func (f *folder) quick(s string, i int, r rune, n int) bool {
	f.from, f.to = i, i+n
	switch {
	case r >= 0x300 && r <= 0x36f: // after a base that quick or ASCII wrote
		return true
	case r < 0x250 || r >= 0x1e00 && r < 0x1f00:
		l := latin()[latinIndex(r)]
		if !l.quick {
			return false
		}
		if l.a != 0 {
			f.put(rune(l.a), l.class)
		}
		if l.b != 0 {
			f.put(rune(l.b), lower)
		}
		return true
	case r >= 0x400 && r < 0x483 || r >= 0x48a && r < 0x530:
		if follows(s[i+n:], 0x300, 0x36f) {
			return false
		}
		f.put(cyrillic(unicode.ToLower(r)), classOf(r))
		return true
	case r >= 0x4e00 && r < 0xa000 || r >= 0x3400 && r < 0x4dc0:
		f.put(r, han)
		return true
	case r >= 0x3041 && r < 0x3097:
		if follows(s[i+n:], 0x3099, 0x309a) || follows(s[i+n:], 0xff9e, 0xff9f) {
			return false
		}
		f.put(r, hiragana)
		return true
	case r >= 0x30a1 && r < 0x30fb || r == prolonged:
		if follows(s[i+n:], 0x3099, 0x309a) || follows(s[i+n:], 0xff9e, 0xff9f) {
			return false
		}
		f.put(r, katakana)
		return true
	case r >= 0xac00 && r < 0xd7a4:
		if rest := s[i+n:]; follows(rest, 0x1100, 0x11ff) || follows(rest, 0x3131, 0x318e) || follows(rest, 0xffa0, 0xffdc) {
			return false // a final consonant joins the syllable
		}
		f.put(r, otherLetter)
		return true
	}
	return false
}

func follows(s string, lo, hi rune) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= lo && r <= hi
}

// slow folds one normalisation segment.
func (f *folder) slow(seg string) {
	if r, _ := utf8.DecodeRuneInString(seg); ignorable(r) && utf8.RuneCountInString(seg) == 1 {
		return // before NFKC, which would spell ™ out
	}
	f.segment = norm.NFKC.AppendString(f.segment[:0], seg)
	for b := f.segment; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		f.slowRune(r, b[:n])
		b = b[n:]
	}
}

// slowRune folds r, whose encoding is enc, out of a composed segment.
func (f *folder) slowRune(r rune, enc []byte) {
	if ignorable(r) || accent(r) {
		return
	}
	cl := classOf(r)
	l := unicode.ToLower(r)
	if a, b := undecomposable(l); a != 0 {
		f.put(a, cl)
		if b != 0 {
			f.put(b, lower)
		}
		return
	}
	if r >= 0x400 && r < 0x530 {
		f.put(cyrillic(l), cl)
		return
	}
	if d := norm.NFD.Properties(enc).Decomposition(); d != nil && !composedScript(r) {
		for len(d) > 0 {
			p, n := utf8.DecodeRune(d)
			d = d[n:]
			if accent(p) {
				continue
			}
			p = unicode.ToLower(p)
			a, b := undecomposable(p)
			if a == 0 {
				a = p
			}
			f.put(a, cl)
			if b != 0 {
				f.put(b, lower)
			}
			if cl == upper {
				cl = lower
			}
		}
		return
	}
	f.put(l, cl)
}

// composedScript names the scripts whose canonical parts are not accents.
func composedScript(r rune) bool {
	return r >= 0x3040 && r < 0x3100 || r >= 0xac00 && r < 0xd7a4
}

// cyrillic folds the three letters whose mark readers leave out.
func cyrillic(r rune) rune {
	switch r {
	case 'ё', 'ѐ':
		return 'е'
	case 'ѝ':
		return 'и'
	}
	return r
}

// latinFold is how one Latin letter folds: to a, or to a and b; quick is unset
// where it folds to more.
type latinFold struct {
	a, b  uint16
	class class
	quick bool
}

func latinIndex(r rune) int {
	if r < 0x250 {
		return int(r)
	}
	return int(r-0x1e00) + 0x250
}

// latin is slow's answer for every letter that European and Vietnamese text is
// made of, looked up once.
var latin = sync.OnceValue(func() *[0x350]latinFold {
	var t [0x350]latinFold
	fill := func(r rune) {
		var f folder
		f.begin()
		f.slow(string(r))
		rs, composed := []rune(string(f.text)), []rune(norm.NFKC.String(string(r)))
		e := latinFold{class: classOf(composed[0])}
		e.quick = len(composed) == 1 && len(rs) <= 2 && (len(rs) > 0 || ignorable(r))
		for i, p := range rs {
			if p > 0xffff || classOf(p) <= separator {
				e.quick = false // what becomes punctuation is rare enough for slow
			} else if i == 0 {
				e.a = uint16(p)
			} else if i == 1 {
				e.b = uint16(p)
			}
		}
		t[latinIndex(r)] = e
	}
	for r := rune(0x80); r < 0x250; r++ {
		fill(r)
	}
	for r := rune(0x1e00); r < 0x1f00; r++ {
		fill(r)
	}
	return &t
})

// Fold returns s as it is compared: for sorting or comparing names as the
// matcher would.
func Fold(s string) []byte {
	var f folder
	f.fold(s)
	return f.text
}
