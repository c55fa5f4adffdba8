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

// identify is a process's start, in microseconds since the epoch, and its program.
func identify(pid int) (start uint64, exe string, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, "", err
	}
	t := info.Proc.P_starttime
	start = uint64(t.Sec)*1e6 + uint64(t.Usec)
	var buf [maxPath]byte
	_, _, errno := unix.Syscall6(unix.SYS_PROC_INFO, callPIDInfo, uintptr(pid), flavorPath, 0, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return 0, "", errno
	}
	path, _, _ := bytes.Cut(buf[:], []byte{0})
	return start, string(path), nil
}
