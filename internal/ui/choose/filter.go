package choose

import (
	"context"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// Filter finds the actions of a menu that what is typed means.
type Filter struct {
	rows   *match.Index
	search match.Searcher
}

// Found is an action that was found.
type Found struct {
	Place int      // among the actions
	Marks [][2]int // byte ranges of its title
}

// NewFilter makes the filter of actions with those titles.
func NewFilter(titles []string) *Filter {
	rows := make([]protocol.Row, len(titles))
	for i, t := range titles {
		rows[i].Title = t
	}
	return &Filter{rows: match.NewIndex(rows)}
}

// Find returns the actions that text means, the best first: all as they stand
// for none.
func (f *Filter) Find(text string) []Found {
	n := f.rows.Len()
	hits := f.search.Search(context.Background(), []*match.Index{f.rows}, text, match.Options{Limit: n})
	out := make([]Found, 0, n)
	if f.search.Query().Empty() {
		for i := range n {
			out = append(out, Found{Place: i})
		}
		return out
	}
	for _, h := range hits {
		out = append(out, Found{Place: h.Row, Marks: Marks(f.rows, h, f.search.Query())})
	}
	return out
}

// Marks is what of a hit's title the query stands for, in byte ranges.
func Marks(rows *match.Index, h match.Hit, q *match.Query) [][2]int {
	var out [][2]int
	for _, s := range rows.Highlights(nil, h.Row, q, h.Tier, h.Field) {
		out = append(out, [2]int{s.From, s.To})
	}
	return out
}
