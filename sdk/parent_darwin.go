package sdk

import "golang.org/x/sys/unix"

// watchParent calls gone once when the process pid has ended. One thread waits
// in the kernel for it.
func watchParent(pid int, gone func()) {
	kq, err := unix.Kqueue()
	if err != nil {
		return
	}
	unix.CloseOnExec(kq)
	change := []unix.Kevent_t{{Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}}
	unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	if _, err := unix.Kevent(kq, change, nil, nil); err != nil {
		_ = unix.Close(kq)
		if err == unix.ESRCH {
			gone()
		}
		return
	}
	go func() {
		defer unix.Close(kq)
		events := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(kq, nil, events, nil)
			if err == unix.EINTR {
				continue
			}
			if n > 0 {
				gone()
			}
			return
		}
	}()
}
