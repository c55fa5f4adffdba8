package match

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/match/benchdata"
	"github.com/flash-launcher/flash/protocol"
)

func searchTitles(t *testing.T, query string, titles ...string) []Hit {
	t.Helper()
	return Search(context.Background(), []*Index{NewIndex(titlesAsRows(titles))}, NewQuery(query), Options{})
}

// Scores are sums of the constants, so that a retune shows here as what it is.
func TestFuzzyScores(t *testing.T) {
	for _, c := range []struct {
		title, query string
		want         int
	}{
		{"Manager", "mngr", FirstAtWord - GapStart - GapStart - GapStart},
		{"Terminal", "trmnl", FirstAtWord - GapStart + Adjacent - GapStart - GapStart},
		{"Task Manager", "tmngr", FirstAtWord - (GapStart + 3*GapLetter) + AtWord - GapStart - GapStart - GapStart},
		{"Lord of the Rings", "lr", FirstAtWord - GapStart}, // lo(r)d is nearer than (r)ings pays
		{"Land of the Rings", "lr", FirstAtWord - (GapStart + 10*GapLetter) + AtWord},
		{"Яндекс", "янкс", FirstAtWord + Adjacent - (GapStart + GapLetter) + Adjacent},
	} {
		hits := searchTitles(t, c.query, c.title)
		if assert.Len(t, hits, 1, "%+v", c) {
			assert.Equal(t, Fuzzy, hits[0].Tier, "%+v", c)
			assert.Equal(t, c.want, hits[0].Score, "%+v", c)
		}
	}
}

func TestAFuzzyMatchEarnsItsGapsBack(t *testing.T) {
	const gap = FirstAtWord - FuzzyFloor // the letters after the gap's first that a first letter at a word pays for
	text := func(n int) string { return "A" + repeat('x', n) + "z" }
	require.Len(t, searchTitles(t, "az", text(gap-GapStart+1)), 1)
	require.Empty(t, searchTitles(t, "az", text(gap-GapStart+2)))
}

func repeat(c byte, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = c
	}
	return string(b)
}

func TestABetterTierIsNeverBeatenByHabit(t *testing.T) {
	rows := titlesAsRows([]string{"xterm extras", "xterm", "extra xterm", "fox term"})
	boosts := []uint8{0, 0, MaxBoost, MaxBoost}
	hits := Search(context.Background(), []*Index{NewIndex(rows)}, NewQuery("xterm"), Options{Boosts: [][]uint8{boosts}})
	var order []int
	for _, h := range hits {
		order = append(order, h.Row)
	}
	require.Equal(t, []int{1, 0, 2}, order[:3])
}

func TestHabitDecidesBetweenWhatIsAboutAsClose(t *testing.T) {
	rows := titlesAsRows([]string{"Firefox", "Firewall", "Fire", "Firefighters in the suburbs"})
	search := func(boosts ...uint8) []int {
		var order []int
		for _, h := range Search(context.Background(), []*Index{NewIndex(rows)}, NewQuery("fir"), Options{Boosts: [][]uint8{boosts}}) {
			order = append(order, h.Row)
		}
		return order
	}
	require.Equal(t, []int{2, 0, 1, 3}, search(0, 0, 0, 0))
	require.Equal(t, []int{2, 1, 0, 3}, search(0, 5, 0, MaxBoost), "not over what is much closer")
	require.Equal(t, []int{2, 0, 1, 3}, search(9, 5, 0, 0))
}

func TestSourcesAreLeftOutAndOrdered(t *testing.T) {
	rows := []protocol.Row{{Source: "low", Title: "note"}, {Source: "off", Title: "note"}, {Source: "high", Title: "note"}}
	opts := Options{Include: func(_ int, source string) (bool, Priority) {
		return source != "off", map[string]Priority{"low": Low, "high": High}[source]
	}}
	hits := Search(context.Background(), []*Index{NewIndex(rows)}, NewQuery("note"), opts)
	require.Len(t, hits, 2)
	require.Equal(t, 2, hits[0].Row)
	require.Equal(t, 0, hits[1].Row)
}

func TestRowsLeftOutDoNotFillTheList(t *testing.T) {
	rows := []protocol.Row{{Source: "off", Title: "note"}, {Source: "off", Title: "note"}, {Source: "on", Title: "connote"}}
	opts := Options{Limit: 1, Include: func(_ int, source string) (bool, Priority) { return source == "on", Normal }}
	hits := Search(context.Background(), []*Index{NewIndex(rows)}, NewQuery("note"), opts)
	require.Len(t, hits, 1)
	require.Equal(t, 2, hits[0].Row)
}

func TestACancelledSearchFindsNothingAndTheNextOneAll(t *testing.T) {
	set := benchdata.New(20_000)
	ix := []*Index{NewIndex(set.Rows)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var s Searcher
	for _, q := range []string{"e", "sett", "zzqx", "confgiuration", "."} {
		fresh := Search(context.Background(), ix, NewQuery(q), Options{})
		require.Nil(t, s.Search(ctx, ix, q, Options{}), "%q", q)
		got := s.Search(context.Background(), ix, q, Options{})
		require.Len(t, got, len(fresh), "%q", q)
		for i := range got {
			require.Equal(t, fresh[i].Row, got[i].Row, "%q", q)
		}
	}
}

func TestIndexesMayComeGoAndMoveBetweenKeystrokes(t *testing.T) {
	a, b, c := NewIndex(titlesAsRows([]string{"alpha one"})), NewIndex(titlesAsRows([]string{"beta one", "beta two"})), NewIndex(titlesAsRows([]string{"gamma two"}))
	var s Searcher
	find := func(query string, ixs ...*Index) []string {
		var out []string
		for _, h := range s.Search(context.Background(), ixs, query, Options{}) {
			out = append(out, ixs[h.Index].Rows()[h.Row].Title)
		}
		return out
	}
	require.Equal(t, []string{"beta one", "alpha one"}, find("on", a, b), "one letter closer")
	require.Equal(t, []string{"beta one", "alpha one"}, find("one", c, b, a))
	require.Equal(t, []string{"beta two"}, find("two", b))
	require.Equal(t, []string{"beta two", "gamma two"}, find("two", a, c, b))
	require.Empty(t, find("two"))
	require.Equal(t, []string{"alpha one"}, find("alp", a))
}

func TestLongTextsAreCutAndStillSearched(t *testing.T) {
	word := repeat('a', 3000)
	rows := []protocol.Row{{Title: word + "xyz" + repeat('b', 3000)}, {Title: "東" + word, URL: word + "needle"}}
	ix := []*Index{NewIndex(rows)}
	for query, want := range map[string]int{"aaxyzbb": 0, "needle": 1, word[:1000]: 0} {
		hits := Search(context.Background(), ix, NewQuery(query), Options{})
		require.NotEmpty(t, hits, "%.10q", query)
		require.Equal(t, want, hits[0].Row, "%.10q", query)
	}
	require.Empty(t, searchTitles(t, repeat('z', 5000), "short"))
}
