package transport

import (
	"context"
	"errors"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// Causes of an Error.
var (
	ErrDeadline = errors.New(protocol.ErrTextDeadline)
	ErrCapacity = errors.New("too many requests are outstanding")
	ErrTooLarge = errors.New("request is over the frame limit")
	errClosing  = &ClosedError{Reason: "plugin is stopping"}
)

// ClosedError is the cause of requests that a child's end settled.
type ClosedError struct{ Reason string }

func (e *ClosedError) Error() string { return e.Reason }

// Error is a request without a reply.
type Error struct {
	Method string
	// Sent says that the request left the host, so the child may have acted on it.
	Sent  bool
	Cause error
}

func (e *Error) Error() string { return e.Method + ": " + e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }

// Request is one question to the child. The timeout runs from the moment that
// the request is made and so includes the wait for its turn.
type Request struct {
	Method  string
	Params  []byte
	Timeout time.Duration
	Trace   string
}

// call is a request in the table, from admission to its one settlement.
type call struct {
	Request
	id       int64
	deadline time.Time
	timer    event.Timer
	sent     bool // the writer took it; guarded by Conn.mu
	settle   func(result []byte, err error)
}

// envelopeSize is above what an id, the keys, a trace and a deadline take.
const envelopeSize = 160

func (k *call) size() int { return envelopeSize + len(k.Method) + len(k.Params) }

func (k *call) append(dst []byte, left time.Duration) []byte {
	ms := max(1, left.Milliseconds())
	return protocol.AppendRequest(dst, k.id, k.Method, k.Params, k.Trace, ms)
}

// Go asks the child. settle is called exactly once: with the result, which is
// valid only during the call, on the decode goroutine, or with an *Error. The
// returned function gives up: settle then comes with the cause, unless a result
// is being delivered already.
func (c *Conn) Go(r Request, settle func(result []byte, err error)) (giveUp func(cause error)) {
	k := &call{Request: r, settle: settle, deadline: c.o.Time.Now().Add(r.Timeout)}
	var refused error
	full := false
	c.mu.Lock()
	switch {
	case c.out.shut:
		refused = errClosing
	case k.size() > protocol.MaxFrame:
		refused = ErrTooLarge
	case len(c.calls) >= protocol.HostRequests:
		refused = ErrCapacity
	default:
		k.id = c.last + 1
		if full = !c.push(item{call: k}); full {
			refused = ErrCapacity
			break
		}
		c.last = k.id
		c.calls[k.id] = k
		k.timer = c.o.Time.AfterFunc(r.Timeout, func() { c.abandon(k, ErrDeadline) })
	}
	c.mu.Unlock()
	if full {
		c.fail(outboundFull())
	}
	if refused != nil {
		settle(nil, &Error{Method: r.Method, Cause: refused})
		return func(error) {}
	}
	return func(cause error) { c.abandon(k, cause) }
}

// Call asks the child and waits. decode runs on the decode goroutine and must
// copy what it keeps.
func (c *Conn) Call(ctx context.Context, r Request, decode func(result []byte) error) error {
	settled := make(chan error, 1)
	giveUp := c.Go(r, func(result []byte, err error) {
		if err == nil {
			err = decode(result)
		}
		settled <- err
	})
	select {
	case err := <-settled:
		return err
	case <-ctx.Done():
	}
	giveUp(ctx.Err())
	return <-settled
}

// abandon settles k with cause unless it is settled. The reply of a request
// that left is dropped when it comes.
func (c *Conn) abandon(k *call, cause error) {
	c.mu.Lock()
	if c.calls[k.id] != k {
		c.mu.Unlock()
		return
	}
	delete(c.calls, k.id)
	if !k.sent {
		c.unqueue(k)
	}
	c.mu.Unlock()
	c.settleAll([]*call{k}, cause)
}

// settleAll settles requests that are out of the table already.
func (c *Conn) settleAll(calls []*call, cause error) {
	for _, k := range calls {
		k.timer.Stop()
		k.settle(nil, &Error{Method: k.Method, Sent: k.sent, Cause: cause})
	}
}

// reply settles the request that the child answered. It reports whether the
// request was still open, and whether the id was ever given out.
func (c *Conn) reply(id int64, result []byte) (open, known bool) {
	c.mu.Lock()
	k := c.calls[id]
	open, known = k != nil && k.sent, id <= c.last
	if open {
		delete(c.calls, id)
	}
	c.mu.Unlock()
	if open {
		k.timer.Stop()
		k.settle(result, nil)
	}
	return open, known
}
