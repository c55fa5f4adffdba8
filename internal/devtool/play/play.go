// Package play lets a person talk to one plugin: a scripted host that prints
// every frame both ways, turns short lines into requests, and answers the
// plugin's host calls without doing what they ask. It can record a session and
// replay one. It never opens, copies or fetches anything.
package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

	mu      sync.Mutex // guards what follows and the order of output
	next    int64
	owed    map[int64]string // our requests without a reply, by method
	rows    []protocol.Row   // of the last publication
	storage map[string]string
	frames  chan []byte   // of the plugin, for a replay
	changed chan struct{} // closed and renewed when owed or rows change
	lagging error         // of writing the recording
}

// Run starts the plugin, plays the session to its end and ends the plugin.
func Run(ctx context.Context, o Options) error {
	p, err := o.Start(ctx)
	if err != nil {
		return err
	}
	s := &session{
		o: o, process: p, began: time.Now(), owed: map[int64]string{}, storage: map[string]string{},
		changed: make(chan struct{}),
	}
	if o.Replay != nil {
		s.frames = make(chan []byte, protocol.HostInboundFrames)
	}
	var readers sync.WaitGroup
	readers.Go(s.readFrames)
	readers.Go(s.readStderr)
	stop := context.AfterFunc(ctx, func() { _ = p.Kill() })
	defer stop()
	var played error
	if o.Replay != nil {
		played = s.replay(ctx)
	} else {
		played = s.play(ctx)
	}
	exit, late := s.end()
	readers.Wait()
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
	}
	return s.lagging
}

// end closes stdin and escalates as the host does.
func (s *session) end() (exit sandbox.Exit, late bool) {
	_ = s.process.Stdin().Close()
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
		case <-s.process.Done():
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
		for _, method = range s.owed {
			break
		}
		s.mu.Unlock()
		if owed == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-s.process.Done():
			return &Error{"the plugin ended without a reply to " + method}
		case <-timer.C:
			return &Error{fmt.Sprintf("no reply to %s within %v", method, within)}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *session) request(method string, params []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.owed[s.next] = method
	s.writeLocked(protocol.AppendRequest(nil, s.next, method, params, "", 0))
}

// writeLocked prints, records and sends one line.
func (s *session) writeLocked(line []byte) {
	s.printLocked(hostFrame, line)
	s.recordLocked("host", line)
	if _, err := s.process.Stdin().Write(line); err != nil {
		s.printLocked(noteLine, []byte("not sent: the plugin reads no more"))
	}
}

func (s *session) readFrames() {
	defer s.process.Stdout().Close()
	if s.frames != nil {
		defer close(s.frames)
	}
	c := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := c.Fill(s.process.Stdout())
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			if err != nil {
				s.note("a frame is dropped: %v", err)
				continue
			}
			s.arrived(line)
		}
		if readErr != nil {
			return
		}
	}
}

func (s *session) readStderr() {
	defer s.process.Stderr().Close()
	c := protocol.NewCollector(protocol.StderrLine)
	for {
		_, readErr := c.Fill(s.process.Stderr())
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			s.mu.Lock()
			if err != nil {
				line = []byte(err.Error())
			}
			s.printLocked(stderrLine, line)
			s.mu.Unlock()
		}
		if readErr != nil {
			return
		}
	}
}

// arrived prints a frame of the plugin and does what a host does with it.
func (s *session) arrived(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printLocked(pluginFrame, line)
	s.recordLocked("plugin", line)
	if s.frames != nil {
		select {
		case s.frames <- bytes.Clone(line):
		default: // nobody takes them any more
		}
	}
	e, err := protocol.DecodeEnvelope(line)
	switch {
	case err != nil:
		s.printLocked(noteLine, []byte(err.Error()))
	case e.IsResponse():
		method, ok := s.owed[e.ID]
		if !ok {
			s.printLocked(noteLine, []byte("a reply to what was not asked"))
			return
		}
		delete(s.owed, e.ID)
		s.announceLocked()
		s.noteLocked(judge(s.o.Manifest, method, e.Result))
	case e.IsNotification():
		if e.Method == protocol.MethodPublish {
			rows, err := protocol.DecodePublish(e.Params, s.o.Manifest.DeclaresSource)
			if err == nil {
				s.rows = rows
				s.announceLocked()
			}
			s.noteLocked(err)
		}
	case s.o.Replay == nil:
		s.writeLocked(protocol.AppendResponse(nil, e.ID, s.answer(e.Method, e.Params)))
	}
}

func (s *session) announceLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// judge is the host's opinion of a result.
func judge(m *protocol.Manifest, method string, result []byte) error {
	if ok, text, err := protocol.DecodeOK(result); method != protocol.MethodPerform && (err != nil || !ok) {
		if err == nil {
			err = errors.New("refused: " + text)
		}
		return err
	}
	var err error
	switch method {
	case protocol.MethodEvaluate:
		_, err = protocol.DecodeAnswers(result)
	case protocol.MethodSearch:
		_, err = protocol.DecodeSearchReply(result, m.DeclaresSource)
	case protocol.MethodPerform:
		_, err = protocol.DecodeOutcome(result)
	}
	return err
}

func (s *session) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printLocked(noteLine, fmt.Appendf(nil, format, args...))
}

func (s *session) noteLocked(err error) {
	if err != nil {
		s.printLocked(noteLine, []byte("the host would not take this: "+err.Error()))
	}
}

// kind is who speaks a line of output.
type kind struct{ mark, color string }

var (
	hostFrame   = kind{"→", "36"}
	pluginFrame = kind{"←", "32"}
	stderrLine  = kind{"!", "33"}
	noteLine    = kind{"#", "31"}
)

func (s *session) printLocked(k kind, line []byte) {
	text := strings.TrimRight(string(line), "\r\n")
	if s.o.Color {
		// What a plugin says must not drive the terminal.
		text = strings.Map(func(r rune) rune {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				return '·'
			}
			return r
		}, text)
		fmt.Fprintf(s.o.Out, "\x1b[%sm%s\x1b[0m %s\n", k.color, k.mark, text)
		return
	}
	fmt.Fprintf(s.o.Out, "%s %s\n", k.mark, text)
}
