package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// HardenHost keeps the host's memory and environment to itself: it cannot be
// dumped or traced by processes of the same user, and /proc/HOST/environ,
// mem and fd stay shut. Only the soft core limit is lowered, because the
// applications that the host launches inherit it.
//
// Files below /proc/HOST then belong to root: the host reads its own through
// /proc/self where the kernel makes an exception, and writes none.
func HardenHost() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the host non-dumpable: %w", err)
	}
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("read the core limit: %w", err)
	}
	core.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return fmt.Errorf("switch core files off: %w", err)
	}
	return nil
}
