package sdk

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// request answers a request, from a goroutine of its own when a handler has to
// run. Params are decoded here, off the reader's buffer and into what the
// handler gets, so that they are neither copied nor validated twice.
func (c *conn) request(e protocol.Envelope, size int) {
	switch e.Method {
	case protocol.MethodEvaluate:
		q, err := protocol.DecodeEvaluate(e.Params)
		c.run(e, size, err, c.plugin.Evaluate != nil, func(ctx context.Context) ([]byte, error) {
			answers, err := c.plugin.Evaluate(ctx, &c.host, q)
			if err != nil {
				return nil, err
			}
			return closeResult(protocol.AppendAnswers(openResult(e.ID, "answers"), answers)), nil
		})
	case protocol.MethodSearch:
		q, err := protocol.DecodeSearch(e.Params)
		c.run(e, size, err, c.plugin.Search != nil, func(ctx context.Context) ([]byte, error) {
			rows, err := c.plugin.Search(ctx, &c.host, q)
			if err != nil {
				return nil, err
			}
			return closeResult(protocol.AppendRows(openResult(e.ID, "rows"), rows)), nil
		})
	case protocol.MethodHints:
		q, err := protocol.DecodeHints(e.Params)
		c.run(e, size, err, c.plugin.Hints != nil, func(ctx context.Context) ([]byte, error) {
			targets, pid, err := c.plugin.Hints(ctx, &c.host, q)
			if err != nil {
				return nil, err
			}
			b := protocol.AppendHintTargets(openResult(e.ID, "targets"), targets)
			if pid > 0 {
				b = strconv.AppendInt(append(b, `,"context_pid":`...), int64(pid), 10)
			}
			return closeResult(b), nil
		})
	case protocol.MethodPerform:
		p, err := protocol.DecodePerform(e.Params)
		c.run(e, size, err, true, func(ctx context.Context) ([]byte, error) {
			out := protocol.Unhandled()
			if c.plugin.Perform != nil {
				out = c.plugin.Perform(ctx, &c.host, p)
			}
			b := append(openReply(e.ID), `,"result":`...)
			return append(protocol.AppendOutcome(b, out), "}\n"...), nil
		})
	default:
		c.refuse(e.ID, protocol.ErrTextUnknownMethod(e.Method))
	}
}

// Frames of good replies are encoded once, straight into what is written.
func openReply(id int64) []byte {
	return strconv.AppendInt(append(make([]byte, 0, 256), `{"id":`...), id, 10)
}

func openResult(id int64, key string) []byte {
	b := append(openReply(id), `,"result":{"ok":true,"`...)
	return append(append(b, key...), `":`...)
}

func closeResult(b []byte) []byte { return append(b, "}}\n"...) }

func (c *conn) refuse(id int64, text string) {
	if text == "" {
		text = "failed"
	}
	c.out.reply(protocol.AppendError(nil, id, text))
}

// run admits a request and starts its handler, which returns the whole reply.
func (c *conn) run(e protocol.Envelope, size int, invalid error, served bool, handler func(context.Context) ([]byte, error)) {
	switch {
	case !served:
		c.refuse(e.ID, protocol.ErrTextUnknownMethod(e.Method))
	case invalid != nil:
		c.refuse(e.ID, protocol.ErrTextInvalidParams(e.Method))
	case !c.admit(size):
		c.refuse(e.ID, protocol.ErrTextRequestCapacity)
	default:
		go c.answer(e.ID, e.Method, e.Trace, e.DeadlineMS, size, handler)
	}
}

func (c *conn) answer(id int64, method, trace string, deadline int64, size int, handler func(context.Context) ([]byte, error)) {
	defer c.end()
	ctx, cancel := c.handlerContext(protocol.Envelope{Trace: trace, DeadlineMS: deadline})
	defer cancel()
	var frame []byte
	var err error
	if !c.guarded(method, func() { frame, err = handler(ctx) }) {
		err = errors.New(method + " handler failed")
	}
	// Before the reply: the host may take that for the room it has.
	c.release(size)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		c.refuse(id, protocol.ErrTextDeadline)
	case err != nil:
		c.refuse(id, err.Error())
	case len(frame) > protocol.MaxFrame+1:
		c.refuse(id, protocol.ErrTextResponseTooLarge)
	default:
		c.out.reply(frame)
	}
	c.touch()
}

// admit reserves a place for a handler and its input.
func (c *conn) admit(size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.requests >= protocol.PluginRequests || c.bytes+size > protocol.PluginRequestBytes {
		return false
	}
	c.requests++
	c.bytes += size
	c.tasks++
	return true
}

func (c *conn) release(size int) {
	c.mu.Lock()
	c.requests--
	c.bytes -= size
	c.mu.Unlock()
}

// panicText describes a panic by kind and place. Errors of the runtime, such
// as an index out of range, hold no content; other values might.
func panicText(v any) string {
	text := "a value of the plugin's own"
	if err, ok := v.(runtime.Error); ok {
		text = err.Error()
	}
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return text + " at " + f.Function + ":" + strconv.Itoa(f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return text
		}
	}
}
