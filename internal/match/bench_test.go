package match

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/match/benchdata"
)

// percentile reports the p-th of d in microseconds.
func percentile(b *testing.B, d []time.Duration, p int, unit string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[min(len(d)-1, len(d)*p/100)].Nanoseconds())/1000, unit)
}

func BenchmarkKeystroke(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		set := benchdata.New(n)
		ix := []*Index{NewIndex(set.Rows)}
		sequences := set.Sequences()
		b.Run(fmt.Sprint("sequence/", n), func(b *testing.B) {
			var s Searcher
			var times []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				for _, seq := range sequences {
					for _, q := range seq {
						times = append(times, threadTime(func() { s.Search(context.Background(), ix, q, Options{}) }))
					}
				}
			}
			percentile(b, times, 50, "p50-µs")
			percentile(b, times, 95, "p95-µs")
			percentile(b, times, 100, "max-µs")
		})
		b.Run(fmt.Sprint("cold/", n), func(b *testing.B) {
			var times []time.Duration
			var s Searcher
			for b.Loop() {
				for _, seq := range sequences {
					for _, q := range seq {
						s.Search(context.Background(), ix, "\u200b", Options{})
						s.attach(ix)
						s.Forget()
						times = append(times, threadTime(func() { s.Search(context.Background(), ix, q, Options{}) }))
					}
				}
			}
			percentile(b, times, 50, "p50-µs")
			percentile(b, times, 95, "p95-µs")
			percentile(b, times, 100, "max-µs")
		})
	}
}

func BenchmarkNewIndex(b *testing.B) {
	rows := benchdata.New(10_000).Rows
	b.ReportAllocs()
	var times []time.Duration
	for b.Loop() {
		times = append(times, threadTime(func() { NewIndex(rows) }))
	}
	percentile(b, times, 50, "p50-µs")
}

func TestAKeystrokeAllocatesNothing(t *testing.T) {
	set := benchdata.New(2000)
	ix := []*Index{NewIndex(set.Rows[:1000]), NewIndex(set.Rows[1000:])}
	var s Searcher
	type typing []string
	for _, seq := range append(set.Sequences(), typing{"é", "éc", "écl"}, typing{"я", "ян"}, typing{"a.", "a.b"}) {
		run := func() {
			for _, q := range seq {
				s.Search(context.Background(), ix, q, Options{Limit: 50, Include: includeAll})
			}
		}
		run()
		require.Zero(t, testing.AllocsPerRun(2, run), "%q", seq)
	}
}

// threadTime returns the processor time that f took on this thread: on a busy
// machine the wall clock tells of the others.
func threadTime(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var from, to unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &from)
	f()
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &to)
	return time.Duration(to.Nano() - from.Nano())
}

func includeAll(int, string) (bool, Priority) { return true, Normal }
