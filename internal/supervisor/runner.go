package supervisor

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"time"
)

// Runner starts children. It hides how a child is confined.
type Runner interface {
	// Start spawns the child of s in a process group and session of its own and
	// returns without talking to it. ctx ends an attempt that nobody wants any
	// more; it must not end a child that has been returned. Start must never run a
	// child less confined than s asks for: it fails instead.
	Start(ctx context.Context, s Spec) (Process, error)
}

// Spec is one child to start.
type Spec struct {
	PluginID string
	Argv     []string // Argv[0] is an absolute path
	Dir      string
	Env      []string // the whole environment, nothing is inherited
	Policy   any      // the runner's own
}

// Process is a started child.
type Process interface {
	PID() int
	// Stdin, Stdout and Stderr are the host's ends of pipes, in non-blocking mode:
	// closing one must unblock a read or a write of it.
	Stdin() io.WriteCloser
	Stdout() io.ReadCloser
	Stderr() io.ReadCloser
	// Wait blocks until the child itself has ended and reaps it. It is called
	// once. It must not close the pipes and must not wait for their other ends: a
	// grandchild may hold them for ever.
	Wait() Exit
	// Terminate asks the child's whole group to end. It must not wait.
	Terminate() error
	// Kill ends everything that the child started. It must not wait, and must be
	// safe after Wait returned, when only descendants are left.
	Kill() error
	Timings() StartTimings
	// Description says how the child is confined, for diagnosis.
	Description() string
}

// StartTimings are the phases of a start.
type StartTimings struct {
	Sandbox time.Duration // preparing the confinement
	Spawn   time.Duration // fork, exec
}

// Exit is how a child ended.
type Exit struct {
	Code   int
	Signal syscall.Signal // 0: it exited
	Err    error          // the wait itself failed
	Note   string         // what the runner knows of the cause, such as a limit that was hit
}

// String says how the child ended, in words.
func (e Exit) String() string {
	if e.Note != "" {
		return e.how() + ": " + e.Note
	}
	return e.how()
}

func (e Exit) how() string {
	switch {
	case e.Err != nil:
		return "ended unobserved: " + e.Err.Error()
	case e.Signal != 0:
		return fmt.Sprintf("killed by signal %d (%v)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}
