package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// command is a program to run. An Env of nil is this program's own.
type command struct {
	argv    []string
	env     []string
	dir     string
	stdin   string
	timeout time.Duration // 0: that of the check
}

// output is what a program said and how it ended.
type output struct {
	stdout, stderr string
	code           int
	err            error // it was not started, or was ended for taking too long
}

func (o output) ok() bool { return o.err == nil && o.code == 0 }

// said is why something did not work, in one line or a few.
func (o output) said() string {
	const most = 600
	text := strings.TrimSpace(o.stderr)
	if text == "" {
		text = strings.TrimSpace(o.stdout)
	}
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	switch {
	case o.err != nil && text != "":
		return o.err.Error() + ": " + text
	case o.err != nil:
		return o.err.Error()
	}
	return strings.TrimSuffix(fmt.Sprintf("exit code %d: %s", o.code, text), ": ")
}

// process is a program that runs beside the others.
type process interface {
	pid() int
	// stop asks it to end and waits.
	stop() output
}

// runner runs programs. Tests have one that plays back.
type runner interface {
	run(context.Context, command) output
	start(context.Context, command) (process, error)
}

const (
	// endGrace is between the request to end and the kill of a group.
	endGrace = 3 * time.Second
	// maxOutput bounds what is kept of a program's output; JSON of all plugins'
	// scenarios is a megabyte.
	maxOutput = 16 << 20
)

// system runs programs for real, each in a process group of its own, so that
// Ctrl-C is this program's alone to act on and a timeout ends all of a group.
type system struct{}

func (system) command(ctx context.Context, c command) (*exec.Cmd, *bounded, *bounded) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	out, errs := &bounded{}, &bounded{}
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, c.dir, strings.NewReader(c.stdin), out, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	return cmd, out, errs
}

func (s system) run(ctx context.Context, c command) output {
	if c.timeout > 0 {
		within, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		ctx = within
	}
	cmd, out, errs := s.command(ctx, c)
	return ended(ctx, cmd, cmd.Run(), out, errs)
}

// ended takes down what is left of the group and reads how it went.
func ended(ctx context.Context, cmd *exec.Cmd, err error, out, errs *bounded) output {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	o := output{stdout: out.String(), stderr: errs.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		o.code, o.err = -1, fmt.Errorf("%s was ended: %w", cmd.Args[0], ctx.Err())
	case errors.As(err, &exit):
		o.code = exit.ExitCode()
	case err != nil:
		o.code, o.err = -1, err
	}
	return o
}

func (s system) start(ctx context.Context, c command) (process, error) {
	cmd, out, errs := s.command(ctx, c)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{ctx, cmd, out, errs}, nil
}

type child struct {
	ctx       context.Context
	cmd       *exec.Cmd
	out, errs *bounded
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) stop() output {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(endGrace, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	return ended(c.ctx, c.cmd, c.cmd.Wait(), c.out, c.errs)
}

// bounded keeps the beginning of an output.
type bounded struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Write(p[:min(len(p), maxOutput-b.b.Len())])
	return len(p), nil
}

func (b *bounded) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
