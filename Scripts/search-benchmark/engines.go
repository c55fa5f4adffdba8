package main

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
	"github.com/sahilm/fuzzy"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/internal/match/benchdata"
	"github.com/flash-launcher/flash/protocol"
)

const top = 200

// timed returns the wall time of f and the processor time of its thread.
func timed(f func()) (wall, cpu time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var from, to unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &from)
	start := time.Now()
	f()
	wall = time.Since(start)
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &to)
	return wall, time.Duration(to.Nano() - from.Nano())
}

func (m *measure) add(f func()) {
	wall, cpu := timed(f)
	m.wall, m.cpu = append(m.wall, wall), append(m.cpu, cpu)
	m.queries++
}

// rounds is how often the keystrokes are typed: enough that a p95 does not hang
// on one collection.
const rounds = 5

func flashMeasures(set benchdata.Set) []measure {
	ix := []*match.Index{match.NewIndex(set.Rows)}
	sequences := set.Sequences()
	sequence := measure{engine: "flash", way: "sequence", rows: len(set.Rows)}
	cold := measure{engine: "flash", way: "cold", rows: len(set.Rows), allocs: -1}
	var s match.Searcher
	typeAll := func(m *measure, forget bool) {
		for _, seq := range sequences {
			for _, q := range seq {
				if forget {
					s.Forget()
				}
				m.add(func() { s.Search(context.Background(), ix, q, match.Options{Limit: top}) })
			}
		}
	}
	typeAll(&measure{}, false) // what is measured is a session that has been typed in before
	for range rounds {
		typeAll(&sequence, false)
		typeAll(&cold, true)
	}
	sequence.allocs = allocsPer(func() {
		for _, seq := range sequences {
			for _, q := range seq {
				s.Search(context.Background(), ix, q, match.Options{Limit: top})
			}
		}
	}, benchdata.Keystrokes)
	return []measure{sequence, cold}
}

func allocsPer(f func(), n int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
}

// text is a row as matchers of single strings take it.
func text(row protocol.Row) string {
	sub, _ := row.Metadata.Get(protocol.MetaSubtitle)
	return row.Title + " " + sub
}

// fzfMeasure is fzf's own algorithm over rows in its own form, one goroutine, as
// is Flash's, and the best rows kept.
func fzfMeasure(set benchdata.Set, queries []string) measure {
	m := measure{engine: "fzf algo.FuzzyMatchV2", way: "cold", rows: len(set.Rows), allocs: -1}
	algo.Init("default")
	chars := make([]util.Chars, len(set.Rows))
	for i, r := range set.Rows {
		chars[i] = util.ToChars([]byte(text(r)))
	}
	slab := util.MakeSlab(100*1024, 2048)
	type hit struct{ score, row int }
	hits := make([]hit, 0, len(chars))
	for _, q := range queries {
		pattern := []rune(strings.ToLower(strings.ReplaceAll(q, " ", "")))
		m.add(func() {
			hits = hits[:0]
			for i := range chars {
				if res, _ := algo.FuzzyMatchV2(false, true, true, &chars[i], pattern, false, slab); res.Start >= 0 {
					hits = append(hits, hit{res.Score, i})
				}
			}
			slices.SortFunc(hits, func(a, b hit) int { return b.score - a.score })
		})
	}
	return m
}

func sahilmMeasure(set benchdata.Set, queries []string) measure {
	m := measure{engine: "sahilm/fuzzy", way: "cold", rows: len(set.Rows), allocs: -1}
	texts := make([]string, len(set.Rows))
	for i, r := range set.Rows {
		texts[i] = text(r)
	}
	for _, q := range queries {
		m.add(func() { fuzzy.Find(q, texts) })
	}
	return m
}
