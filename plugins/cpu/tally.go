package cpu

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/mach"
)

// tally counts on from macOS's ticks, which are 32 bits wide: a machine that
// runs for sixteen months wraps them, the ones of its idle time first.
type tally struct {
	last []mach.Ticks
	cpus []ticks
}

// tooFar is a step that is none: a counter that goes back a little, as it may
// over a sleep, looks like one that went on by nearly all there is.
const tooFar = 1 << 31

// count adds what passed since the last time. Where processors came or went, or
// a counter went back, it begins anew: what it returns then is below what it
// returned before, or of another number of processors.
func (t *tally) count(now []mach.Ticks, load []byte) counters {
	if len(now) != len(t.last) || !t.add(now) {
		t.cpus = make([]ticks, len(now))
		if len(now) != len(t.last) {
			for i, n := range now {
				t.cpus[i] = spent(n)
			}
		}
	}
	t.last = append(t.last[:0], now...)
	c := counters{cpus: append([]ticks(nil), t.cpus...), load: loadOf(load)}
	for _, p := range c.cpus {
		c.all.busy += p.busy
		c.all.total += p.total
	}
	return c
}

func (t *tally) add(now []mach.Ticks) bool {
	for i, n := range now {
		l := t.last[i]
		step := mach.Ticks{User: n.User - l.User, System: n.System - l.System, Idle: n.Idle - l.Idle, Nice: n.Nice - l.Nice}
		if max(step.User, step.System, step.Idle, step.Nice) >= tooFar {
			return false
		}
		s := spent(step)
		t.cpus[i].busy += s.busy
		t.cpus[i].total += s.total
	}
	return true
}

func spent(t mach.Ticks) ticks {
	busy := uint64(t.User) + uint64(t.System) + uint64(t.Nice)
	return ticks{busy: busy, total: busy + uint64(t.Idle)}
}

// loadSize is that of struct loadavg in <sys/resource.h>: three fixed-point
// numbers of 32 bits, then, at a multiple of eight, what stands for one.
const loadSize = 24

// loadOf writes the three averages the way uptime(1) does, "" where they cannot
// be read.
func loadOf(b []byte) string {
	if len(b) < loadSize {
		return ""
	}
	scale := binary.LittleEndian.Uint64(b[16:])
	if scale == 0 {
		return ""
	}
	var three [3]string
	for i := range three {
		three[i] = strconv.FormatFloat(float64(binary.LittleEndian.Uint32(b[i*4:]))/float64(scale), 'f', 2, 64)
	}
	return strings.Join(three[:], " ")
}
