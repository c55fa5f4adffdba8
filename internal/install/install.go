// Package install runs the install steps of third-party plugins: one shell
// command in the plugin's folder, such as `npm ci`.
//
// It owns the process group of a step, drains both of its streams while it runs
// and bounds what is kept of them, and lets no two steps run in one folder. Who
// waits for a step may leave at any time; the step then ends on its own, and
// its folder stays taken until it has.
//
// It decides nothing: that the user allowed the command is the caller's to know.
// A step is not confined by the plugin's sandbox.
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// KeepStdout and KeepStderr bound what the log holds of a step, in bytes; the
	// rest is read and dropped.
	KeepStdout = 4 << 20
	KeepStderr = 256 << 10
	// Timeout is how long a step may take: a cold build of a plugin with many
	// dependencies on a slow line.
	Timeout = 15 * time.Minute
	// termGrace is what the group has between SIGTERM and SIGKILL.
	termGrace = 2 * time.Second
	// drainGrace is how long the streams are read on once the command has ended:
	// something that it started may hold them open for ever.
	drainGrace = termGrace + 500*time.Millisecond
	// lastWords is what an error quotes of stderr, in bytes.
	lastWords = 300
	shell     = "/bin/sh"
)

// Step is one install step.
type Step struct {
	Plugin  string
	Root    string // the plugin's folder, in which it runs
	Command string
	Env     []string
	Log     string // the file that its output goes to, replaced by each step
}

// Jobs runs steps, one at a time: they compete for the machine with all else.
// The zero value is ready.
type Jobs struct {
	once    sync.Once
	slot    chan struct{}
	mu      sync.Mutex
	folders map[string]chan struct{} // closed when the step there has ended
	running sync.WaitGroup
}

// Run runs a step and waits for its end or that of ctx, whichever is first. A
// step whose ctx ends is ended too, without being waited for.
func (j *Jobs) Run(ctx context.Context, s Step) error {
	j.once.Do(func() { j.slot, j.folders = make(chan struct{}, 1), map[string]chan struct{}{} })
	release, err := j.take(ctx, s.Root)
	if err != nil {
		return err
	}
	select {
	case j.slot <- struct{}{}:
	case <-ctx.Done():
		release()
		return ctx.Err()
	}
	done := make(chan error, 1)
	j.running.Go(func() {
		defer release()
		defer func() { <-j.slot }()
		done <- run(ctx, s)
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait waits until nothing runs.
func (j *Jobs) Wait() { j.running.Wait() }

// take waits for the folder.
func (j *Jobs) take(ctx context.Context, root string) (release func(), err error) {
	for {
		j.mu.Lock()
		taken := j.folders[root]
		if taken == nil {
			mine := make(chan struct{})
			j.folders[root] = mine
			j.mu.Unlock()
			return func() {
				j.mu.Lock()
				delete(j.folders, root)
				j.mu.Unlock()
				close(mine)
			}, nil
		}
		j.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func run(ctx context.Context, s Step) (err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the log of the install step: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	fmt.Fprintf(log, "$ %s\n", s.Command)

	cmd := exec.CommandContext(ctx, shell, "-c", s.Command)
	cmd.Dir, cmd.Env = s.Root, s.Env
	cmd.WaitDelay = drainGrace
	group := own(cmd)
	cmd.Cancel = func() error {
		group.signal(cmd.Process.Pid, false)
		time.AfterFunc(termGrace, func() { group.signal(cmd.Process.Pid, true) })
		return nil
	}
	sink := &sink{file: log}
	stdout, stderr := &stream{to: sink, left: KeepStdout}, &stream{to: sink, left: KeepStderr}
	ended := group.start(cmd, stdout, stderr)
	if err := <-ended; err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return s.fault(ctx, err, stderr)
	}
	return nil
}

// fault says how a step failed, in words of its own.
func (s Step) fault(ctx context.Context, err error, stderr *stream) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("did not end within %v; its output is in %s", Timeout, s.Log)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	words := strings.TrimSpace(strings.ToValidUTF8(string(stderr.tail), "\uFFFD"))
	if i := strings.LastIndexByte(words, '\n'); i >= 0 {
		words = words[i+1:]
	}
	if words != "" {
		words = ": " + words
	}
	return fmt.Errorf("%w%s; its output is in %s", err, words, s.Log)
}

// sink is a file that two streams write to.
type sink struct {
	mu   sync.Mutex
	file io.Writer
}

// stream takes all that comes and keeps the first bytes in the log and the last
// ones for the error.
type stream struct {
	to   *sink
	left int
	tail []byte
}

func (s *stream) Write(p []byte) (int, error) {
	if n := min(s.left, len(p)); n > 0 {
		s.left -= n
		s.to.mu.Lock()
		// A full disk must not stop the step.
		_, _ = s.to.file.Write(p[:n])
		if s.left == 0 {
			_, _ = s.to.file.Write([]byte("\n[the rest is not kept]\n"))
		}
		s.to.mu.Unlock()
	}
	s.tail = append(s.tail, p[max(0, len(p)-lastWords):]...)
	s.tail = append(s.tail[:0], s.tail[max(0, len(s.tail)-lastWords):]...)
	return len(p), nil
}
