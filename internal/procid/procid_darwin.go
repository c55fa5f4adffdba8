package procid

import "golang.org/x/sys/unix"

// StartTime returns when a process started, in microseconds since the epoch.
// The unit is the platform's own; the value is for comparing.
func StartTime(pid int) (uint64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	t := info.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec), nil
}

// Parent is the process that started another, 0 where that is not known.
func Parent(pid int) int {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(info.Eproc.Ppid)
}
