//go:build !linux

package devtool

import (
	"errors"
	"syscall"
	"time"
)

// dieWithParent: the process ends with its stdin.
func dieWithParent() {}

// awaitStep is between two looks at a process: below what a scenario measures.
const awaitStep = 20 * time.Millisecond

// AwaitEnd returns once the process has ended; one that is gone has.
func AwaitEnd(pid int) error {
	for {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			return nil
		}
		time.Sleep(awaitStep)
	}
}
