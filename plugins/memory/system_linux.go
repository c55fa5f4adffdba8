package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/flash-launcher/flash/internal/monitor"
)

func system() (reading, error) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return reading{}, err
	}
	// Kernels built or booted without pressure stall information have no such
	// file; that is no failure.
	psi, _ := os.ReadFile("/proc/pressure/memory")
	return parse(info, psi)
}

// parse reads /proc/meminfo, whose figures are in KiB whatever their unit says,
// and the `some avg10` of /proc/pressure/memory.
func parse(info, psi []byte) (reading, error) {
	var r reading
	for line := range bytes.Lines(info) {
		name, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		var to *uint64
		switch string(name) {
		case "MemTotal":
			to = &r.total
		case "MemAvailable":
			to = &r.available
		case "SwapTotal":
			to = &r.swapTotal
		case "SwapFree":
			to = &r.swapFree
		default:
			continue
		}
		f := bytes.Fields(rest)
		if len(f) == 0 {
			return reading{}, fmt.Errorf("/proc/meminfo %s has no figure", name)
		}
		n, err := strconv.ParseUint(string(f[0]), 10, 54)
		if err != nil {
			return reading{}, fmt.Errorf("/proc/meminfo %s: %w", name, err)
		}
		*to = n * 1024
	}
	if r.total == 0 {
		return reading{}, errors.New("/proc/meminfo has no MemTotal")
	}
	if share := monitor.Pressure(psi); share != "" {
		r.pressure = share + "%"
	}
	return r, nil
}
