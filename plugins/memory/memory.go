// Package memory is the memory monitor: how much is in use and whether the
// system is short of it, as status segments and as an answer to
// `:memory refresh`. It reads the system's totals and sees no process.
package memory

import (
	"time"

	"github.com/flash-launcher/flash/internal/monitor"
	"github.com/flash-launcher/flash/sdk"
)

// New returns the plugin.
func New() sdk.Plugin { return plugin(system) }

func plugin(read func() (reading, error)) sdk.Plugin {
	m := &meter{source: read}
	return monitor.New(monitor.Options{Command: "memory", Read: m.read, Summary: "summary"})
}

// reading is in bytes; available is what programs could still get without swapping.
type reading struct {
	total, available    uint64
	swapTotal, swapFree uint64
	// pressure says how short of memory the system is, in its own terms: on
	// Linux the share of the last ten seconds in which something waited for some,
	// on macOS a word. "" where the system does not tell.
	pressure string
}

type meter struct {
	source  func() (reading, error)
	history monitor.History
}

func (m *meter) read(time.Time) (map[string]string, bool, error) {
	r, err := m.source()
	if err != nil {
		return nil, false, err
	}
	used := r.total - min(r.available, r.total)
	percent := 100 * float64(used) / float64(r.total)
	m.history.Add(percent)
	details := monitor.Bytes(used) + " of " + monitor.Bytes(r.total)
	if r.swapTotal > 0 {
		details += ", swap " + monitor.Bytes(r.swapTotal-min(r.swapFree, r.swapTotal)) + " of " + monitor.Bytes(r.swapTotal)
	}
	if r.pressure != "" {
		details += ", pressure " + r.pressure
	}
	return map[string]string{
		"label":   "mem",
		"percent": monitor.Percent(percent),
		"summary": "mem " + monitor.Percent(percent),
		"history": m.history.Sparkline(),
		"details": details,
	}, true, nil
}
