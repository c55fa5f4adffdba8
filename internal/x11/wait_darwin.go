package x11

import "syscall"

func wait(t *syscall.Timeval) error { return syscall.Select(0, nil, nil, nil, t) }
