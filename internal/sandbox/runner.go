package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Command is one child to start.
type Command struct {
	Argv   []string // Argv[0] is the absolute path of the executable
	Dir    string   // working directory; "" = the policy's root
	Env    []string // the whole environment: nothing is inherited
	Policy *Policy  // required; Disabled inside it is the only way out
}

// Timings are what the start of a child took.
type Timings struct {
	Sandbox time.Duration // building and applying the restrictions
	Spawn   time.Duration // from the fork to the executed child
}

// Exit is how a child ended.
type Exit struct {
	Code   int            // exit status; -1 when a signal ended it
	Signal syscall.Signal // 0 when it exited by itself
	Err    error          // set when the end could not be learnt
}

func (e Exit) String() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != 0:
		return "signal: " + e.Signal.String()
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Runner starts children. It must not read their streams, retry, or start one
// whose policy cannot be enforced.
type Runner struct {
	support func() Support
}

// NewRunner returns a runner for this machine.
func NewRunner() *Runner { return &Runner{support: detect} }

// NewRunnerFor returns a runner that believes in the given support; children
// get what that kernel could do. Tests use it for older kernels.
func NewRunnerFor(s Support) *Runner { return &Runner{support: func() Support { return s }} }

// Start starts a child. It returns once the child's program runs (or, with a
// namespace, once the shim has handed over), never waits for output, and
// fails closed: an error means that nothing of the child is left. The
// context bounds the start only.
func (r *Runner) Start(ctx context.Context, cmd Command) (*Process, error) {
	if cmd.Policy == nil {
		return nil, errors.New("sandbox: no policy; a child without one is not started")
	}
	id := cmd.Policy.PluginID
	if len(cmd.Argv) == 0 || !filepath.IsAbs(cmd.Argv[0]) {
		return nil, fmt.Errorf("plugin %s: the executable has to be an absolute path", id)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("plugin %s: %w", id, err)
	}
	if cmd.Dir == "" {
		cmd.Dir = cmd.Policy.Root
	}
	p, err := r.start(ctx, cmd)
	if err != nil {
		var refused *RefusedError
		if errors.As(err, &refused) {
			return nil, err
		}
		return nil, fmt.Errorf("plugin %s: start %q: %w", id, cmd.Argv[0], err)
	}
	return p, nil
}

// Process is a started child. Its three pipes belong to the caller, who
// closes them; Wait does not depend on them, so a grandchild that holds
// stdout delays nothing.
type Process struct {
	leader int // what the host forked: the plugin, or the init of its namespace
	pid    int // the plugin itself

	stdin, stdout, stderr *os.File

	timings     Timings
	description string
	tree        tree // what Kill ends beside the leader

	mu     sync.Mutex
	reaped bool // guarded by mu; after it the pid may be anybody's

	done chan struct{}
	exit Exit // written before done closes
}

// tree ends what a child leaves outside its leader. With fork denied or in a
// pid namespace there is nothing, and it is nil.
type tree func(leader int)

func (p *Process) PID() int              { return p.pid }
func (p *Process) Stdin() *os.File       { return p.stdin }
func (p *Process) Stdout() *os.File      { return p.stdout }
func (p *Process) Stderr() *os.File      { return p.stderr }
func (p *Process) Timings() Timings      { return p.timings }
func (p *Process) Description() string   { return p.description }
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait blocks until the child has ended and was reaped. It may be called any
// number of times.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Terminate asks the child to end (SIGTERM). A child that is pid 1 of its
// namespace and handles no SIGTERM ignores it: Kill follows after the grace.
func (p *Process) Terminate() error { return p.signal(syscall.SIGTERM) }

// Kill ends the child and everything it started. It returns without waiting.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	if p.tree != nil {
		p.tree(p.leader)
	}
	return ignoreGone(syscall.Kill(p.leader, syscall.SIGKILL))
}

func (p *Process) signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	return ignoreGone(syscall.Kill(p.leader, sig))
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// reap waits for the leader, ends what is left of its tree while the pid is
// still its own, and publishes the exit. It runs on the thread that forked.
func (p *Process) reap(report func() (Exit, bool)) {
	waitExited(p.leader)
	p.mu.Lock()
	if p.tree != nil {
		p.tree(p.leader)
	}
	exit := collect(p.leader)
	p.reaped = true
	p.mu.Unlock()
	if report != nil {
		if told, ok := report(); ok {
			exit = told
		}
	}
	p.exit = exit
	close(p.done)
}

func collect(pid int) Exit {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Exit{Code: -1, Err: fmt.Errorf("wait for process %d: %w", pid, err)}
		}
		break
	}
	return exitOf(status)
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: status.ExitStatus()}
}
