// Package play lets a person talk to one plugin: a scripted host that prints
// every frame both ways, turns short lines into requests, and answers the
// plugin's host calls without doing what they ask. It can record a session and
// replay one. It never opens, copies or fetches anything.
package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
)

// Options say which plugin is played with and where the words come from.
type Options struct {
	Manifest *protocol.Manifest
	Start    func(ctx context.Context) (*sandbox.Process, error)
	In       io.Reader // lines of a person or a script
	Out      io.Writer // frames, and what is not understood
	// Terminal is that Out is one: what a plugin says must not drive it.
	Terminal bool
	Color    bool
	// Script waits for the replies to a line before it takes the next.
	Script bool
	Record io.Writer // nil records nothing
	Replay io.Reader // nil plays In
}

// Error is a plugin that did not do what the wire asks or the recording says.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// session is one plugin being talked to.
type session struct {
	o       Options
	process *sandbox.Process
	began   time.Time
	outlet  outlet
	ended   chan struct{} // closed once the plugin has ended and said its last

	same, missing int // frames of a replayed recording

	mu      sync.Mutex // guards what follows and the order of output
	next    int64
	owed    map[int64]asked // our requests without a reply
	refused error           // why a host would give the plugin up after its initialize reply
	faults  int             // frames that a host would not take
	rows    []protocol.Row  // of the last publication
	storage map[string]string
	said    []string      // frames of the plugin that a replay has not come to
	changed chan struct{} // closed and renewed when owed, rows or said change
	lagging error         // of writing the recording
}

// asked is a request that waits for its reply.
type asked struct {
	method string
	at     time.Time
}

// Run starts the plugin, plays the session to its end and ends the plugin. When
// ctx ends the plugin is ended as a host ends it.
func Run(ctx context.Context, o Options) error {
	p, err := o.Start(ctx)
	if err != nil {
		return err
	}
	s := &session{
		o: o, process: p, began: time.Now(), owed: map[int64]asked{}, storage: map[string]string{},
		changed: make(chan struct{}), ended: make(chan struct{}),
	}
	s.outlet.start(p.Stdin())
	var readers sync.WaitGroup
	silent := make(chan struct{})
	readers.Go(func() {
		defer close(silent)
		s.readFrames()
	})
	readers.Go(s.readStderr)
	go s.watchEnd(silent)
	var played error
	if o.Replay != nil {
		played = s.replay(ctx)
	} else {
		played = s.play(ctx)
	}
	exit, late := s.end()
	readers.Wait()
	if played == nil && o.Replay != nil {
		played = s.verdict()
	}
	s.note("the plugin ended: %s", exit)
	switch {
	case played != nil:
		return played
	case ctx.Err() != nil:
		return ctx.Err()
	case late:
		return &Error{fmt.Sprintf("the plugin did not end within %v of its stdin's end", protocol.ShutdownGrace)}
	case exit.Code != 0 || exit.Err != nil:
		return &Error{"the plugin ended with " + exit.String()}
	case s.faults > 0 && o.Replay == nil:
		return &Error{fmt.Sprintf("a host would not take %d of the plugin's frames; the lines with # say why", s.faults)}
	}
	return s.lagging
}

// watchEnd closes ended once the plugin is gone and its stdout is read: what it
// said last may still be on its way. A process that it left behind may hold
// stdout open.
func (s *session) watchEnd(silent <-chan struct{}) {
	defer close(s.ended)
	<-s.process.Done()
	timer := time.NewTimer(protocol.KillGrace)
	defer timer.Stop()
	select {
	case <-silent:
	case <-timer.C:
	}
}

// end closes stdin behind what is still to be written and escalates as the host
// does.
func (s *session) end() (exit sandbox.Exit, late bool) {
	s.closeStdin()
	// A write that nobody takes ends with its descriptor.
	defer s.process.Stdin().Close()
	for _, step := range []struct {
		grace time.Duration
		then  func() error
	}{{protocol.ShutdownGrace, s.process.Terminate}, {protocol.KillGrace, s.process.Kill}} {
		timer := time.NewTimer(step.grace)
		select {
		case <-s.process.Done():
			timer.Stop()
			return s.process.Wait(), late
		case <-timer.C:
			late = true
			_ = step.then()
		}
	}
	return s.process.Wait(), late
}

// play does what the lines of In say, until they end and all is answered.
func (s *session) play(ctx context.Context) error {
	s.request(protocol.MethodInitialize, fmt.Appendf(nil, `{"protocol_version":%d}`, protocol.Version))
	if err := s.settle(ctx, protocol.DeadlineStartup); err != nil {
		return err
	}
	s.mu.Lock()
	refused := s.refused
	s.mu.Unlock()
	if refused != nil {
		return refused
	}
	lines, problem := scan(ctx, s.o.In)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				if err := problem(); err != nil {
					return fmt.Errorf("read the session's lines: %w", err)
				}
				return s.settle(ctx, protocol.DeadlinePerform)
			}
			if quit := s.line(line); quit {
				return s.settle(ctx, protocol.DeadlinePerform)
			}
			if s.o.Script {
				if err := s.settle(ctx, protocol.DeadlinePerform); err != nil {
					return err
				}
			}
		case <-s.ended:
			return &Error{"the plugin ended while it was talked to"}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// scan hands on the lines of in. A line that is being waited for when ctx ends
// stays with the goroutine: reading a terminal cannot be interrupted.
func scan(ctx context.Context, in io.Reader) (lines chan string, problem func() error) {
	lines = make(chan string)
	var err error
	go func() {
		defer close(lines)
		c := protocol.NewCollector(protocol.MaxFrame)
		for {
			_, readErr := c.Fill(in)
			for {
				line, ok, lineErr := c.Next()
				if !ok {
					break
				}
				if lineErr != nil {
					err = lineErr
					return
				}
				select {
				case lines <- string(line):
				case <-ctx.Done():
					return
				}
			}
			if readErr != nil {
				if !errors.Is(readErr, io.EOF) {
					err = readErr
				}
				return
			}
		}
	}()
	return lines, func() error { return err }
}

// settle waits until the plugin owes nothing, at most for within.
func (s *session) settle(ctx context.Context, within time.Duration) error {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		s.mu.Lock()
		owed, changed := len(s.owed), s.changed
		var method string
		for _, a := range s.owed {
			method = a.method
			break
		}
		s.mu.Unlock()
		if owed == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-s.ended:
			s.mu.Lock()
			answered := len(s.owed) == 0
			s.mu.Unlock()
			if answered {
				return nil
			}
			return &Error{"the plugin ended without a reply to " + method}
		case <-timer.C:
			return &Error{fmt.Sprintf("no reply to %s within %v", method, within)}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
