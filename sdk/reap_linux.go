package sdk

import (
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// orphanGrace is how long a dead child is left to whoever started it before it
// is taken for an orphan: os/exec waits at once, so only a program that nobody
// here started is still a zombie after it. A plugin as pid 1 must call Wait
// within this time of a process's end or get "no child processes".
const orphanGrace = 3 * time.Second

// reapOrphans collects the exit status of descendants that were left to this
// process because it is pid 1. It sleeps until a child ends.
func reapOrphans() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	go func() {
		seen := map[int]time.Time{}
		for range ended {
			for collect(seen, time.Now()) {
				time.Sleep(orphanGrace)
			}
		}
	}()
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
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
			delete(seen, pid)
		}
	}
	return more
}

// zombieChildren looks at each process of the namespace without reaping it.
func zombieChildren() map[int]struct{} {
	zombies := map[int]struct{}{}
	dir, err := os.Open("/proc")
	if err != nil {
		return zombies
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		var info unix.Siginfo
		err = unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == nil && info.Signo == int32(unix.SIGCHLD) {
			zombies[pid] = struct{}{}
		}
	}
	return zombies
}
