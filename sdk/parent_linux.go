package sdk

import (
	"os"
	"syscall"
	"unsafe"
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
	fd, err := pidfdOpen(pid)
	if err == syscall.ESRCH && inInitialPIDNamespace() {
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
	const readable = 1 // POLLIN
	poll := struct {
		fd              int32
		events, revents int16
	}{fd: int32(pidfd), events: readable}
	var atOnce syscall.Timespec
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&atOnce)), 0, 0, 0)
	return errno == 0 && n > 0
}

// pidfdOpen returns a descriptor of a process that the runtime's poller takes.
func pidfdOpen(pid int) (int, error) {
	const number = 434 // on every architecture; the standard library has no name for it
	fd, _, errno := syscall.Syscall(number, uintptr(pid), syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

func inInitialPIDNamespace() bool {
	var st syscall.Stat_t
	return syscall.Stat("/proc/self/ns/pid", &st) == nil && st.Ino == initialPIDNamespace
}
