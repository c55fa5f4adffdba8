package cpu

import (
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/mach"
)

func source() func() (counters, error) {
	var t tally
	return func() (counters, error) {
		processors, err := mach.Processors()
		if err != nil {
			return counters{}, err
		}
		// Without its averages the rest still stands.
		load, _ := unix.SysctlRaw("vm.loadavg")
		return t.count(processors, load), nil
	}
}
