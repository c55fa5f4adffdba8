package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// strs returns every string over alphabet of up to n letters.
func strs(alphabet string, n int) []string {
	all := []string{""}
	for from := 0; n > 0; n-- {
		to := len(all)
		for _, s := range all[from:to] {
			for _, r := range alphabet {
				all = append(all, s+string(r))
			}
		}
		from = to
	}
	return all
}

func titlesAsRows(titles []string) []protocol.Row {
	rows := make([]protocol.Row, len(titles))
	for i, t := range titles {
		rows[i].Title = t
	}
	return rows
}

// oracle is an index and what the plain matcher needs for the same rows.
type oracle struct {
	rows  []protocol.Row
	plain []refRow
	ix    []*Index // the rows cut into two
}

func newOracle(rows []protocol.Row) oracle {
	o := oracle{rows: rows}
	for _, r := range rows {
		o.plain = append(o.plain, refPrepareRow(r))
	}
	half := len(rows) / 3
	o.ix = []*Index{NewIndex(rows[:half]), NewIndex(rows[half:])}
	return o
}

// check holds a search to the plain matcher: the same rows in the same order at
// the same tier, field and score.
func (o oracle) check(t testing.TB, s *Searcher, query string, limit int) {
	t.Helper()
	want := refSearch(o.plain, query)
	got := s.Search(context.Background(), o.ix, query, Options{Limit: limit})
	want = want[:min(limit, len(want))]
	for i := range max(len(want), len(got)) {
		w, g := "nothing", "nothing"
		if i < len(want) {
			p := want[i].p
			w = fmt.Sprintf("%q %v field %d score %d", o.rows[want[i].row], p.tier(), p.field(), p.score(s.q.letterCount))
		}
		if i < len(got) {
			h := got[i]
			row := h.Row + h.Index*o.ix[0].Len()
			g = fmt.Sprintf("%q %v field %d score %d", o.rows[row], h.Tier, h.Field, h.Score)
		}
		if w != g {
			t.Fatalf("query %q, limit %d, place %d:\nplain %s\nfast  %s", query, limit, i, w, g)
		}
	}
}

func TestTheFastMatcherIsThePlainOneOverASmallAlphabet(t *testing.T) {
	for _, c := range []struct {
		titles, queries    string
		titleLen, queryLen int
	}{
		{"ab ", "ab ", 5, 5},  // words and slips
		{"abB-", "ab-", 4, 4}, // humps and separators
		{"aé ", "aeé", 4, 4},  // accents
		{"ая.", "ая.", 4, 4},  // two bytes a letter
		{"a東1", "a東1", 4, 3},  // scripts and digits
		{"a12", "a12", 4, 4},  // numbers, in which nothing is a slip
	} {
		o := newOracle(titlesAsRows(strs(c.titles, c.titleLen)))
		var s Searcher
		for _, q := range strs(c.queries, c.queryLen) {
			for _, limit := range []int{len(o.rows), 40, 3} {
				o.check(t, &s, q, limit)
			}
		}
	}
}

// randomText is a text of some letters, words of which repeat.
func randomText(rng *rand.Rand, alphabet []string, n int) string {
	var b strings.Builder
	for range rng.IntN(n + 1) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

var pieces = strings.Split("a|b|c|a|b|A|B| | |-|.|/|1|é|e\u0301|ß|Я|я|й|и\u0306|東|タ|İ|ı|abc|Abc|cab|mail|Mail|config|fire|fox|\u200b|™|ﬁ|Ａ", "|")

func randomRow(rng *rand.Rand) protocol.Row {
	m := map[string]string{}
	if rng.IntN(3) == 0 {
		m[protocol.MetaAliases] = randomText(rng, pieces, 5) + "\n" + randomText(rng, pieces, 5)
	}
	if rng.IntN(3) == 0 {
		m[protocol.MetaSubtitle] = randomText(rng, pieces, 8)
	}
	r := protocol.Row{Title: randomText(rng, pieces, 9), Metadata: protocol.NewMetadata(m)}
	if rng.IntN(3) == 0 {
		r.URL = randomText(rng, pieces, 8)
	}
	return r
}

// randomCheck types random queries, and a few of the rows' own texts with a
// slip, letter by letter and with jumps, into one Searcher.
func randomCheck(t testing.TB, seed1, seed2 uint64, rounds int) {
	rng := rand.New(rand.NewPCG(seed1, seed2))
	rows := make([]protocol.Row, 5+rng.IntN(60))
	for i := range rows {
		rows[i] = randomRow(rng)
	}
	o := newOracle(rows)
	var s Searcher
	for range rounds {
		text := []rune(randomText(rng, pieces, 7))
		if rng.IntN(2) == 0 {
			text = []rune(rows[rng.IntN(len(rows))].Title)
			if len(text) > 3 {
				i := 1 + rng.IntN(len(text)-2)
				text = append(text[:i:i], text[i+rng.IntN(2):]...)
			}
		}
		limit := []int{1, 2, 5, 20, 200}[rng.IntN(5)]
		for i := range text {
			if rng.IntN(4) > 0 || i == len(text)-1 {
				o.check(t, &s, string(text[:i+1]), limit)
			}
		}
	}
}

func TestTheFastMatcherIsThePlainOneOnRandomRows(t *testing.T) {
	for seed := range uint64(150) {
		randomCheck(t, seed, 1, 12)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { randomCheck(t, a, b, 4) })
}

// Every typed text, whatever it is, is searched without a fault.
func FuzzQuery(f *testing.F) {
	for _, c := range loadRanking(f) {
		for _, q := range c.Queries {
			f.Add(q, q)
		}
	}
	f.Fuzz(func(t *testing.T, title, query string) {
		rows := titlesAsRows([]string{title, title + " " + query, "x"})
		ix := NewIndex(rows)
		for _, h := range Search(context.Background(), []*Index{ix}, NewQuery(query), Options{}) {
			last := 0
			for _, sp := range h.Highlights {
				require.True(t, sp.From >= last && sp.From < sp.To && sp.To <= len(rows[h.Row].Title), "%v in %q", sp, rows[h.Row].Title)
				last = sp.To + 1
			}
		}
	})
}

func TestSlipsAreOptimalStringAlignmentToTheNearestBeginning(t *testing.T) {
	words := strs("abc", 5)
	for _, q := range words[1:] {
		for _, w := range words {
			want := tooMany
			for end := range len(w) + 1 {
				want = min(want, osa([]rune(q), []rune(w[:end])))
			}
			for budget := 1; budget <= 2; budget++ {
				got := slips([]rune(q), []byte(w), budget)
				if want > budget {
					require.Greater(t, got, budget, "%q to %q", q, w)
				} else {
					require.Equal(t, want, got, "%q to %q, budget %d", q, w, budget)
				}
			}
		}
	}
}
