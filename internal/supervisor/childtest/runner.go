// Package childtest owns the children of tests: a Runner without a sandbox, and
// plugins that behave well or badly, for which a test binary runs itself again.
// No product code imports it.
package childtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/internal/supervisor"
)

// modeKey is the variable that makes a test binary a plugin.
const modeKey = "FLASH_TEST_PLUGIN"

// Runner starts the test binary as a plugin that behaves as Mode says; Mode may
// be changed between two starts. It counts what it started.
type Runner struct {
	Mode    atomic.Pointer[string]
	Started atomic.Int32
}

// NewRunner returns a Runner of plugins that behave as mode says.
func NewRunner(mode string) *Runner {
	r := &Runner{}
	r.Become(mode)
	return r
}

// Become changes how the plugins started from now on behave.
func (r *Runner) Become(mode string) { r.Mode.Store(&mode) }

// Start implements supervisor.Runner.
func (r *Runner) Start(_ context.Context, s supervisor.Spec) (supervisor.Process, error) {
	r.Started.Add(1)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Dir = s.Dir
	cmd.Env = append(append([]string(nil), s.Env...), modeKey+"="+*r.Mode.Load())
	return Spawn(cmd)
}

// Spawn starts cmd in a session of its own, with pipes.
func Spawn(cmd *exec.Cmd) (*Process, error) {
	begun := time.Now()
	var ends []*os.File
	closeAll := func() {
		for _, f := range ends {
			_ = f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			ends = append(ends, r, w)
		}
		return r, w, err
	}
	inR, inW, err1 := pipe()
	outR, outW, err2 := pipe()
	errR, errW, err3 := pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		closeAll()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, fmt.Errorf("start: %w", err)
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close()
	}
	return &Process{cmd: cmd, in: inW, out: outR, err: errR, spawn: time.Since(begun)}, nil
}

// Process implements supervisor.Process.
type Process struct {
	cmd     *exec.Cmd
	in      *os.File
	out     *os.File
	err     *os.File
	spawn   time.Duration
	Signals atomic.Int32 // how many were sent
}

// PID implements supervisor.Process, as do the methods below.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stdin is the host's end.
func (p *Process) Stdin() io.WriteCloser { return p.in }

// Stdout is the host's end.
func (p *Process) Stdout() io.ReadCloser { return p.out }

// Stderr is the host's end.
func (p *Process) Stderr() io.ReadCloser { return p.err }

// Wait reaps the child.
func (p *Process) Wait() supervisor.Exit {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return supervisor.Exit{Err: err}
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return supervisor.Exit{Code: -1, Signal: status.Signal()}
	}
	return supervisor.Exit{Code: status.ExitStatus()}
}

// Terminate signals the group.
func (p *Process) Terminate() error {
	p.Signals.Add(1)
	return syscall.Kill(-p.PID(), syscall.SIGTERM)
}

// Kill signals the group; none left is no error.
func (p *Process) Kill() error {
	if err := syscall.Kill(-p.PID(), syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}

// Timings reports the start.
func (p *Process) Timings() supervisor.StartTimings {
	return supervisor.StartTimings{Spawn: p.spawn}
}

// Description says that there is no sandbox.
func (p *Process) Description() string { return "unconfined, for tests" }
