package worker

import (
	"bytes"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// callPIDInfo and flavorPath are proc_info's, from <sys/proc_info.h>.
	callPIDInfo = 2
	flavorPath  = 11
	maxPath     = 4 * 1024
)

// executable is the program that a process runs.
func executable(pid int) (string, error) {
	var buf [maxPath]byte
	_, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, callPIDInfo, uintptr(pid), flavorPath, 0, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return "", errno
	}
	path, _, _ := bytes.Cut(buf[:], []byte{0})
	return string(path), nil
}
