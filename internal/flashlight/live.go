package flashlight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// liveAsk is a plugin to ask for rows of its live sources.
type liveAsk struct {
	plugin  string
	sources []string
}

// liveReply is what one plugin answered to one query, ready to show.
type liveReply struct {
	plugin  string
	rows    []Row
	notices []Notice
}

// askLive asks the live sources in scope; each reply is told once, from a
// goroutine of its own.
func (e *Engine) askLive(ctx context.Context, in input, tell func(liveReply)) {
	for _, ask := range in.live {
		go func() {
			ctx, cancel := context.WithTimeout(ctx, protocol.DeadlineLive)
			defer cancel()
			rows, err := e.backend.Search(ctx, ask.plugin, protocol.Search{Query: in.query, Scope: in.scope})
			rows = slices.DeleteFunc(rows, func(row protocol.Row) bool { return !slices.Contains(ask.sources, row.Source) })
			if err == nil {
				e.remember(ask.plugin, rows)
			}
			r := liveReply{plugin: ask.plugin, rows: liveRows(ctx, ask.plugin, in.query, rows)}
			in.finish.mark(r.rows)
			switch {
			case err == nil || errors.Is(context.Cause(ctx), context.Canceled):
			case tooLate(err):
				r.notices = []Notice{{ask.plugin, fmt.Sprintf("no answer within %v", protocol.DeadlineLive)}}
			default:
				r.notices = []Notice{noticeOf(ask.plugin, err)}
			}
			tell(r)
		}()
	}
}

// remember keeps the last live rows of a plugin, so that one can be acted on by
// its id.
func (e *Engine) remember(plugin string, rows []protocol.Row) {
	e.mu.Lock()
	e.recent[plugin] = rows
	e.mu.Unlock()
}

// liveRows makes rows of a reply: those that match the query first, as the
// matcher orders them, then what the plugin found by other means, in its order.
func liveRows(ctx context.Context, plugin, query string, rows []protocol.Row) []Row {
	ids := make([]string, len(rows))
	for i, k := range catalog.KeysOf(rows) {
		ids[i] = catalog.RowID(plugin, k)
	}
	out := make([]Row, 0, len(rows))
	matched := make([]bool, len(rows))
	ix := match.NewIndex(rows)
	for _, h := range match.Search(ctx, []*match.Index{ix}, match.NewQuery(query), match.Options{}) {
		matched[h.Row] = true
		row := makeRow(plugin, ids[h.Row], rows[h.Row])
		row.Tier, row.Score = int(h.Tier), h.Score
		for _, s := range h.Highlights {
			row.Highlights = append(row.Highlights, [2]int{s.From, s.To})
		}
		out = append(out, row)
	}
	for i := range rows {
		if !matched[i] {
			row := makeRow(plugin, ids[i], rows[i])
			row.elsewhere = true
			out = append(out, row)
		}
	}
	return out
}

// mergeLive puts what live sources replied to the rows that were found in the
// catalogues, up to limit rows. A better tier stands above a worse one here too;
// within one the catalogues come first, so that replies move as little as can
// be, and what a plugin found by other means comes last.
func mergeLive(found []Row, replies []liveReply, limit int) (rows []Row, notices []Notice) {
	slices.SortFunc(replies, func(a, b liveReply) int { return strings.Compare(a.plugin, b.plugin) })
	rows = append(make([]Row, 0, len(found)), found...)
	for _, r := range replies {
		rows = append(rows, r.rows...)
		notices = append(notices, r.notices...)
	}
	if len(rows) > len(found) {
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.standing(), b.standing()) })
	}
	return rows[:min(len(rows), limit)], notices
}

// standing is a row's tier, where one that was listed stands before all others
// and one that its plugin found by other means behind.
func (r *Row) standing() int {
	if r.elsewhere {
		return int(match.Typo) + 1
	}
	return r.Tier
}
