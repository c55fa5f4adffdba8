package cpu

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/flash-launcher/flash/internal/monitor"
)

func source() func() (counters, error) { return system }

func system() (counters, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return counters{}, err
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return counters{}, err
	}
	// Kernels built or booted without pressure stall information have no such
	// file; that is no failure.
	psi, _ := os.ReadFile("/proc/pressure/cpu")
	return parse(stat, load, psi)
}

// parse reads the cpu lines of /proc/stat, the three averages of /proc/loadavg
// and the `some avg10` of /proc/pressure/cpu.
func parse(stat, load, psi []byte) (counters, error) {
	var c counters
	for line := range bytes.Lines(stat) {
		name, rest, _ := bytes.Cut(bytes.TrimRight(line, "\n"), []byte(" "))
		if !bytes.HasPrefix(name, []byte("cpu")) {
			break
		}
		t, err := parseTicks(rest)
		if err != nil {
			return counters{}, fmt.Errorf("/proc/stat %s: %w", name, err)
		}
		if len(name) == len("cpu") {
			c.all = t
		} else {
			c.cpus = append(c.cpus, t)
		}
	}
	if c.all.total == 0 {
		return counters{}, errors.New("/proc/stat has no cpu line")
	}
	if f := bytes.Fields(load); len(f) >= 3 {
		c.load = string(bytes.Join(f[:3], []byte(" ")))
	}
	c.pressure = monitor.Pressure(psi)
	return c, nil
}

// The columns of a cpu line: user nice system idle iowait irq softirq steal
// guest guest_nice. Guest time is within user time already.
const (
	columnIdle   = 3
	columnIOWait = 4
	columnSteal  = 7
)

func parseTicks(rest []byte) (ticks, error) {
	fields := bytes.Fields(rest)
	if len(fields) <= columnIdle {
		return ticks{}, errors.New("too few columns")
	}
	var t ticks
	for i, f := range fields {
		if i > columnSteal {
			break
		}
		n, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return ticks{}, err
		}
		t.total += n
		if i != columnIdle && i != columnIOWait {
			t.busy += n
		}
	}
	return t, nil
}
