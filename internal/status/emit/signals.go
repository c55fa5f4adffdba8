package emit

import "syscall"

// StopSignal and ContinueSignal are how i3bar says that it is hidden and shown.
const (
	StopSignal     = int(syscall.SIGUSR1)
	ContinueSignal = int(syscall.SIGUSR2)
)
