package match

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// canAbbreviate says whether the query's letters are in text in order so that
// every word that has any of them has its first letter among them: people
// abbreviate words from their beginnings, and a letter fished out of the middle
// of another word says nothing.
//
//	vstdco   Visual Studio Code   v|st.d|co
//	udco     Visual Studio Code   no
//
// Bit i of reach says that the words so far can make the first i letters. As a
// longer query's letters include a shorter one's, what cannot be abbreviated by
// the beginning of a query cannot be by the whole.
func canAbbreviate(text []byte, starts []uint16, q *Query) bool {
	if len(q.letters) != q.letterCount {
		return canAbbreviateRunes(text, starts, q)
	}
	letters := q.letters
	reach := uint64(1)
	for w, s := range starts {
		c := text[s]
		if c >= utf8.RuneSelf {
			continue
		}
		from := reach & q.letterBits[c]
		if from == 0 {
			continue
		}
		end := len(text)
		if w+1 < len(starts) {
			end = int(starts[w+1])
		}
		rest := text[s+1 : end]
		for ; from != 0; from &= from - 1 {
			i := bits.TrailingZeros64(from)
			k := i + 1
			for _, c := range rest {
				if k < len(letters) && c == letters[k] {
					k++
				}
			}
			if k == len(letters) {
				return true
			}
			reach |= (1<<(k-i) - 1) << (i + 1)
		}
	}
	return false
}

// canAbbreviateRunes is canAbbreviate for a query that is not ASCII.
func canAbbreviateRunes(text []byte, starts []uint16, q *Query) bool {
	reach := uint64(1)
	for w, s := range starts {
		end := len(text)
		if w+1 < len(starts) {
			end = int(starts[w+1])
		}
		word := text[s:end]
		for from := reach; from != 0; from &= from - 1 {
			i := bits.TrailingZeros64(from)
			rest, ok := bytes.CutPrefix(word, q.letter(i))
			k := i
			for ok {
				if k++; k == q.letterCount {
					return true
				}
				_, rest, ok = bytes.Cut(rest, q.letter(k))
			}
			reach |= (1<<(k-i) - 1) << (i + 1)
		}
	}
	return false
}

func (q *Query) letter(i int) []byte { return q.letters[q.letterAt[i].from:q.letterAt[i].to] }

// fuzzyMatcher finds the best-scoring way to abbreviate a text by a query.
//
// The score of a way is the sum over its letters: the first earns FirstAtWord;
// a later one earns AtWord if it begins a word, or Adjacent if it follows the
// one before, whichever is more; a gap of n letters costs GapStart and GapLetter
// for all but the first. A letter's best score follows from the best scores of
// the letter before, so each letter needs one walk over where it stands: a few
// places, not the whole text.
type fuzzyMatcher struct {
	places []fuzzyPlace // of all letters, the first letter's first
	last   int          // where the last letter's begin
	column []int32      // of each byte of a text that is not ASCII
}

// fuzzyPlace is where one letter of the query can stand, with the best score up
// to it and the place of the letter before that gives it.
type fuzzyPlace struct {
	at, end int32 // bytes
	word    int32 // number of the word it is in
	score   int32
	before  int32 // in places
}

// match returns the best score, or false where the letters are not there or
// score under the floor.
func (m *fuzzyMatcher) match(text []byte, letters int, starts []uint16, q *Query) (int, bool) {
	ascii := letters == len(text)
	if !ascii {
		m.columns(text)
	}
	m.places = m.places[:0]
	from := 0 // of the last letter's places
	for i, l := range q.letterAt {
		to := len(m.places)
		if i == 0 {
			m.first(text, starts, q.letters[l.from:l.to])
		} else {
			m.later(text, starts, q.letters[l.from:l.to], from, to, ascii)
		}
		if len(m.places) == to {
			return 0, false
		}
		from = to
	}
	m.last = from
	best := int(m.places[m.best(from)].score)
	return best, best >= FuzzyFloor
}

// best returns the best place among those from on.
func (m *fuzzyMatcher) best(from int) int {
	best := from
	for i := from + 1; i < len(m.places); i++ {
		if m.places[i].score > m.places[best].score {
			best = i
		}
	}
	return best
}

// first adds the places of the query's first letter: beginnings of words.
func (m *fuzzyMatcher) first(text []byte, starts []uint16, letter []byte) {
	for w, s := range starts {
		if bytes.HasPrefix(text[s:], letter) {
			m.places = append(m.places, fuzzyPlace{at: int32(s), end: int32(int(s) + len(letter)), word: int32(w), score: FirstAtWord, before: -1})
		}
	}
}

// later adds the places of a letter whose forerunner stands at places[first:end].
func (m *fuzzyMatcher) later(text []byte, starts []uint16, letter []byte, first, end int, ascii bool) {
	word := int(m.places[first].word)
	next := first
	// The best of score+column among the forerunners passed, and whose it is:
	// of all, for a letter that begins a word, and of those in the same word.
	reach, reached := int32(0), int32(-1)
	inner, innermost := int32(0), int32(-1)
	for from := int(m.places[first].end); ; {
		n := indexLetter(text[from:], letter)
		if n < 0 {
			return
		}
		at := int32(from + n)
		from += n + len(letter)
		for word+1 < len(starts) && int32(starts[word+1]) <= at {
			word++
		}
		adjacent := int32(-1)
		for ; next < end && m.places[next].end <= at; next++ {
			b := &m.places[next]
			if b.end == at {
				adjacent = int32(next)
			}
			v := b.score + m.col(b.at, ascii)*GapLetter
			if reached < 0 || v > reach {
				reach, reached = v, int32(next)
			}
			if innermost < 0 || m.places[innermost].word != b.word || v > inner {
				inner, innermost = v, int32(next)
			}
		}
		p := fuzzyPlace{at: at, end: int32(from), word: int32(word)}
		bonus := int32(0)
		best, before := reach, reached
		if int32(starts[word]) == at {
			bonus = AtWord
		} else {
			best, before = inner, innermost
			if innermost >= 0 && m.places[innermost].word != int32(word) {
				continue // fished out of the middle of a word
			}
		}
		// For a gap of col-bcol-1 letters; for the adjacent place it comes to
		// less than what that gets below.
		p.score, p.before = best-(m.col(at, ascii)-2)*GapLetter-GapStart+bonus, before
		if adjacent >= 0 {
			if v := m.places[adjacent].score + max(Adjacent, bonus); v >= p.score {
				p.score, p.before = v, adjacent
			}
		}
		m.places = append(m.places, p)
	}
}

func (m *fuzzyMatcher) col(at int32, ascii bool) int32 {
	if ascii {
		return at
	}
	return m.column[at]
}

func indexLetter(text, letter []byte) int {
	if len(letter) == 1 {
		return bytes.IndexByte(text, letter[0])
	}
	return bytes.Index(text, letter)
}

// columns numbers the characters of text.
func (m *fuzzyMatcher) columns(text []byte) {
	m.column = m.column[:0]
	n := int32(-1)
	for _, c := range text {
		if utf8.RuneStart(c) {
			n++
		}
		m.column = append(m.column, n)
	}
}

// scattered finds tier 6 among the entries that the query can abbreviate.
func (s *Searcher) scattered(st *state) bool {
	if !s.q.abbreviates() {
		return true
	}
	ix := st.ix
	for _, e := range st.abbreviated { // titles, then aliases
		if s.stop() {
			return false
		}
		r := ix.rowOf(e)
		if st.isSeen(r) {
			continue
		}
		p := s.placeFuzzy(ix, e)
		if ix.fieldOf(e) == Alias {
			for a, to := ix.rowAliases(r); a < to; a++ {
				p = min(p, s.placeFuzzy(ix, a))
			}
		}
		if p != nowhere {
			s.push(st, r, p)
		}
	}
	return true
}

func (s *Searcher) placeFuzzy(ix *Index, e uint32) place {
	if s.q.letterMask&^ix.masks[e] != 0 {
		return nowhere
	}
	score, ok := s.fuzzy.match(ix.entry(e), int(ix.letters[e]), ix.entryStarts(e), &s.q)
	if !ok {
		return nowhere
	}
	return placeFuzzy(ix.fieldOf(e), s.q.letterCount, score, s.left(ix, e))
}
