package match

import (
	"bytes"
	"unicode/utf8"
)

// hasInOrder says whether text has the query's letters in order.
func hasInOrder(text []byte, q *Query) bool {
	if len(q.letters) == q.letterCount {
		for _, c := range q.letters {
			i := bytes.IndexByte(text, c)
			if i < 0 {
				return false
			}
			text = text[i+1:]
		}
		return true
	}
	for _, l := range q.letterAt {
		letter := q.letters[l.from:l.to]
		i := bytes.Index(text, letter)
		if i < 0 {
			return false
		}
		text = text[i+len(letter):]
	}
	return true
}

// fuzzyMatcher finds the best-scoring way to have a query's letters in order.
//
// The score of a way is the sum over its letters: the first earns FirstAtWord
// if it begins a word; a later one earns AtWord if it begins a word, or
// Adjacent if it follows the one before, whichever is more; a gap of n letters
// costs GapStart and GapLetter for all but the first. A letter's best score
// follows from the best scores of the letter before, so each letter needs one
// walk over where it stands: a few places, not the whole text.
type fuzzyMatcher struct {
	places []fuzzyPlace // of all letters, the first letter's first
	last   int          // where the last letter's begin
	column []int32      // of each byte of a text that is not ASCII
}

// fuzzyPlace is where one letter of the query can stand, with the best score up
// to it and the place of the letter before that gives it.
type fuzzyPlace struct {
	at, end int32 // bytes
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

// first adds the places of the query's first letter.
func (m *fuzzyMatcher) first(text []byte, starts []uint16, letter []byte) {
	word := 0
	for from := 0; ; {
		n := indexLetter(text[from:], letter)
		if n < 0 {
			return
		}
		at := from + n
		from = at + len(letter)
		p := fuzzyPlace{at: int32(at), end: int32(from), before: -1}
		for word < len(starts) && int(starts[word]) < at {
			word++
		}
		if word < len(starts) && int(starts[word]) == at {
			p.score = FirstAtWord
		}
		m.places = append(m.places, p)
	}
}

// later adds the places of a letter whose forerunner stands at places[first:end].
func (m *fuzzyMatcher) later(text []byte, starts []uint16, letter []byte, first, end int, ascii bool) {
	word := 0
	next := first
	reach, reached := int32(0), int32(-1) // best of score+column among forerunners passed, and whose it is
	for from := int(m.places[first].end); ; {
		n := indexLetter(text[from:], letter)
		if n < 0 {
			return
		}
		at := int32(from + n)
		from += n + len(letter)
		for word < len(starts) && int32(starts[word]) < at {
			word++
		}
		bonus := int32(0)
		if word < len(starts) && int32(starts[word]) == at {
			bonus = AtWord
		}
		p := fuzzyPlace{at: at, end: int32(from)}
		adjacent := int32(-1)
		for ; next < end && m.places[next].end <= at; next++ {
			b := &m.places[next]
			if b.end == at {
				adjacent = int32(next)
			}
			if v := b.score + m.col(b.at, ascii)*GapLetter; reached < 0 || v > reach {
				reach, reached = v, int32(next)
			}
		}
		// For a gap of col-bcol-1 letters; for the adjacent place it comes to
		// less than what that gets below.
		p.score, p.before = reach-(m.col(at, ascii)-2)*GapLetter-GapStart+bonus, reached
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

// scattered finds tier 6 among the entries that have the letters at all, and
// keeps of those only the ones that have them in order.
func (s *Searcher) scattered(st *state) bool {
	q, ix := &s.q, st.ix
	if q.letterCount < MinFuzzyLetters {
		return true
	}
	kept := st.cand[:0]
	for _, e := range st.cand {
		if s.stop() {
			return false
		}
		if r := ix.rowOf(e); st.isSeen(r) {
			kept = append(kept, e)
		} else if hasInOrder(ix.entry(e), q) {
			kept = append(kept, e)
			s.fuzzyRow(st, r, e)
		}
	}
	st.cand = kept
	return true
}

func (s *Searcher) fuzzyRow(st *state, r, e uint32) {
	ix := st.ix
	p := s.placeFuzzy(ix, e)
	for a, to := ix.rowAliases(r); a < to; a++ {
		if a != e && s.q.letterMask&^ix.masks[a] == 0 {
			p = min(p, s.placeFuzzy(ix, a))
		}
	}
	if p != nowhere {
		s.push(st, r, p)
	}
}

func (s *Searcher) placeFuzzy(ix *Index, e uint32) place {
	score, ok := s.fuzzy.match(ix.entry(e), int(ix.letters[e]), ix.entryStarts(e), &s.q)
	if !ok {
		return nowhere
	}
	return placeFuzzy(ix.fieldOf(e), s.q.letterCount, score, s.left(ix, e))
}
