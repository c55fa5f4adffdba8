package match

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Span is a range of bytes.
type Span struct{ From, To int }

// Highlights appends to dst which parts of row's title the query stands for in
// a hit of that tier and field: whole graphemes of the original title, in order
// and apart. A row that was found elsewhere has none, but for query words that
// happen to be in its title. It folds the title anew, as only the few rows on
// screen ask for it.
func (ix *Index) Highlights(dst []Span, row int, q *Query, tier Tier, field Field) []Span {
	if field == Alias || q.Empty() {
		return dst
	}
	title := ix.rows[row].Title
	if len(title) > MaxFolded {
		title = title[:MaxFolded]
	}
	f := folder{words: true, tracking: true}
	f.fold(title)
	m := marker{text: f.text, starts: f.starts, q: q, on: make([]bool, len(f.text))}
	m.mark(tier, field)
	var last Span
	bounds := graphemes{s: title}
	for i, on := range m.on {
		if !on || f.track[i].to <= last.To {
			continue
		}
		sp := bounds.around(f.track[i])
		if last.To > last.From && sp.From <= last.To {
			last.To = max(last.To, sp.To)
			continue
		}
		if last.To > last.From {
			dst = append(dst, last)
		}
		last = sp
	}
	if last.To > last.From {
		dst = append(dst, last)
	}
	return dst
}

// graphemes walks the grapheme clusters of s forwards.
type graphemes struct {
	s        string
	from, to int
	state    int
	begun    bool
}

// around returns the clusters that cover src, which must not lie before the
// last one asked for.
func (g *graphemes) around(src source) Span {
	if !g.begun {
		g.state, g.begun = -1, true
	}
	for g.to <= src.from && g.to < len(g.s) {
		g.next()
	}
	from := g.from
	for g.to < src.to && g.to < len(g.s) {
		g.next()
	}
	return Span{from, g.to}
}

func (g *graphemes) next() {
	cluster, _, _, state := uniseg.FirstGraphemeClusterInString(g.s[g.to:], g.state)
	g.from, g.to, g.state = g.to, g.to+len(cluster), state
}

// marker notes which bytes of a folded title a query stands for.
type marker struct {
	text   []byte
	starts []uint16
	q      *Query
	on     []bool
}

func (m *marker) set(from, to int) {
	for i := max(from, 0); i < min(to, len(m.on)); i++ {
		m.on[i] = true
	}
}

func (m *marker) mark(tier Tier, field Field) {
	switch tier {
	case Exact, Prefix:
		m.set(0, len(m.q.text))
	case WordPrefix:
		m.beginnings()
	case Acronym:
		m.acronym()
	case Substring:
		m.substrings(field)
	case Fuzzy:
		m.fuzzy()
	case Typo:
		m.typos()
	}
}

func (m *marker) beginnings() {
	starts, at := m.starts, 0
	for i := range m.q.words {
		word := m.q.word(i)
		for len(starts) > 0 {
			s := int(starts[0])
			starts = starts[1:]
			if s >= at && bytes.HasPrefix(m.text[s:], word) {
				at = s + len(word)
				m.set(s, at)
				break
			}
		}
	}
}

func (m *marker) substrings(field Field) {
	if i := bytes.Index(m.text, m.q.text); i >= 0 {
		m.set(i, i+len(m.q.text))
		return
	}
	if field == Detail && len(m.q.words) == 1 {
		return
	}
	for i := range m.q.words {
		word := m.q.word(i)
		if at := bytes.Index(m.text, word); at >= 0 {
			m.set(at, at+len(word))
		}
	}
}

// acronym finds one way to cut the query: forwards as isAcronym does, keeping
// what each word could begin with, then back from the end.
func (m *marker) acronym() {
	letters := m.q.letters
	reach := make([]uint64, len(m.starts)+1)
	for w := range m.starts {
		reach[w] |= 1
		for from := reach[w]; from != 0; from &= from - 1 {
			p := bits.TrailingZeros64(from)
			n := m.common(w, p)
			if p == 0 && n == len(letters) {
				n--
			}
			if p+n < len(letters) {
				reach[w+1] |= (1<<n - 1) << (p + 1)
				continue
			}
			for end := len(letters); ; w-- {
				m.set(int(m.starts[w]), int(m.starts[w])+end-p)
				if p == 0 {
					return
				}
				end = p
				for p--; reach[w-1]>>p&1 == 0 || p+m.common(w-1, p) < end; p-- {
				}
			}
		}
	}
}

// common returns how many bytes word w and the query's letters from p share.
func (m *marker) common(w, p int) int {
	end := len(m.text)
	if w+1 < len(m.starts) {
		end = int(m.starts[w+1])
	}
	word, letters := m.text[m.starts[w]:end], m.q.letters[p:m.q.limits[p]]
	n := 0
	for n < len(word) && n < len(letters) && word[n] == letters[n] {
		n++
	}
	return n
}

func (m *marker) fuzzy() {
	var f fuzzyMatcher
	if _, ok := f.match(m.text, utf8.RuneCount(m.text), m.starts, m.q); !ok {
		return
	}
	for i := f.best(f.last); i >= 0; i = int(f.places[i].before) {
		m.set(int(f.places[i].at), int(f.places[i].end))
	}
}

func (m *marker) typos() {
	for _, t := range m.q.tokens {
		q := m.q.tokenText(t)
		d, from, to := nearestWord(m.text, m.starts, q, t.budget)
		if d > t.budget {
			continue
		}
		for end := from; end <= to; end++ { // the shortest beginning that is as near
			if end < to && !utf8.RuneStart(m.text[end]) {
				continue
			}
			if t.budget == 0 && hasRunes(m.text[from:end], q) || t.budget > 0 && slips(q, m.text[from:end], d) == d {
				m.set(from, end)
				break
			}
		}
	}
}
