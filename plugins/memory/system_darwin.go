package memory

import (
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/mach"
)

func system() (reading, error) {
	pages, err := mach.Memory()
	if err != nil {
		return reading{}, err
	}
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return reading{}, err
	}
	// The kernel's own size of a page, which is also what it counts in where a
	// program runs translated and sees smaller ones.
	size, err := unix.SysctlUint32("vm.pagesize")
	if err != nil {
		return reading{}, err
	}
	// A machine without swap, or a macOS that does not tell, is no failure.
	swap, _ := unix.SysctlRaw("vm.swapusage")
	level, _ := unix.SysctlUint32("kern.memorystatus_vm_pressure_level")
	return counted(pages, uint64(size), total, swap, level)
}
