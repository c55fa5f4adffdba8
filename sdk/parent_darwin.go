package sdk

import "syscall"

// watchParent calls gone once when the process pid has ended. One thread waits
// in the kernel for it.
func watchParent(pid int, gone func()) {
	kq, err := syscall.Kqueue()
	if err != nil {
		return
	}
	syscall.CloseOnExec(kq)
	change := []syscall.Kevent_t{{Filter: syscall.EVFILT_PROC, Flags: syscall.EV_ADD | syscall.EV_ONESHOT, Fflags: syscall.NOTE_EXIT}}
	syscall.SetKevent(&change[0], pid, syscall.EVFILT_PROC, syscall.EV_ADD|syscall.EV_ONESHOT)
	if _, err := syscall.Kevent(kq, change, nil, nil); err != nil {
		_ = syscall.Close(kq)
		if err == syscall.ESRCH {
			gone()
		}
		return
	}
	go func() {
		defer syscall.Close(kq)
		events := make([]syscall.Kevent_t, 1)
		for {
			n, err := syscall.Kevent(kq, nil, events, nil)
			if err == syscall.EINTR {
				continue
			}
			if n > 0 {
				gone()
			}
			return
		}
	}()
}
