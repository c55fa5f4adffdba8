package action

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// maxChildren bounds commands that run at once.
const maxChildren = 16

// children are the commands that were started. They are reaped when the kernel
// says that one has ended: waiting for each would keep a thread for each.
type children struct {
	ended chan os.Signal
	pids  [maxChildren]int
}

func newChildren() *children { return &children{ended: make(chan os.Signal, 1)} }

// start runs argv in a session of its own, with nothing to read or write.
func (c *children) start(argv []string) error {
	c.reap()
	slot := -1
	for i, pid := range c.pids {
		if pid == 0 {
			slot = i
		}
	}
	if slot < 0 {
		return fmt.Errorf("command %q: %d commands run already", argv[0], maxChildren)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("command %q: %w", argv[0], err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	signal.Notify(c.ended, syscall.SIGCHLD)
	fd := null.Fd()
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: []uintptr{fd, fd, fd}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("command %q: %w", argv[0], err)
	}
	c.pids[slot] = pid
	return nil
}

// reap collects every command that has ended.
func (c *children) reap() {
	for i, pid := range c.pids {
		if pid == 0 {
			continue
		}
		if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got == pid || err == syscall.ECHILD {
			c.pids[i] = 0
		}
	}
}

func (c *children) close() {
	signal.Stop(c.ended)
	c.reap()
}
