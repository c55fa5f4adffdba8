package x11

import "syscall"

func wait(t *syscall.Timeval) error {
	_, err := syscall.Select(0, nil, nil, nil, t)
	return err
}
