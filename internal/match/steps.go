package match

import (
	"math/bits"
	"unicode/utf8"
)

// A step is how far a word takes an abbreviation: the lowest bit is the letter
// of the query that has to be the word's first, the others are how many letters
// are then made; zero takes it nowhere.

// anywhere is the step of a word of which too little is known.
const anywhere = ^uint64(0)

// setSteps works out the step of each word of the vocabulary for q, once for all
// the entries that have the word. A word that begins with a letter which the
// query has twice takes a second way, which stands in again.
func (st *state) setSteps(q *Query) {
	v := &st.ix.vocab
	if cap(st.steps) < v.len() {
		st.steps, st.again = make([]uint64, v.len()), make([]uint64, v.len())
	}
	st.steps, st.again, st.twice = st.steps[:v.len()], st.again[:v.len()], false
	if len(q.letters) != q.letterCount {
		return // mayAbbreviate does not ask
	}
	for w, key := range v.key {
		st.steps[w], st.again[w] = 0, 0
		first := byte(key >> 56)
		if first >= utf8.RuneSelf {
			continue
		}
		from := q.letterBits[first]
		switch n := bits.OnesCount64(from); {
		case n == 0:
		case n > 2 || v.size[w] == maxWord:
			st.steps[w] = anywhere
		default:
			word := v.word(st.ix.text, w)
			st.steps[w] = stepOf(word, q.letters, bits.TrailingZeros64(from))
			if n == 2 {
				st.again[w], st.twice = stepOf(word, q.letters, 63-bits.LeadingZeros64(from)), true
			}
		}
	}
}

// stepOf is the step of a word that begins with letter i.
func stepOf(word, letters []byte, i int) uint64 {
	k := i
	for _, c := range word {
		if k < len(letters) && c == letters[k] {
			k++
		}
	}
	return (1<<(k-i+1) - 1) << i
}

// mayAbbreviate says whether the steps of e's words, one after the other, make
// all of q. It says yes too often, as the vocabulary's words go on over humps,
// but never no where canAbbreviate says yes.
func (st *state) mayAbbreviate(e uint32, q *Query) bool {
	if len(q.letters) != q.letterCount {
		return true
	}
	ix := st.ix
	words := ix.vocab.words[ix.startAt[e]:ix.startAt[e+1]]
	reach := uint64(1)
	for _, w := range words {
		reach = take(reach, st.steps[w])
		if st.twice {
			reach = take(reach, st.again[w])
		}
	}
	return reach>>len(q.letters)&1 != 0
}

// take adds step s to reach if its lowest bit is there, without a branch that
// nobody could predict.
func take(reach, s uint64) uint64 {
	bit := reach & s & -s
	return reach | s&uint64(int64(bit|-bit)>>63)
}
