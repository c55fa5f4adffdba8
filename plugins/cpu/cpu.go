// Package cpu is the processor monitor: how busy the processors are, as status
// segments and as an answer to `:cpu refresh`. It reads counters that the
// system keeps anyway and sees no process.
package cpu

import (
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/monitor"
	"github.com/flash-launcher/flash/sdk"
)

// gap is the span over which `:cpu refresh` measures when no reading stands.
const gap = 200 * time.Millisecond

// New returns the plugin.
func New() sdk.Plugin { return plugin(source()) }

func plugin(read func() (counters, error)) sdk.Plugin {
	m := &meter{source: read}
	return monitor.New(monitor.Options{Command: "cpu", Gap: gap, Read: m.read, Summary: "summary"})
}

// counters are times since the machine started, in the system's own unit:
// rates are ratios of differences, so the unit falls out.
type counters struct {
	all  ticks
	cpus []ticks
	load string // load averages as the system writes them, "" where it does not
	// pressure is the share of the last ten seconds, in percent, in which
	// something waited for a processor; "" where the system does not tell, as
	// macOS.
	pressure string
}

type ticks struct{ busy, total uint64 }

// since is the busy share in percent between two readings, and false where the
// counters went back or stood still, as after a suspend or an unplugged processor.
func (t ticks) since(o ticks) (float64, bool) {
	if t.total <= o.total || t.busy < o.busy || t.busy-o.busy > t.total-o.total {
		return 0, false
	}
	return 100 * float64(t.busy-o.busy) / float64(t.total-o.total), true
}

type meter struct {
	source  func() (counters, error)
	last    counters
	history monitor.History
}

func (m *meter) read(time.Time) (map[string]string, bool, error) {
	now, err := m.source()
	if err != nil {
		return nil, false, err
	}
	before := m.last
	m.last = now
	percent, ok := now.all.since(before.all)
	if !ok || before.all.total == 0 || len(before.cpus) != len(now.cpus) {
		m.history.Reset()
		return map[string]string{}, false, nil
	}
	m.history.Add(percent)
	return map[string]string{
		"label":   "cpu",
		"percent": monitor.Percent(percent),
		"summary": "cpu " + monitor.Percent(percent),
		"history": m.history.Sparkline(),
		"details": details(before, now),
	}, true, nil
}

// details names each processor's share, the load and the pressure, for hover text.
func details(before, now counters) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(len(now.cpus)))
	b.WriteString(" processor")
	if len(now.cpus) != 1 {
		b.WriteByte('s')
	}
	b.WriteByte(':')
	for i, c := range now.cpus {
		if p, ok := c.since(before.cpus[i]); ok {
			b.WriteString(" " + monitor.Percent(p))
		} else {
			b.WriteString(" -")
		}
	}
	if now.load != "" {
		b.WriteString(", load " + now.load)
	}
	if now.pressure != "" {
		b.WriteString(", pressure " + now.pressure + "%")
	}
	return b.String()
}
