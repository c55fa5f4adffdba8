package devtool

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dieWithParent: the process ends with its stdin.
func dieWithParent() {}

// AwaitEnd returns once the process has ended; one that is gone has.
func AwaitEnd(pid int) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return fmt.Errorf("waiting for process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(kq) }()
	unix.CloseOnExec(kq)
	change := []unix.Kevent_t{{Fflags: unix.NOTE_EXIT}}
	unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(kq, change, events, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			change = nil // it is registered already
		case err != nil && !errors.Is(err, unix.ESRCH):
			return fmt.Errorf("waiting for process %d: %w", pid, err)
		case err == nil && events[0].Flags&unix.EV_ERROR != 0 && unix.Errno(events[0].Data) != unix.ESRCH:
			return fmt.Errorf("waiting for process %d: %w", pid, unix.Errno(events[0].Data))
		default:
			return nil
		}
	}
}
