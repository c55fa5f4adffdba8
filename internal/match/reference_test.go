package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flash-launcher/flash/protocol"
)

// The plain matcher: doc.go put into code without any thought of speed. It
// looks at every row in every way and sorts them all. What the fast one does is
// whatever this one does.

// refEntry is one title or alias.
type refEntry struct {
	text    string
	starts  []int
	letters int
	accents string
	field   Field
}

func refFold(s string, field Field) refEntry {
	f := folder{words: true, tracking: true} // the general path, without the ASCII shortcut
	f.fold(s)
	e := refEntry{text: string(f.text), letters: utf8.RuneCount(f.text), field: field}
	for _, at := range f.starts {
		e.starts = append(e.starts, int(at))
	}
	var scratch []byte
	e.accents = string(appendAccents(nil, &scratch, s))
	return e
}

// refWord is the word that begins at s, to the next separator.
func (e refEntry) refWord(s int) string { return e.text[s:wordEnd([]byte(e.text), s)] }

type refQuery struct {
	refEntry
	words   []string
	tokens  []string
	letters string // without separators
	joints  []int  // where tokens end in letters
}

func refPrepare(text string) refQuery {
	q := refQuery{refEntry: refFold(text, Title)}
	q.words = strings.Fields(q.text)
	q.tokens = strings.FieldsFunc(q.text, func(r rune) bool { return !classOf(r).inWord() })
	for _, t := range q.tokens {
		q.letters += t
		q.joints = append(q.joints, len(q.letters))
	}
	return q
}

func (q refQuery) accentExact(e refEntry) bool {
	if e.accents == e.text {
		return q.accents == q.text
	}
	for _, w := range strings.Fields(q.accents) {
		if !strings.Contains(e.accents, w) {
			return false
		}
	}
	return true
}

func (q refQuery) left(e refEntry) int { return max(0, e.letters-utf8.RuneCountInString(q.text)) }

// place is the best place that an entry gives the query.
func (q refQuery) place(e refEntry) place {
	near := func(t Tier, spread bool) place {
		return placeClose(t, e.field, q.accentExact(e), q.left(e), spread)
	}
	n := utf8.RuneCountInString(q.letters)
	abbreviates := n >= MinFuzzyLetters && len(q.letters) <= maxAbbreviated
	switch {
	case e.text == q.text:
		return near(Exact, false)
	case e.field == Title && strings.HasPrefix(e.text, q.text):
		return near(Prefix, false)
	case q.begins(e, q.words, 0):
		return near(WordPrefix, false)
	case abbreviates && q.acronym(e):
		return near(Acronym, false)
	case strings.Contains(e.text, q.text):
		return near(Substring, false)
	case !slices.ContainsFunc(q.words, func(w string) bool { return !strings.Contains(e.text, w) }):
		return near(Substring, true)
	}
	if abbreviates {
		if score, ok := q.fuzzy(e); ok && score >= FuzzyFloor {
			return placeFuzzy(e.field, n, score, q.left(e))
		}
	}
	if slips, ok := q.slips(e); ok {
		return placeTypo(e.field, slips, q.left(e))
	}
	return nowhere
}

// begins tries every word for each query word.
func (q refQuery) begins(e refEntry, words []string, from int) bool {
	if len(words) == 0 {
		return true
	}
	for _, s := range e.starts {
		if s >= from && strings.HasPrefix(e.text[s:], words[0]) && q.begins(e, words[1:], s+len(words[0])) {
			return true
		}
	}
	return false
}

// acronym tries every way to cut the letters.
func (q refQuery) acronym(e refEntry) bool {
	var from func(word, at, segments int) bool
	from = func(word, at, segments int) bool {
		if at == len(q.letters) {
			return segments > 1
		}
		if word == len(e.starts) {
			return false
		}
		end := len(e.text)
		if word+1 < len(e.starts) {
			end = e.starts[word+1]
		}
		text := e.text[e.starts[word]:end]
		for n := 1; n <= len(text) && at+n <= len(q.letters) && text[:n] == q.letters[at:at+n]; n++ {
			if from(word+1, at+n, segments+1) {
				return true
			}
			if slices.Contains(q.joints, at+n) {
				break // no segment goes on across a separator of the query
			}
		}
		return false
	}
	for word := range e.starts {
		if from(word, 0, 0) {
			return true
		}
	}
	return false
}

// fuzzy tries every way to lay the letters out and adds up each.
func (q refQuery) fuzzy(e refEntry) (int, bool) {
	text, letters := []rune(e.text), []rune(q.letters)
	begins := make([]bool, len(text))
	word := make([]int, len(text)) // number of the word at each letter, -1 in none
	for i := range text {
		at := len(string(text[:i]))
		begins[i] = slices.Contains(e.starts, at)
		word[i] = -1
		for w, s := range e.starts {
			if s <= at {
				word[i] = w
			}
		}
	}
	best, found := 0, false
	var lay func(k, last, sum int)
	lay = func(k, last, sum int) {
		if k == len(letters) {
			if !found || sum > best {
				best, found = sum, true
			}
			return
		}
		for i := last + 1; i < len(text); i++ {
			if text[i] != letters[k] {
				continue
			}
			if k == 0 {
				if begins[i] {
					lay(1, i, FirstAtWord)
				}
				continue
			}
			if !begins[i] && word[i] != word[last] {
				continue
			}
			add := 0
			if begins[i] {
				add = AtWord
			}
			if i == last+1 {
				add = max(add, Adjacent)
			} else {
				add -= GapStart + GapLetter*(i-last-2)
			}
			lay(k+1, i, sum+add)
		}
	}
	lay(0, -1, 0)
	return best, found
}

// slips adds up, for each token, the slips to the nearest beginning of a word.
func (q refQuery) slips(e refEntry) (int, bool) {
	sum, forgiven := 0, false
	for _, t := range q.tokens {
		budget := TypoBudget([]rune(t))
		forgiven = forgiven || budget > 0
		best := tooMany
		for _, s := range e.starts {
			w := e.refWord(s)
			if budget == 0 {
				if strings.HasPrefix(w, t) {
					best = 0
				}
				continue
			}
			w = w[:min(len(w), maxWord)]
			for end := 0; end <= len(w); end++ {
				if end == len(w) || utf8.RuneStart(w[end]) {
					best = min(best, osa([]rune(t), []rune(w[:end])))
				}
			}
		}
		if best > budget {
			return 0, false
		}
		sum += best
	}
	return sum, forgiven
}

// osa is the optimal string alignment distance, by the whole matrix.
func osa(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// refRow is a row folded.
type refRow struct {
	entries  []refEntry
	sub, url string
}

func refPrepareRow(row protocol.Row) refRow {
	r := refRow{entries: []refEntry{refFold(row.Title, Title)}}
	if s, ok := row.Metadata.Get(protocol.MetaAliases); ok {
		for _, a := range strings.Split(s, "\n") {
			if a = strings.TrimSpace(a); a != "" {
				r.entries = append(r.entries, refFold(a, Alias))
			}
		}
	}
	if s, ok := row.Metadata.Get(protocol.MetaSubtitle); ok {
		r.sub = refFold(s, Detail).text
	}
	r.url = refFold(row.URL, Detail).text
	return r
}

func (q refQuery) rowPlace(r refRow) place {
	best := nowhere
	for _, e := range r.entries {
		best = min(best, q.place(e))
	}
	left := -1
	for _, d := range []string{r.sub, r.url} {
		if strings.Contains(d, q.text) && (left < 0 || len(d)-len(q.text) < left) {
			left = len(d) - len(q.text)
		}
	}
	if left >= 0 {
		return min(best, placeClose(Substring, Detail, false, left, false))
	}
	for _, w := range q.words {
		found := strings.Contains(r.sub, w) || strings.Contains(r.url, w)
		for _, e := range r.entries {
			found = found || strings.Contains(e.text, w)
		}
		if !found {
			return best
		}
	}
	return min(best, placeClose(Substring, Detail, false, r.entries[0].letters, true))
}

// refHit is what the plain matcher finds, by its place among all rows.
type refHit struct {
	row int
	p   place
}

// refSearch returns all hits in order; boost and standing are equal for all rows.
func refSearch(rows []refRow, text string) []refHit {
	q := refPrepare(text)
	var hits []refHit
	if q.text == "" {
		return nil
	}
	for i, r := range rows {
		if p := q.rowPlace(r); p != nowhere {
			hits = append(hits, refHit{i, p})
		}
	}
	slices.SortStableFunc(hits, func(a, b refHit) int { return cmp.Compare(a.p, b.p) })
	return hits
}
