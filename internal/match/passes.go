package match

import "bytes"

// wholes finds tiers 1 and 2: what begins with the whole query.
func (s *Searcher) wholes(st *state) bool {
	q, ix := &s.q, st.ix
	head := q.words[0].head
	st.words = st.words[:0]
	if head == 0 { // begins with a separator: no word to look up
		for _, exact := range [...]bool{true, false} {
			for e, m := range ix.masks {
				if s.stop() {
					return false
				}
				if q.mask&^m == 0 {
					s.whole(st, uint32(e), exact)
				}
			}
		}
		return true
	}
	v := &ix.vocab
	st.words = v.prefixed(st.words, ix.text, q.text[:min(head, maxWord)])
	for _, exact := range [...]bool{true, false} {
		for _, w := range st.words {
			if exact && int(v.size[w]) > len(q.text) {
				continue
			}
			for _, e := range v.post[v.postAt[w]:v.wholeTo[w]] {
				if s.stop() {
					return false
				}
				s.whole(st, e, exact)
			}
		}
	}
	return true
}

// whole pushes e's row if e is the query (exact), or is a title that begins with it.
func (s *Searcher) whole(st *state, e uint32, exact bool) {
	q, ix := &s.q, st.ix
	size := int(ix.textAt[e+1] - ix.textAt[e])
	if exact != (size == len(q.text)) || !exact && ix.fieldOf(e) != Title {
		return
	}
	r := ix.rowOf(e)
	if st.isSeen(r) || !q.oneWord() && !bytes.HasPrefix(ix.entry(e), q.text) {
		return
	}
	if !exact {
		s.push(st, r, placeClose(Prefix, Title, ix.accentExact(e, q), s.left(ix, e), false))
		return
	}
	p := placeClose(Exact, ix.fieldOf(e), ix.accentExact(e, q), 0, false)
	if ix.fieldOf(e) == Alias { // another alias may be the query with its accents
		for a, to := ix.rowAliases(r); a < to; a++ {
			if bytes.Equal(ix.entry(a), q.text) {
				p = min(p, placeClose(Exact, Alias, ix.accentExact(a, q), 0, false))
			}
		}
	}
	s.push(st, r, p)
}

// left is how many letters of e the query leaves over.
func (s *Searcher) left(ix *Index, e uint32) int { return max(0, int(ix.letters[e])-s.q.runes) }

// beginnings finds tier 3: all query words begin words, in order.
func (s *Searcher) beginnings(st *state) bool {
	q, ix := &s.q, st.ix
	pivot := 0
	for i, w := range q.words {
		if w.head == 0 {
			return true // no word begins with a separator
		}
		if w.head > q.words[pivot].head {
			pivot = i
		}
	}
	v := &ix.vocab
	if pivot != 0 {
		w := q.words[pivot]
		st.words = v.prefixed(st.words[:0], ix.text, q.text[w.from:int(w.from)+min(w.head, maxWord)])
	}
	settled := q.oneWord()
	for _, field := range [...]Field{Title, Alias} {
		if field == Alias && ix.aliasAt == nil {
			break
		}
		for _, w := range st.words {
			for _, e := range v.post[v.postAt[w]:v.postAt[w+1]] {
				if s.stop() {
					return false
				}
				r := ix.rowOf(e)
				if ix.fieldOf(e) != field || st.isSeen(r) || !settled && !s.begins(ix, e) {
					continue
				}
				p := s.placeBegin(ix, e)
				if field == Alias {
					for a, to := ix.rowAliases(r); a < to; a++ {
						if a != e && s.begins(ix, a) {
							p = min(p, s.placeBegin(ix, a))
						}
					}
				}
				s.push(st, r, p)
			}
		}
	}
	return true
}

func (s *Searcher) placeBegin(ix *Index, e uint32) place {
	return placeClose(WordPrefix, ix.fieldOf(e), ix.accentExact(e, &s.q), s.left(ix, e), false)
}

// begins says whether every query word begins a word of e, in order and apart.
func (s *Searcher) begins(ix *Index, e uint32) bool {
	q := &s.q
	if q.mask&^ix.masks[e] != 0 {
		return false
	}
	text, starts := ix.entry(e), ix.entryStarts(e)
	at := 0
	for i := range q.words {
		word := q.word(i)
		from := -1
		for len(starts) > 0 && from < 0 {
			if int(starts[0]) >= at && bytes.HasPrefix(text[starts[0]:], word) {
				from = int(starts[0])
			}
			starts = starts[1:]
		}
		if from < 0 {
			return false
		}
		at = from + len(word)
	}
	return true
}

// nowhere is the place of what was not found.
const nowhere = ^place(0)

// substrings finds tier 5 in titles and aliases: by the words of the vocabulary
// that hold the query's longest token.
func (s *Searcher) substrings(st *state) bool {
	q, ix := &s.q, st.ix
	if len(q.tokens) == 0 { // punctuation only
		for e, m := range ix.masks {
			if s.stop() {
				return false
			}
			if q.mask&^m == 0 {
				s.substringRow(st, uint32(e), false)
			}
		}
		return true
	}
	pivot := q.tokens[0]
	for _, t := range q.tokens[1:] {
		if t.bytes.to-t.bytes.from > pivot.bytes.to-pivot.bytes.from {
			pivot = t
		}
	}
	sub := q.letters[pivot.bytes.from:pivot.bytes.to]
	v := &ix.vocab
	st.words = v.containing(st.words[:0], ix.text, sub, pivot.mask)
	settled := len(sub) == len(q.text)
	for _, field := range [...]Field{Title, Alias} {
		if field == Alias && ix.aliasAt == nil {
			break
		}
		for _, w := range st.words {
			for _, e := range v.post[v.postAt[w]:v.postAt[w+1]] {
				if s.stop() {
					return false
				}
				if ix.fieldOf(e) == field {
					s.substringRow(st, e, settled)
				}
			}
		}
		for _, e := range v.long { // the vocabulary knows their words' beginnings only
			if ix.fieldOf(e) == field {
				s.substringRow(st, e, false)
			}
		}
	}
	return true
}

// substringRow pushes e's row if it has the query's words, which is settled or
// to be seen. All titles come before any alias.
func (s *Searcher) substringRow(st *state, e uint32, settled bool) {
	q, ix := &s.q, st.ix
	r := ix.rowOf(e)
	if st.isSeen(r) {
		return
	}
	var p place
	if settled {
		p = placeClose(Substring, ix.fieldOf(e), ix.accentExact(e, q), s.left(ix, e), false)
	} else {
		p = s.placeSubstring(ix, e)
	}
	if ix.fieldOf(e) == Alias {
		for a, to := ix.rowAliases(r); a < to; a++ {
			p = min(p, s.placeSubstring(ix, a))
		}
	}
	if p != nowhere {
		s.push(st, r, p)
	}
}

func (s *Searcher) placeSubstring(ix *Index, e uint32) place {
	q := &s.q
	if q.mask&^ix.masks[e] != 0 {
		return nowhere
	}
	text := ix.entry(e)
	spread := false
	if !bytes.Contains(text, q.text) {
		if spread = true; len(q.words) == 1 || !containsWords(text, q) {
			return nowhere
		}
	}
	return placeClose(Substring, ix.fieldOf(e), ix.accentExact(e, q), s.left(ix, e), spread)
}

func containsWords(text []byte, q *Query) bool {
	for i := range q.words {
		if !bytes.Contains(text, q.word(i)) {
			return false
		}
	}
	return true
}

// details finds what is left of tier 5: the query in the subtitle or URL, or
// its words spread over the row.
func (s *Searcher) details(st *state) bool {
	q, ix := &s.q, st.ix
	// One word has to stand in the details whole; of several, each may stand in
	// any field, so what was gathered for one word is too little for two.
	one := len(q.words) == 1
	if st.rowsOK && st.rowsOne == one && bytes.HasPrefix(q.text, st.rowsText) {
		kept := st.rows[:0]
		for _, r := range st.rows {
			if s.stop() {
				return false
			}
			if s.detailRow(st, r) {
				kept = append(kept, r)
			}
		}
		st.rows = kept
	} else {
		st.rows, st.rowsOK = st.rows[:0], false
		for r, m := range ix.anyMask {
			if q.mask&^m == 0 && (!one || ix.grams[r].has(&q.grams)) {
				if s.stop() {
					return false
				}
				if s.detailRow(st, uint32(r)) {
					st.rows = append(st.rows, uint32(r))
				}
			}
		}
	}
	st.rowsText, st.rowsOne, st.rowsOK = append(st.rowsText[:0], q.text...), one, true
	return true
}

// detailRow pushes r if its details hold the query, and says whether a longer
// query can be found in its fields.
func (s *Searcher) detailRow(st *state, r uint32) bool {
	if st.isSeen(r) {
		return true // found in a better way; a longer query may not be
	}
	p := s.placeDetail(st.ix, r)
	if p == nowhere {
		return false
	}
	s.push(st, r, p)
	return true
}

func (s *Searcher) placeDetail(ix *Index, r uint32) place {
	q := &s.q
	if q.mask&^ix.anyMask[r] != 0 {
		return nowhere
	}
	left := -1
	if ix.grams[r].has(&q.grams) {
		if q.mask&^ix.subMask[r] == 0 {
			if sub := ix.subtitle(r); bytes.Contains(sub, q.text) {
				left = len(sub) - len(q.text)
			}
		}
		if q.mask&^ix.urlMask[r] == 0 {
			if url := ix.url(r); bytes.Contains(url, q.text) && (left < 0 || len(url)-len(q.text) < left) {
				left = len(url) - len(q.text)
			}
		}
	}
	if left >= 0 {
		return placeClose(Substring, Detail, false, left, false)
	}
	if len(q.words) == 1 || !s.spreadOver(ix, r) {
		return nowhere
	}
	return placeClose(Substring, Detail, false, int(ix.letters[r]), true)
}

// spreadOver says whether each query word is in some field of r.
func (s *Searcher) spreadOver(ix *Index, r uint32) bool {
	q := &s.q
	a, to := ix.rowAliases(r)
	for i := range q.words {
		m, word := q.words[i].mask, q.word(i)
		found := m&^ix.masks[r] == 0 && bytes.Contains(ix.entry(r), word) ||
			m&^ix.subMask[r] == 0 && bytes.Contains(ix.subtitle(r), word) ||
			m&^ix.urlMask[r] == 0 && bytes.Contains(ix.url(r), word)
		for e := a; e < to && !found; e++ {
			found = bytes.Contains(ix.entry(e), word)
		}
		if !found {
			return false
		}
	}
	return true
}
