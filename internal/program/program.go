// Package program runs another program to its end within bounds: a time, and
// the size of what it prints. It starts nothing that outlives the call and looks
// at nothing that is printed.
package program

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// drain is how long the pipes of an ended program may stay open: what it started
// may hold them.
const drain = 500 * time.Millisecond

// maxComplaints is what is kept of what it complains about, enough to tell
// complaints apart.
const maxComplaints = 2048

// Errors of Run.
var (
	ErrTooMuch = errors.New("the program printed too much")
	ErrTimeout = errors.New("the program did not end in time")
	ErrMissing = errors.New("the program is not found")
)

// StatusError is a program that ended with another status than 0. Its text has
// none of the complaints, which may hold what the program was given.
type StatusError struct {
	Status     int
	Complaints string
}

func (e *StatusError) Error() string {
	return "the program ended with status " + strconv.Itoa(e.Status)
}

// Run runs argv for at most limit and returns the first most bytes of what it
// printed, also with an error: what came until then is worth something to some.
// A nil env is the plugin's own.
func Run(ctx context.Context, argv, env []string, limit time.Duration, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.WaitDelay = drain
	out := &bounded{most: most, full: cancel}
	complaints := &bounded{most: maxComplaints}
	cmd.Stdout, cmd.Stderr = out, complaints
	err := cmd.Run()
	printed := out.b.Bytes()
	var ended *exec.ExitError
	switch {
	case out.over:
		return printed, ErrTooMuch
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		// What is delayed is what it started, not the program: that ended well.
		return printed, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return printed, ErrTimeout
	case ctx.Err() != nil:
		return printed, ctx.Err()
	case errors.As(err, &ended):
		return printed, &StatusError{ended.ExitCode(), complaints.b.String()}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, ErrMissing
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the path is the user's
	}
	return nil, err
}

// Environment is the plugin's environment without what is meant for the plugin
// alone, and without the variables that begin with one of the prefixes.
func Environment(without ...string) []string {
	var env []string
next:
	for _, e := range os.Environ() {
		for _, prefix := range append([]string{"FLASH_"}, without...) {
			if strings.HasPrefix(e, prefix) {
				continue next
			}
		}
		env = append(env, e)
	}
	return env
}

// bounded keeps the beginning of what is written and lets the writer go on, so
// that a program is never held up by its own complaints.
type bounded struct {
	b    bytes.Buffer
	most int
	full func() // nil: the rest is dropped
	over bool
}

func (w *bounded) Write(p []byte) (int, error) {
	room := w.most - w.b.Len()
	if len(p) > room && w.full != nil && !w.over {
		w.over = true
		w.full()
	}
	w.b.Write(p[:min(len(p), max(room, 0))])
	return len(p), nil
}
