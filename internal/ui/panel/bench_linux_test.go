package panel

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"
)

// timeline are the moments of one opening.
type timeline struct{ painted chan time.Time }

func newBenchDesk(b *testing.B) (*desk, *timeline) {
	t := &timeline{painted: make(chan time.Time, 16)}
	var d *desk
	d = newDesk(b, func(o *Options) {
		o.Opened = func() {
			// The server has painted once it answers.
			_, _ = xproto.GetInputFocus(d.loop.Conn.Conn).Reply()
			t.painted <- time.Now()
		}
	})
	d.window()
	d.hotKey()
	return d, t
}

func (d *desk) press1(t *timeline) time.Duration {
	start := time.Now()
	d.tap(symControlL, ' ')
	select {
	case at := <-t.painted:
		return at.Sub(start)
	case <-time.After(patience):
		require.Fail(d.t, "the panel does not open")
		return 0
	}
}

func (d *desk) escape() {
	d.tap(symEscape)
	d.untilClosed()
	require.NoError(d.t, d.hand.Sync())
}

func report(b *testing.B, name string, all []time.Duration) {
	slices.Sort(all)
	us := func(d time.Duration) float64 { return float64(d.Microseconds()) }
	b.ReportMetric(us(all[len(all)/2]), name+"-p50-µs")
	b.ReportMetric(us(all[len(all)*95/100]), name+"-p95-µs")
}

// BenchmarkOpen measures from the hot key's press, which another client posts,
// to rows that the server has painted, warm: -benchtime=200x is 200 openings.
func BenchmarkOpen(b *testing.B) {
	d, t := newBenchDesk(b)
	d.press1(t)
	d.settled()
	d.escape()
	var all []time.Duration
	for b.Loop() {
		all = append(all, d.press1(t))
		d.ask(func() { require.NotEmpty(b, d.panel.m.list.items) })
		d.escape()
	}
	report(b, "open", all)
}

// BenchmarkOpenCold is BenchmarkOpen with fonts, pictures and memory given back
// before each opening.
func BenchmarkOpenCold(b *testing.B) {
	d, t := newBenchDesk(b)
	var first []time.Duration
	first = append(first, d.press1(t))
	d.settled()
	d.escape()
	var all []time.Duration
	for b.Loop() {
		d.ask(d.panel.release)
		all = append(all, d.press1(t))
		d.settled()
		d.escape()
	}
	report(b, "first", first)
	report(b, "cold", all)
}

// BenchmarkKey measures from a letter's press to its rows on the screen.
func BenchmarkKey(b *testing.B) {
	d, t := newBenchDesk(b)
	d.press1(t)
	d.settled()
	var all []time.Duration
	keys := "everythinfirefoxcalc"
	for i := 0; b.Loop(); i++ {
		if i%len(keys) == 0 {
			d.tap(symControlL, 'u')
			d.untilText("")
			d.settled()
		}
		n := len(d.text())
		start := time.Now()
		d.tap(uint32(keys[i%len(keys)]))
		for done := false; !done; {
			d.ask(func() {
				p := d.panel
				if done = len(p.m.box.Text()) > n && p.m.fresh() && !p.dirty && !p.queued; done {
					_, _ = xproto.GetInputFocus(d.loop.Conn.Conn).Reply()
				}
			})
		}
		all = append(all, time.Since(start))
	}
	report(b, "key", all)
}

// BenchmarkRepaint measures a whole picture, and one of a selection that moved.
func BenchmarkRepaint(b *testing.B) {
	e, _ := newEngine(b)
	m, _ := settle(b, e, "everything")
	for _, scale := range []float32{1, 2} {
		p := newPainter(darkTheme(), scale, false)
		im := paintAll(p, m)
		b.Run(fmt.Sprintf("whole/%gx", scale), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.forget()
				p.frame(m, m.arrange(&p.mt, p.fonts), im)
			}
		})
		b.Run(fmt.Sprintf("move/%gx", scale), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.list.Select(i % 4)
				p.frame(m, m.arrange(&p.mt, p.fonts), im)
			}
		})
		p.fonts.Drop()
	}
}

// BenchmarkMemory reports the process's memory with the panel shown and warm.
// Run it alone: -run '^$' -bench Memory -benchtime=20x.
func BenchmarkMemory(b *testing.B) {
	before := pss(b)
	d, t := newBenchDesk(b)
	ready := pss(b)
	for b.Loop() {
		d.press1(t)
		d.typing("everything")
		d.untilText("everything")
		d.settled()
		d.escape()
	}
	b.ReportMetric(float64(before), "start-KiB")
	b.ReportMetric(float64(ready-before), "connected-KiB")
	b.ReportMetric(float64(pss(b)-before), "warm-KiB")
	d.ask(d.panel.release)
	b.ReportMetric(float64(pss(b)-before), "released-KiB")
}

// pss is the process's proportional memory in KiB, after a collection.
func pss(b *testing.B) int {
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/smaps_rollup")
	require.NoError(b, err)
	for line := range strings.SplitSeq(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			var n int
			_, err := fmt.Sscan(rest, &n)
			require.NoError(b, err)
			return n
		}
	}
	return 0
}
