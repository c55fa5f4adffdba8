package sandbox

import (
	"fmt"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// ptDenyAttach is PT_DENY_ATTACH of <sys/ptrace.h>.
const ptDenyAttach = 31

// hardened remembers it for Available: the system has no call to ask.
var hardened atomic.Bool

// HardenHost keeps the host's memory to itself: no debugger of the same user
// attaches, and no core file is written.
func HardenHost() error {
	core := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("read the core limit: %w", err)
	}
	core.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("switch core files off: %w", err)
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, ptDenyAttach, 0, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("deny attaching to the host: %w", errno)
	}
	hardened.Store(true)
	return nil
}
