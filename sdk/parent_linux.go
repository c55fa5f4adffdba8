package sdk

import (
	"os"

	"golang.org/x/sys/unix"
)

// initialPIDNamespace is the inode of the first pid namespace, a constant of
// the kernel (PROC_PID_INIT_INO).
const initialPIDNamespace = 0xEFFFFFFC

// watchParent calls gone once when the process pid has ended. It waits on a
// pidfd through the runtime's poller, which costs no thread and no polling, and
// unlike a parent-death signal is not fooled by the end of the host's thread
// that forked.
func watchParent(pid int, gone func()) {
	// In a pid namespace of our own the number names nobody, or somebody else;
	// there the end of stdin and the namespace's init tell.
	if os.Getppid() == 0 || pid == os.Getpid() {
		return
	}
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err == unix.ESRCH && inInitialPIDNamespace() {
		gone()
		return
	}
	if err != nil {
		return
	}
	file := os.NewFile(uintptr(fd), "parent")
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return
	}
	go func() {
		defer file.Close()
		if raw.Read(hasExited) == nil {
			gone()
		}
	}()
}

func hasExited(pidfd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

func inInitialPIDNamespace() bool {
	var st unix.Stat_t
	return unix.Stat("/proc/self/ns/pid", &st) == nil && st.Ino == initialPIDNamespace
}
