package match

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// maxAbbreviated bounds, in bytes, the letters of a query that is taken for
// initials or an abbreviation: the positions reached in it are the bits of a word.
const maxAbbreviated = 63

// abbreviates says whether q is looked for in tiers 4 and 6.
func (q *Query) abbreviates() bool {
	return q.letterCount >= MinFuzzyLetters && len(q.letters) <= maxAbbreviated
}

func presenceOfFirst(q *Query) uint64 {
	r, _ := utf8.DecodeRune(q.letters)
	return presence(r)
}

// acronyms finds tier 4, and gathers the entries that the query can abbreviate
// at all for tier 6 and the queries that follow.
func (s *Searcher) acronyms(st *state) bool {
	q, ix := &s.q, st.ix
	if !q.abbreviates() {
		return true
	}
	if st.abbreviatedOK && bytes.HasPrefix(q.letters, st.abbreviatedBy) {
		kept := st.abbreviated[:0]
		for _, e := range st.abbreviated {
			if s.stop() {
				return false
			}
			if q.letterMask&^ix.masks[e] == 0 && canAbbreviate(ix.entry(e), ix.entryStarts(e), q) {
				kept = append(kept, e)
			}
		}
		st.abbreviated = kept
	} else {
		st.abbreviated, st.abbreviatedOK = st.abbreviated[:0], false
		st.setSteps(q)
		first, initials := presenceOfFirst(q), ix.initials
		for e, m := range ix.masks {
			if q.letterMask&^m == 0 && first&initials[e] != 0 {
				if s.stop() {
					return false
				}
				if st.mayAbbreviate(uint32(e), q) && canAbbreviate(ix.entry(uint32(e)), ix.entryStarts(uint32(e)), q) {
					st.abbreviated = append(st.abbreviated, uint32(e))
				}
			}
		}
	}
	st.abbreviatedBy, st.abbreviatedOK = append(st.abbreviatedBy[:0], q.letters...), true
	for _, e := range st.abbreviated { // titles, then aliases
		r := ix.rowOf(e)
		if st.isSeen(r) {
			continue
		}
		p := s.placeAcronym(ix, e)
		if ix.fieldOf(e) == Alias {
			for a, to := ix.rowAliases(r); a < to; a++ {
				p = min(p, s.placeAcronym(ix, a))
			}
		}
		if p != nowhere {
			s.push(st, r, p)
		}
	}
	return true
}

func (s *Searcher) placeAcronym(ix *Index, e uint32) place {
	if !isAcronym(ix.entry(e), ix.entryStarts(e), &s.q) {
		return nowhere
	}
	return placeClose(Acronym, ix.fieldOf(e), ix.accentExact(e, &s.q), s.left(ix, e), false)
}

// isAcronym says whether the query's letters are beginnings of neighbouring
// words of text put together, each of at least a letter and none across a
// separator of the query:
//
//	vscode   v|s|code   Visual Studio Code
//	vs code  v|s code   Visual Studio Code
//	foo-bar  foo bar    Foo Bar
//
// All ways to cut the query are followed at once: bit i of reach says that the
// words so far can make the first i bytes.
func isAcronym(text []byte, starts []uint16, q *Query) bool {
	letters := q.letters
	var reach uint64
	for w, s := range starts {
		end := len(text)
		if w+1 < len(starts) {
			end = int(starts[w+1])
		}
		word := text[s:end]
		var next uint64
		for from := reach | 1; from != 0; from &= from - 1 {
			p := bits.TrailingZeros64(from)
			limit := int(q.limits[p])
			n := 0
			for n < len(word) && p+n < limit && word[n] == letters[p+n] {
				n++
			}
			if p+n == len(letters) {
				if p > 0 {
					return true
				}
				n-- // one word alone is no acronym
			}
			next |= (1<<n - 1) << (p + 1)
		}
		reach = next
	}
	return false
}
