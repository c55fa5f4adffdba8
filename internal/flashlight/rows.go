package flashlight

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/protocol"
)

// finder finds rows in the catalogues. It keeps the matcher's state from one
// keystroke to the next; one goroutine at a time uses it.
type finder struct {
	e        *Engine
	searcher match.Searcher
}

// match returns the rows that in shows by what it says.
func (f *finder) match(ctx context.Context, in input, limit int) []Row {
	var rows []Row
	if in.run != nil {
		rows = append(rows, *in.run)
		rows[0].Highlights = [][2]int{}
	}
	if in.kind == completed || in.kind == command || in.kind == bang {
		return rows
	}
	snap := f.e.catalog.Snapshot()
	boosts := f.e.boosts.of(f.e, snap)
	opts := match.Options{
		Limit:  limit,
		Boosts: boosts,
		Include: func(i int, source string) (bool, match.Priority) {
			return in.include(snap.Plugins[i].ID, source)
		},
	}
	hits := f.searcher.Search(ctx, snap.Indexes(), in.query, opts)
	q := f.searcher.Query()
	if q.Empty() {
		return f.listed(in, snap, boosts, limit)
	}
	rows = make([]Row, 0, len(hits))
	for _, h := range hits {
		p := snap.Plugins[h.Index]
		row := rowOf(p, h.Row)
		row.Tier, row.Score = int(h.Tier), h.Score
		for _, s := range p.Index.Highlights(nil, h.Row, q, h.Tier, h.Field) {
			row.Highlights = append(row.Highlights, [2]int{s.From, s.To})
		}
		rows = append(rows, row)
	}
	return rows
}

func rowOf(p *catalog.Plugin, r int) Row {
	return makeRow(p.ID, catalog.RowID(p.ID, p.Keys[r]), p.Rows[r])
}

func makeRow(plugin, id string, row protocol.Row) Row {
	sub, _ := row.Metadata.Get(protocol.MetaSubtitle)
	return Row{ID: id, Plugin: plugin, Source: row.Source, Title: row.Title, Subtitle: sub, URL: row.URL, Highlights: [][2]int{}, Row: row}
}

// listed returns the rows of an empty query: of the pool those that the user
// takes, of a source all, the ones that the user takes first.
func (f *finder) listed(in input, snap *catalog.Snapshot, boosts [][]uint8, limit int) []Row {
	type listing struct {
		plugin, row int
		score       float64
	}
	var all []listing
	var scores map[string]float64
	if f.e.rank != nil {
		scores = f.e.rank.Scores(f.e.clock.Now())
	}
	for i, p := range snap.Plugins {
		on := map[string]bool{}
		for _, source := range p.Index.Sources() {
			on[source], _ = in.include(p.ID, source)
		}
		for r := range p.Rows {
			if !on[p.Rows[r].Source] {
				continue
			}
			l := listing{plugin: i, row: r}
			if boosts[i] != nil && boosts[i][r] > 0 {
				l.score = scores[catalog.RowID(p.ID, p.Keys[r])]
			}
			if in.kind == scoped || l.score > 0 && !isHere(&p.Rows[r]) {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b listing) int { return cmp.Compare(b.score, a.score) })
	rows := make([]Row, 0, min(limit, len(all)))
	for _, l := range all[:min(limit, len(all))] {
		rows = append(rows, rowOf(snap.Plugins[l.plugin], l.row))
	}
	return rows
}

// isHere says whether the user is at that location already.
func isHere(row *protocol.Row) bool {
	v, _ := row.Metadata.Get(protocol.MetaCurrentLocation)
	return v == "true" || v == "1"
}

// boostCache keeps each catalogue's frecency as the matcher takes it.
type boostCache struct {
	mu      sync.Mutex
	version uint64
	at      time.Time
	scores  map[string]map[catalog.Key]uint8 // plugin → key → boost
	plugins map[*catalog.Plugin][]uint8      // nil slice: nothing of it was ever taken
}

// boostAge is how long boosts stand before decay is looked at again: by then a
// score has lost a seven-hundredth.
const boostAge = 30 * time.Minute

// of returns the boosts for the plugins of snap.
func (c *boostCache) of(e *Engine, snap *catalog.Snapshot) [][]uint8 {
	out := make([][]uint8, len(snap.Plugins))
	if e.rank == nil {
		return out
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now, version := e.clock.Now(), e.rank.Version()
	if c.scores == nil || c.version != version || now.Sub(c.at) > boostAge {
		c.version, c.at = version, now
		c.scores, c.plugins = map[string]map[catalog.Key]uint8{}, map[*catalog.Plugin][]uint8{}
		for id, score := range e.rank.Scores(now) {
			plugin, k, err := catalog.ParseRowID(id)
			if b := rank.Boost(score); err == nil && b > 0 {
				if c.scores[plugin] == nil {
					c.scores[plugin] = map[catalog.Key]uint8{}
				}
				c.scores[plugin][k] = b
			}
		}
	}
	standing := make(map[*catalog.Plugin][]uint8, len(snap.Plugins))
	for i, p := range snap.Plugins {
		b, ok := c.plugins[p]
		if !ok {
			b = boostsOf(p, c.scores[p.ID])
		}
		out[i], standing[p] = b, b
	}
	c.plugins = standing
	return out
}

func boostsOf(p *catalog.Plugin, scores map[catalog.Key]uint8) []uint8 {
	if len(scores) == 0 {
		return nil
	}
	var b []uint8
	for r, k := range p.Keys {
		if v := scores[k]; v > 0 {
			if b == nil {
				b = make([]uint8, len(p.Keys))
			}
			b[r] = v
		}
	}
	return b
}
