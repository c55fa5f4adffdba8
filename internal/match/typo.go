package match

import "unicode/utf8"

// tooMany is more slips than any word is forgiven.
const tooMany = 3

// slips returns how many slips lead from query word q to the nearest beginning
// of word, or tooMany if more than budget: a wrong, missing or extra letter, or
// two neighbours swapped (optimal string alignment). Only the cells at most
// budget off the diagonal can matter.
func slips(q []rune, word []byte, budget int) int {
	var letters [MaxTypoLetters + tooMany]rune
	n := 0
	for len(word) > 0 && n < len(q)+budget {
		if word[0] < utf8.RuneSelf {
			letters[n] = rune(word[0])
			word = word[1:]
		} else {
			r, size := utf8.DecodeRune(word)
			letters[n] = r
			word = word[size:]
		}
		n++
	}
	if n < len(q)-budget {
		return tooMany
	}
	const off = tooMany
	var rows [3][MaxTypoLetters + 2*tooMany]uint8
	older, old, row := &rows[0], &rows[1], &rows[2]
	for j := range n + 1 {
		old[j] = uint8(min(j, off))
	}
	for i := 1; i <= len(q); i++ {
		lo, hi := max(1, i-budget), min(n, i+budget)
		row[lo-1] = off
		if lo == 1 {
			row[0] = uint8(min(i, off))
		}
		least := row[lo-1]
		for j := lo; j <= hi; j++ {
			d := old[j-1]
			if q[i-1] != letters[j-1] {
				d++
			}
			if j < i+budget { // else the cell above is off the band
				d = min(d, old[j]+1)
			}
			d = min(d, row[j-1]+1)
			if i > 1 && j > 1 && q[i-1] == letters[j-2] && q[i-2] == letters[j-1] {
				d = min(d, older[j-2]+1)
			}
			row[j] = min(d, off)
			least = min(least, row[j])
		}
		if int(least) > budget {
			return tooMany
		}
		older, old, row = old, row, older
	}
	best := uint8(off)
	for j := max(0, len(q)-budget); j <= min(n, len(q)+budget); j++ {
		best = min(best, old[j])
	}
	if int(best) > budget {
		return tooMany
	}
	return int(best)
}

// mistyped finds tier 7 over the vocabulary of the entries.
func (s *Searcher) mistyped(st *state) bool {
	q, ix := &s.q, st.ix
	if len(q.tokens) == 0 {
		return true
	}
	pivot := q.tokens[0]
	for _, t := range q.tokens[1:] {
		if t.budget > pivot.budget || t.budget == pivot.budget && t.to-t.from > pivot.to-pivot.from {
			pivot = t
		}
	}
	if pivot.budget == 0 {
		return true
	}
	v := &ix.vocab
	st.words, st.slips = st.words[:0], st.slips[:0]
	text, least := q.tokenText(pivot), pivot.to-pivot.from-pivot.budget
	for w, m := range v.mask {
		if lacks(pivot.mask, m) > pivot.budget || int(v.size[w]) < least {
			continue
		}
		if s.stop() {
			return false
		}
		if d := slips(text, v.word(ix.text, w), pivot.budget); d <= pivot.budget {
			st.words, st.slips = append(st.words, uint32(w)), append(st.slips, uint8(d))
		}
	}
	for d := 0; d <= pivot.budget; d++ {
		for i, w := range st.words {
			if int(st.slips[i]) != d {
				continue
			}
			for _, e := range v.post[v.postAt[w]:v.postAt[w+1]] {
				if s.stop() {
					return false
				}
				s.typoRow(st, e, d)
			}
		}
	}
	return true
}

// typoRow pushes e's row; e has a word that is d slips from the pivot, and none
// that is nearer.
func (s *Searcher) typoRow(st *state, e uint32, d int) {
	q, ix := &s.q, st.ix
	r := ix.rowOf(e)
	if st.isSeen(r) {
		return
	}
	if len(q.tokens) == 1 && ix.fieldOf(e) == Title {
		s.push(st, r, placeTypo(Title, d, s.left(ix, e)))
		return
	}
	p := s.placeTypo(ix, r)
	for a, to := ix.rowAliases(r); a < to; a++ {
		p = min(p, s.placeTypo(ix, a))
	}
	if p != nowhere {
		s.push(st, r, p)
	}
}

func (s *Searcher) placeTypo(ix *Index, e uint32) place {
	sum := 0
	for _, t := range s.q.tokens {
		d := s.nearest(ix, e, t)
		if d > t.budget {
			return nowhere
		}
		sum += d
	}
	return placeTypo(ix.fieldOf(e), sum, s.left(ix, e))
}

// nearest returns the slips from t to the nearest word of e.
func (s *Searcher) nearest(ix *Index, e uint32, t token) int {
	if lacks(t.mask, ix.masks[e]) > t.budget {
		return tooMany
	}
	best, _, _ := nearestWord(ix.entry(e), ix.entryStarts(e), s.q.tokenText(t), t.budget)
	return best
}

// nearestWord returns the slips from q to the nearest word of text, and where
// that word stands.
func nearestWord(text []byte, starts []uint16, q []rune, budget int) (best, from, to int) {
	best = tooMany
	end := 0
	for _, s := range starts {
		at := int(s)
		if at >= end {
			end = wordEnd(text, at)
		}
		d := tooMany
		if budget == 0 { // q may be longer than slips can take
			if hasRunes(text[at:end], q) {
				d = 0
			}
		} else {
			d = slips(q, text[at:min(end, at+maxWord)], min(budget, best))
		}
		if d < best {
			best, from, to = d, at, min(end, at+maxWord)
		}
	}
	return best, from, to
}

// hasRunes says whether b begins with q.
func hasRunes(b []byte, q []rune) bool {
	for _, want := range q {
		r, n := utf8.DecodeRune(b)
		if r != want || n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}
