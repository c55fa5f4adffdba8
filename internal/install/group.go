package install

import (
	"io"
	"os/exec"
	"runtime"
	"syscall"
)

// group is the session of a step: what it starts and does not take out of it.
type group struct{}

func own(cmd *exec.Cmd) group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWithHost(cmd.SysProcAttr)
	return group{}
}

func (group) signal(leader int, kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, sig)
}

// start starts cmd and sends how it ended. It is started and waited for on one
// thread: where the kernel ends it together with the host, it is that thread's
// end that counts.
func (g group) start(cmd *exec.Cmd, stdout, stderr io.Writer) <-chan error {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			err = cmd.Wait()
			g.signal(cmd.Process.Pid, true) // what it left behind
		}
		ended <- err
	}()
	return ended
}
