package sdk

import (
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// orphanGrace is how long a dead child is left to whoever started it before it
// is taken for an orphan: os/exec waits at once, so only a program that nobody
// here started is still a zombie after it. A plugin as pid 1 must call Wait
// within this time of having fallen still or get "no child processes".
const orphanGrace = 3 * time.Second

// reapOrphans collects the exit status of descendants that were left to this
// process because it is pid 1. It is called whenever the plugin has fallen still
// and not for each end: being told of ends takes two threads, and those who end
// later, as zombies, only a place in a table until the next time.
func reapOrphans() {
	if zombie(anyChild, 0) == 0 {
		return
	}
	seen := map[int]time.Time{}
	for collect(seen, time.Now()) {
		time.Sleep(orphanGrace)
	}
}

// collect reaps the zombies that were seen a grace ago and reports whether
// there are younger ones. seen maps the zombies of now to when they were first
// found.
func collect(seen map[int]time.Time, now time.Time) (more bool) {
	zombies := zombieChildren()
	for pid := range seen {
		if _, still := zombies[pid]; !still {
			delete(seen, pid)
		}
	}
	for pid := range zombies {
		first, known := seen[pid]
		switch {
		case !known:
			seen[pid] = now
			more = true
		case now.Sub(first) < orphanGrace:
			more = true
		default:
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			delete(seen, pid)
		}
	}
	return more
}

// zombieChildren finds them without reaping any.
func zombieChildren() map[int]struct{} {
	zombies := map[int]struct{}{}
	first := zombie(anyChild, 0)
	if first == 0 {
		return zombies
	}
	zombies[first] = struct{}{}
	// The kernel shows one at a time; the others have to be asked for by pid.
	// A /proc of another namespace knows them by other numbers.
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return zombies
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return zombies
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && zombie(oneChild, pid) == pid {
			zombies[pid] = struct{}{}
		}
	}
	return zombies
}

// What waitid is asked for; the standard library has no names for it.
const (
	anyChild = 0 // P_ALL
	oneChild = 1 // P_PID
)

// zombie returns the pid of a dead child that idType and id match, 0 for none.
func zombie(idType, id int) int {
	// The layout of siginfo_t for SIGCHLD.
	var info struct {
		signo, errno, code, pad int32
		pid, uid, status        int32
		rest                    [25]int32
	}
	const how = syscall.WEXITED | syscall.WNOHANG | syscall.WNOWAIT
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, uintptr(idType), uintptr(id), uintptr(unsafe.Pointer(&info)), how, 0, 0)
	if errno != 0 || info.signo != int32(syscall.SIGCHLD) {
		return 0
	}
	return int(info.pid)
}
