package devtool

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dieWithParent makes the death of the parent this process's own.
func dieWithParent() {
	// Failing leaves a process that ends with its stdin instead.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

// AwaitEnd returns once the process has ended; one that is gone has.
func AwaitEnd(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
