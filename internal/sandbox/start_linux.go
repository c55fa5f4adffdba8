package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (r *Runner) start(ctx context.Context, cmd Command) (*Process, error) {
	var support Support
	if !cmd.Policy.Disabled {
		support = r.support()
	}
	pl, err := planFor(cmd.Policy, support)
	if err != nil {
		return nil, err
	}
	std, err := newStdio(cmd.Policy.PluginID)
	if err != nil {
		return nil, err
	}
	p := &Process{
		stdin: std.parent[0], stdout: std.parent[1], stderr: std.parent[2],
		done: make(chan struct{}),
	}
	if err := closeOnExec(); err != nil {
		std.close()
		return nil, err
	}
	switch pl.way {
	case wayThread:
		err = startThread(p, cmd, pl, support, std)
	case wayNamespace:
		err = startNamespace(ctx, p, cmd, pl, support, std)
	default:
		err = startPlain(p, cmd, std)
	}
	if err != nil {
		std.close()
		return nil, err
	}
	std.closeChild()
	return p, nil
}

// startPlain starts a child of a disabled sandbox.
func startPlain(p *Process, cmd Command, std *stdio) error {
	p.description = "no sandbox"
	p.tree = killTree(cmd.Env)
	return spawn(p, forkSpec{
		path: cmd.Argv[0], argv: cmd.Argv, env: cmd.Env, dir: cmd.Dir, files: std.files(),
	})
}

// startThread restricts an OS thread of the host for good and lets it fork:
// the child inherits everything. 33 starts take 27 ms this way against 60 in
// namespaces.
func startThread(p *Process, cmd Command, pl plan, s Support, std *stdio) error {
	began := time.Now()
	policy := cmd.Policy
	domain := domainSpec{
		ABI: min(s.LandlockABI, abiKnown), Rules: needed(policy.carve(policy.grants(), false, readDir)),
		Network: policy.Network, Signals: pl.signals, Abstract: pl.abstract,
	}
	ruleset, err := domain.ruleset()
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	token, err := forkToken()
	if err != nil {
		return err
	}
	filter := filterSpec{
		Network: policy.Network, Peers: true, Metadata: pl.metadata, Truncate: pl.truncate,
		KeepDie: true, Stack: policy.MemoryBytes > 0, ForkToken: token,
	}.build()
	p.description = fmt.Sprintf("landlock %d, seccomp", domain.ABI)
	prepared := time.Since(began)
	err = spawn(p, forkSpec{
		path: cmd.Argv[0], argv: cmd.Argv, env: cmd.Env, dir: cmd.Dir, files: std.files(),
		// See filterSpec.forkBlock.
		flags: uintptr(token) << 32,
		restrict: func() error {
			for _, step := range []func() error{
				dropCapabilities, noNewPrivileges,
				func() error { return restrictThread(ruleset) },
				filter.install,
			} {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	p.timings.Sandbox += prepared
	if err := append(limitsOf(policy, false), memoryOf(policy)...).applyTo(p.leader); err != nil {
		p.Kill()
		p.Wait()
		return err
	}
	return nil
}

func forkToken() (uint32, error) {
	var raw [4]byte
	for {
		if _, err := rand.Read(raw[:]); err != nil {
			return 0, fmt.Errorf("fork token: %w", err)
		}
		if t := binary.NativeEndian.Uint32(raw[:]); t != 0 {
			return t, nil
		}
	}
}

// forkSpec is one fork and exec from a locked thread.
type forkSpec struct {
	path     string
	argv     []string
	env      []string
	dir      string
	files    []uintptr
	flags    uintptr
	ambient  []uintptr
	restrict func() error        // runs on the thread, which is then never used for anything else
	report   func() (Exit, bool) // a better answer than the leader's own exit
}

// spawn forks from an OS thread that stays locked to waiting for the child:
// the parent-death signal fires when the forking thread ends, so this thread
// ends when its child has, or with the host. It never serves another
// goroutine; the runtime discards it.
func spawn(p *Process, f forkSpec) error {
	started := make(chan error, 1)
	onSpareThread(func() {
		began := time.Now()
		if f.restrict != nil {
			if err := f.restrict(); err != nil {
				started <- err
				return
			}
		}
		p.timings.Sandbox = time.Since(began)
		began = time.Now()
		pid, err := syscall.ForkExec(f.path, f.argv, &syscall.ProcAttr{
			Dir: f.dir, Env: f.env, Files: f.files,
			Sys: &syscall.SysProcAttr{
				Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: f.flags, AmbientCaps: f.ambient,
			},
		})
		p.timings.Spawn = time.Since(began)
		if err != nil {
			started <- explainExec(err)
			return
		}
		p.leader, p.pid = pid, pid
		started <- nil
		p.reap(f.report)
	})
	return <-started
}

func explainExec(err error) error {
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("%w (the file, its interpreter, its loader and the working directory all have to exist and be executable or searchable for this user)", err)
	}
	return err
}

// onSpareThread runs fn on an OS thread of its own that is not the
// thread-group leader and ends with fn.
func onSpareThread(fn func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			fn()
			return
		}
		// On the leader: occupy it until another goroutine has a thread.
		defer runtime.UnlockOSThread()
		elsewhere := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(elsewhere)
			fn()
		}()
		<-elsewhere
	}()
}

func (s *stdio) files() []uintptr {
	return []uintptr{uintptr(s.child[0]), uintptr(s.child[1]), uintptr(s.child[2])}
}

func pipe() (r, w int, err error) {
	var fds [2]int
	err = syscall.Pipe2(fds[:], syscall.O_CLOEXEC)
	return fds[0], fds[1], err
}

// closeOnExec marks every descriptor above stderr, also those that the host
// itself inherited without the mark. In Go this takes nothing from anybody:
// descriptors meant for a child are duplicated in the child.
func closeOnExec() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	entries, readErr := os.ReadDir("/proc/self/fd")
	if readErr != nil {
		return fmt.Errorf("close descriptors on exec: %w", errors.Join(err, readErr))
	}
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// waitExited blocks until the process has ended and leaves it unreaped.
func waitExited(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}
