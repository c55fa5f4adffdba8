package match

import (
	"bytes"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxQuery bounds a query's bytes; what is typed or pasted beyond is not looked at.
const MaxQuery = 1024

// Query is a prepared query. The zero Query finds nothing; a Query can be set
// anew any number of times and then reuses its memory. It must not be copied
// once set.
type Query struct {
	raw   string
	f     folder
	text  []byte // folded, words separated by one space
	mask  uint64
	runes int

	grams grams
	words []queryWord

	// letters is text without separators, what tiers 4 and 6 go by.
	letters     []byte
	letterMask  uint64
	letterCount int
	letterBits  [utf8.RuneSelf]uint64 // for each ASCII letter, which letters of the query it is
	letterAt    []span16              // each letter's bytes in letters
	limits      []uint16              // for each byte of letters, where its token ends
	tokens      []token               // the runs of letters between separators, what tier 7 goes by
	tokenRunes  []rune

	accents    []byte // lower case and composed, accents kept
	accentWord []span16
	plain      bool // accents and text are the same
}

type span16 struct{ from, to uint16 }

// queryWord is what stands between spaces.
type queryWord struct {
	span16
	mask uint64
	head int // bytes up to the first separator: what a word of the vocabulary can begin with
}

// NewQuery returns text as a prepared query.
func NewQuery(text string) *Query {
	q := new(Query)
	q.Set(text)
	return q
}

// Set prepares text, forgetting what q was before.
func (q *Query) Set(text string) {
	if len(text) > MaxQuery {
		text = text[:MaxQuery]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		text = text[:len(text)-1] // the cut may have gone through this one
	}
	q.raw = text
	q.f.text = q.f.text[:0]
	q.f.fold(text)
	q.text, q.mask, q.runes = q.f.text, q.f.mask, q.f.letters
	q.grams = grams{}
	q.grams.add(q.text)
	q.setWords()
	q.setLetters()
	q.setAccents(text)
}

// Empty says whether nothing is left to search for.
func (q *Query) Empty() bool { return len(q.text) == 0 }

// Folded returns the query as it is compared with rows; it is valid until Set.
func (q *Query) Folded() []byte { return q.text }

func (q *Query) setWords() {
	q.words = q.words[:0]
	for i := 0; i < len(q.text); {
		end := len(q.text)
		if n := bytes.IndexByte(q.text[i:], ' '); n >= 0 {
			end = i + n
		}
		w := queryWord{span16: span16{uint16(i), uint16(end)}, mask: presenceOf(q.text[i:end])}
		for w.head < end-i {
			r, n := utf8.DecodeRune(q.text[i+w.head:])
			if !classOf(r).inWord() {
				break
			}
			w.head += n
		}
		q.words = append(q.words, w)
		i = end + 1
	}
}

// oneWord says whether q is a single word that the vocabulary tells apart
// whole: what it finds there needs no second look.
func (q *Query) oneWord() bool {
	return len(q.words) == 1 && q.words[0].head == len(q.text) && len(q.text) <= maxWord
}

func (q *Query) word(i int) []byte { return q.text[q.words[i].from:q.words[i].to] }

func (q *Query) setLetters() {
	q.letters, q.letterAt, q.limits = q.letters[:0], q.letterAt[:0], q.limits[:0]
	q.tokens, q.tokenRunes = q.tokens[:0], q.tokenRunes[:0]
	q.letterMask, q.letterCount = 0, 0
	for i := 0; i < len(q.text); {
		r, n := utf8.DecodeRune(q.text[i:])
		if classOf(r).inWord() {
			at := uint16(len(q.letters))
			q.letters = append(q.letters, q.text[i:i+n]...)
			q.letterAt = append(q.letterAt, span16{at, at + uint16(n)})
			q.tokenRunes = append(q.tokenRunes, r)
			q.letterMask |= presence(r)
		} else {
			q.closeToken()
		}
		i += n
	}
	q.closeToken()
	q.letterCount = len(q.letterAt)
	clear(q.letterBits[:])
	for i, c := range q.letters[:min(len(q.letters), maxAbbreviated)] {
		if c < utf8.RuneSelf {
			q.letterBits[c] |= 1 << i
		}
	}
}

// token is a run of a query's letters.
type token struct {
	from, to int    // in tokenRunes
	bytes    span16 // in letters
	mask     uint64
	budget   int // slips forgiven
}

// closeToken notes that the letters since the last token make one.
func (q *Query) closeToken() {
	from := 0
	if n := len(q.tokens); n > 0 {
		from = q.tokens[n-1].to
	}
	if from == len(q.tokenRunes) {
		return
	}
	t := token{
		from: from, to: len(q.tokenRunes),
		bytes:  span16{uint16(len(q.limits)), uint16(len(q.letters))},
		budget: TypoBudget(q.tokenRunes[from:]),
	}
	for _, r := range q.tokenRunes[from:] {
		t.mask |= presence(r)
	}
	q.tokens = append(q.tokens, t)
	for len(q.limits) < len(q.letters) {
		q.limits = append(q.limits, uint16(len(q.letters)))
	}
}

func (q *Query) tokenText(t token) []rune { return q.tokenRunes[t.from:t.to] }

func (q *Query) setAccents(text string) {
	q.accents, q.accentWord = appendAccents(q.accents[:0], &q.f.segment, text), q.accentWord[:0]
	q.plain = bytes.Equal(q.accents, q.text)
	for i := 0; i < len(q.accents); {
		end := len(q.accents)
		if n := bytes.IndexByte(q.accents[i:], ' '); n >= 0 {
			end = i + n
		}
		q.accentWord = append(q.accentWord, span16{uint16(i), uint16(end)})
		i = end + 1
	}
}

// accentExact says whether text, the accent form of a row's field, has every
// query word with its accents.
func (q *Query) accentExact(text []byte) bool {
	for _, w := range q.accentWord {
		if !bytes.Contains(text, q.accents[w.from:w.to]) {
			return false
		}
	}
	return true
}

// appendAccents appends s in lower case with its accents, composed.
// composed is memory to work in.
func appendAccents(dst []byte, composed *[]byte, s string) []byte {
	base := len(dst)
	*composed = norm.NFKC.AppendString((*composed)[:0], s)
	gap := false
	for b := *composed; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		if classOf(r) == space {
			gap = len(dst) > base
			continue
		}
		if ignorable(r) || r >= 0xfe00 && accent(r) {
			continue
		}
		if gap {
			dst = append(dst, ' ')
			gap = false
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// presenceOf returns the presence mask of folded text.
func presenceOf(b []byte) (m uint64) {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			m |= asciiPresence[c]
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		m |= presence(r)
		i += n
	}
	return m
}

// lacks says how many different letters of q are missing from a text at least.
func lacks(q, text uint64) int { return bits.OnesCount64(q &^ text) }
