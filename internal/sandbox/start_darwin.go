package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const watchdogName = "flash-sandbox-watchdog"

// init makes any binary that links this package its own watchdog.
func init() {
	if len(os.Args) == 1 && os.Args[0] == watchdogName {
		watchGroups(os.Stdin, func(group int) { syscall.Kill(-group, syscall.SIGKILL) })
		os.Exit(0)
	}
}

func (r *Runner) start(_ context.Context, cmd Command) (*Process, error) {
	began := time.Now()
	argv := cmd.Argv
	description := "no sandbox"
	if !cmd.Policy.Disabled {
		if !seatbeltAvailable() {
			return nil, &RefusedError{cmd.Policy.PluginID, sandboxExec + " is missing", "restore it with the system"}
		}
		text, err := cmd.Policy.Seatbelt()
		if err != nil {
			return nil, err
		}
		argv = append([]string{sandboxExec, "-p", text}, cmd.Argv...)
		description = "seatbelt"
	}
	std, err := newStdio(cmd.Policy.PluginID)
	if err != nil {
		return nil, err
	}
	p := &Process{
		stdin: std.parent[0], stdout: std.parent[1], stderr: std.parent[2],
		description: description, tree: killTree, done: make(chan struct{}),
	}
	p.timings.Sandbox = time.Since(began)
	began = time.Now()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: cmd.Dir, Env: cmd.Env,
		Files: []uintptr{uintptr(std.child[0]), uintptr(std.child[1]), uintptr(std.child[2])},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	p.timings.Spawn = time.Since(began)
	if err != nil {
		std.close()
		return nil, err
	}
	std.closeChild()
	p.leader, p.pid = pid, pid
	watch("+", pid)
	go func() {
		p.reap(nil)
		watch("-", pid)
	}()
	return p, nil
}

// The watchdog is one process per host, started with the first child.
var watchdog struct {
	sync.Mutex
	pipe *os.File
}

func watch(sign string, pid int) {
	watchdog.Lock()
	defer watchdog.Unlock()
	if watchdog.pipe == nil {
		w, err := startWatchdog()
		if err != nil {
			return // the child still ends on stdin EOF
		}
		watchdog.pipe = w
	}
	if _, err := fmt.Fprintf(watchdog.pipe, "%s%d\n", sign, pid); err != nil {
		watchdog.pipe.Close()
		watchdog.pipe = nil
	}
}

func startWatchdog() (*os.File, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, w, err := pipe()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		syscall.Close(r)
		syscall.Close(w)
		return nil, err
	}
	pid, err := syscall.ForkExec(self, []string{watchdogName}, &syscall.ProcAttr{
		Dir: "/", Files: []uintptr{uintptr(r), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	syscall.Close(r)
	null.Close()
	if err != nil {
		syscall.Close(w)
		return nil, err
	}
	go collect(pid)
	return pollable(w, "sandbox watchdog")
}

// killTree ends the group and the descendants of a leader.
func killTree(leader int) {
	syscall.Kill(-leader, syscall.SIGKILL)
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return
	}
	family := []int{leader}
	for i := 0; i < len(family); i++ {
		for _, info := range all {
			if pid := int(info.Proc.P_pid); int(info.Eproc.Ppid) == family[i] && !slices.Contains(family, pid) {
				family = append(family, pid)
			}
		}
	}
	for _, pid := range family[1:] {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// pipe makes both ends close on exec. The fork lock keeps a fork from seeing
// them before that.
func pipe() (r, w int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return -1, -1, err
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

const kqueueRetry = 100 * time.Millisecond

// waitExited blocks until the process has ended and leaves it unreaped.
func waitExited(pid int) {
	queue, err := unix.Kqueue()
	for err != nil {
		// No descriptor is left. To return would be to say that it has ended, and it
		// would be killed.
		time.Sleep(kqueueRetry)
		queue, err = unix.Kqueue()
	}
	defer unix.Close(queue)
	var change unix.Kevent_t
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change.Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(queue, []unix.Kevent_t{change}, events, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
