package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/pointer/tap"
)

// State is what can be said of the worker from outside.
type State string

// The states.
const (
	Running      State = "running"
	Stopped      State = "stopped"
	Stale        State = "stale"
	NoPermission State = "no-permission"
)

// Status is the answer of `flash pointer status`.
type Status struct {
	State  State  `json:"state"`
	PID    int    `json:"pid,omitempty"`
	Detail string `json:"detail,omitempty"` // why, and what to do
}

// Look says how the worker of a state folder is. probe asks the platform
// whether input may be read; it is asked only when no worker runs.
func Look(state string, probe func() error) Status {
	path := PIDFile(state)
	r, err := readRecord(path)
	switch {
	case err == nil && r.alive():
		return Status{State: Running, PID: r.PID}
	case err == nil:
		return Status{State: Stale, Detail: fmt.Sprintf("%s names process %d, which is gone or another one's now; `flash pointer off` removes the file", path, r.PID)}
	case errors.Is(err, fs.ErrPermission):
		return Status{State: Stale, Detail: err.Error() + "; its folder has to belong to the user of this worker"}
	case !errors.Is(err, fs.ErrNotExist):
		return Status{State: Stale, Detail: err.Error() + "; `flash pointer off` removes it"}
	}
	if err := probe(); errors.Is(err, tap.ErrPermission) {
		return Status{State: NoPermission, Detail: err.Error()}
	}
	return Status{State: Stopped}
}

const (
	// startWithin is how long a worker may take to open its tap on a loaded
	// machine.
	startWithin = 10 * time.Second
	// endWithin is how long a worker may take to finish its last action.
	endWithin = 3 * time.Second
	// pace is between two looks at a process that is ending.
	pace = 5 * time.Millisecond
)

// readyWord is what a started worker writes to its starter when the tap is
// open; anything else is why it is not.
const readyWord = "ready"

// StartError is a worker that did not come up.
type StartError struct {
	Code int    // its exit code
	Text string // what it said
}

func (e *StartError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the pointer worker ended at once with code %d", e.Code)
	}
	return e.Text
}

// On starts a worker, unless one runs, and returns its pid once its tap is
// open. argv is the worker's command line; it is given file 3 to answer on.
func On(ctx context.Context, state string, argv, env []string) (pid int, started bool, err error) {
	if r, err := readRecord(PIDFile(state)); err == nil && r.alive() {
		return r.PID, false, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return 0, false, err
	}
	defer read.Close()
	keepFromWorker()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{write}
	// stdio stays nil, which is /dev/null; the session of its own keeps the
	// worker when the terminal or the resident goes.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return 0, false, err
	}
	deadline := time.Now().Add(startWithin)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	_ = read.SetReadDeadline(deadline)
	text, err := io.ReadAll(io.LimitReader(read, 64<<10))
	said := strings.TrimSpace(string(text))
	if said == readyWord {
		return cmd.Process.Pid, true, nil
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return 0, false, fmt.Errorf("the pointer worker did not open its tap within %s", startWithin)
	}
	_ = cmd.Wait()
	// Two at once: the other one won, which is as good.
	if r, err := readRecord(PIDFile(state)); err == nil && r.alive() {
		return r.PID, false, nil
	}
	return 0, false, &StartError{Code: cmd.ProcessState.ExitCode(), Text: said}
}

// keepFromWorker closes what this process itself was handed, such as the pipe
// of a script, to programs that it starts: a worker that outlives its starter
// must not hold it open.
func keepFromWorker() {
	const handed = 256 // no shell hands on higher ones
	for fd := 3; fd < handed; fd++ {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC)
	}
}

// Answer tells the starter, on file 3, that the worker is ready, or why not.
func Answer(err error) {
	f := os.NewFile(3, "starter")
	if f == nil {
		return
	}
	text := readyWord
	if err != nil {
		text = err.Error()
	}
	_, _ = io.WriteString(f, text)
	_ = f.Close()
}

// Off ends the worker and removes what a dead one left. It reports whether one
// ran.
func Off(ctx context.Context, state string) (bool, error) {
	path := PIDFile(state)
	r, err := readRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !r.alive() {
		return false, errors.Join(clean(path), tap.Restore(""))
	}
	if err := syscall.Kill(r.PID, syscall.SIGTERM); err != nil {
		return false, fmt.Errorf("pointer worker (pid %d): %w", r.PID, err)
	}
	if !r.gone(ctx, endWithin) {
		// Looked at again right before: the number may be another's by now.
		if r.alive() {
			_ = syscall.Kill(r.PID, syscall.SIGKILL)
		}
		if !r.gone(ctx, endWithin) {
			return true, fmt.Errorf("pointer worker (pid %d) does not end", r.PID)
		}
	}
	if err := clean(path); err != nil && !errors.Is(err, ErrRunning) {
		return true, err
	}
	return true, nil
}

func (r Record) gone(ctx context.Context, within time.Duration) bool {
	deadline := time.After(within)
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for r.alive() {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}
