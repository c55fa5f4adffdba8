package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// NotRunningError is a question to a plugin that has no child to answer it.
type NotRunningError struct {
	ID    string
	State State
	Why   string // the last failure, if any
}

func (e *NotRunningError) Error() string {
	if e.Why == "" {
		return fmt.Sprintf("plugin %s is not running (%s)", e.ID, e.State)
	}
	return fmt.Sprintf("plugin %s is not running (%s): %s", e.ID, e.State, e.Why)
}

func (p *Plugin) notRunning() error {
	s := p.Snapshot()
	return &NotRunningError{ID: p.id, State: s.State, Why: s.LastError}
}

// Evaluate asks the running child's evaluator.
func (p *Plugin) Evaluate(ctx context.Context, q protocol.Evaluate) ([]protocol.Answer, error) {
	ch := p.live.Load()
	if ch == nil {
		return nil, p.notRunning()
	}
	begun := p.o.Time.Now()
	var answers []protocol.Answer
	err := ch.conn.Call(ctx, transport.Request{
		Method:  protocol.MethodEvaluate,
		Params:  protocol.AppendEvaluate(nil, q),
		Timeout: protocol.DeadlineQuery,
	}, func(result []byte) (err error) {
		answers, err = protocol.DecodeAnswers(result)
		return err
	})
	if took := p.o.Time.Now().Sub(begun); took >= protocol.DeadlineQueryWarn {
		p.log.Warn("slow evaluate", "elapsed_ms", took.Milliseconds(), "answered", err == nil)
	}
	return answers, p.named(err)
}

// Search asks the running child's live sources.
func (p *Plugin) Search(ctx context.Context, q protocol.Search) ([]protocol.Row, error) {
	ch := p.live.Load()
	if ch == nil {
		return nil, p.notRunning()
	}
	var rows []protocol.Row
	err := ch.conn.Call(ctx, transport.Request{
		Method:  protocol.MethodSearch,
		Params:  protocol.AppendSearch(nil, q),
		Timeout: protocol.DeadlineLive,
	}, func(result []byte) (err error) {
		rows, err = protocol.DecodeSearchReply(result, ch.def.Manifest.DeclaresSource)
		return err
	})
	return rows, p.named(err)
}

func (p *Plugin) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("plugin %s: %w", p.id, err)
}

// Perform asks the plugin to act, starting it if nothing else did. Within
// timeout (0: what the manifest gives the command, else the protocol's default)
// it waits for the child to be ready and for its reply. What never left the
// host is unhandled; what left and came to no reply is an error, because the
// child may have acted.
func (p *Plugin) Perform(ctx context.Context, perform protocol.Perform, timeout time.Duration) protocol.Outcome {
	if timeout == 0 {
		timeout = p.timeoutOf(perform)
	}
	deadline := p.o.Time.Now().Add(timeout)
	outcome, again := p.performOnce(ctx, perform, deadline)
	if again {
		// The child was on its way out when it was asked; a successor may be coming.
		outcome, _ = p.performOnce(ctx, perform, deadline)
	}
	return outcome
}

// performOnce also reports whether the request met a child that was ending.
func (p *Plugin) performOnce(ctx context.Context, perform protocol.Perform, deadline time.Time) (out protocol.Outcome, ending bool) {
	conn := p.ready(ctx, deadline.Sub(p.o.Time.Now()))
	if conn == nil {
		return protocol.Unhandled(), false
	}
	left := deadline.Sub(p.o.Time.Now())
	if left <= 0 {
		return protocol.Unhandled(), false
	}
	err := conn.Call(ctx, transport.Request{
		Method:  protocol.MethodPerform,
		Params:  protocol.AppendPerform(nil, perform),
		Timeout: left,
	}, func(result []byte) (err error) {
		out, err = protocol.DecodeOutcome(result)
		return err
	})
	var unanswered *transport.Error
	switch {
	case err == nil:
		return out, false
	case errors.As(err, &unanswered) && !unanswered.Sent:
		var closed *transport.ClosedError
		return protocol.Unhandled(), errors.As(err, &closed)
	case unanswered != nil:
		return protocol.Failed(unanswered.Cause.Error()), false
	}
	return protocol.Failed("invalid perform reply: " + err.Error()), false
}

func (p *Plugin) timeoutOf(perform protocol.Perform) time.Duration {
	if perform.Kind == protocol.PerformCommand {
		if c := p.Snapshot().Manifest.CommandFor(perform.Command, perform.Subcommand); c != nil && c.TimeoutMS > 0 {
			return time.Duration(c.TimeoutMS) * time.Millisecond
		}
	}
	return protocol.DeadlinePerform
}

// ready returns the running child, waiting for it if it is on its way; nil says
// that there will be none in time.
func (p *Plugin) ready(ctx context.Context, timeout time.Duration) *transport.Conn {
	if ch := p.live.Load(); ch != nil {
		return ch.conn
	}
	if p.waiting.Add(1) > maxWaiting {
		p.waiting.Add(-1)
		return nil
	}
	defer p.waiting.Add(-1)
	w := &waiter{ready: make(chan *transport.Conn, 1)}
	giveUp := func() { p.box.post(message{kind: msgGiveUp, waiter: w}) }
	p.box.post(message{kind: msgPerform, waiter: w})
	timer := p.o.Time.AfterFunc(timeout, giveUp)
	defer timer.Stop()
	select {
	case conn := <-w.ready:
		return conn
	case <-p.over:
		return nil
	case <-ctx.Done():
		giveUp()
		return nil
	}
}

// Ping asks the running child for a sign of life and returns how long it took.
func (p *Plugin) Ping(ctx context.Context) (time.Duration, error) {
	ch := p.live.Load()
	if ch == nil {
		return 0, p.notRunning()
	}
	begun := p.o.Time.Now()
	err := ch.conn.Call(ctx, transport.Request{Method: protocol.MethodPing, Timeout: protocol.DeadlinePing}, func(result []byte) error {
		ok, text, err := protocol.DecodeOK(result)
		if err == nil && !ok {
			err = &protocol.ReplyError{Text: text}
		}
		return err
	})
	return p.o.Time.Now().Sub(begun), p.named(err)
}
