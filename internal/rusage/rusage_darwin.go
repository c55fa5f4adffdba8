package rusage

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// proc_info(2), which proc_pid_rusage(3) wraps: the wrapper takes cgo, which a
// build may be without.
const (
	callRusage = 9
	flavorV0   = 0
)

// Of is the usage of one of this user's processes.
func Of(pid int) (Usage, error) {
	var info [infoSize]byte
	//lint:ignore SA1019 see above
	_, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, callRusage, uintptr(pid), flavorV0, 0, uintptr(unsafe.Pointer(&info[0])), 0)
	if errno != 0 {
		return Usage{}, fmt.Errorf("usage of process %d: %w", pid, errno)
	}
	return decode(info[:], timebase())
}

// timebase is how many ticks a second has: nanoseconds on Intel, those of a
// slower clock on Apple's own processors.
func timebase() uint64 {
	if hz, err := unix.SysctlUint64("hw.tbfrequency"); err == nil && hz > 0 {
		return hz
	}
	return 1e9
}
