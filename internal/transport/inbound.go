package transport

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/flash-launcher/flash/protocol"
)

func tooManyBadLines() string { return fmt.Sprintf("sent %d bad lines in a row", protocol.MaxBadLines) }

// collectors are shared by all children: one that is silent between two lines
// needs none, and thirty of them would hold megabytes.
var collectors = sync.Pool{New: func() any { return protocol.NewCollector(protocol.MaxFrame) }}

// decode is the one goroutine that cuts lines and decodes them.
func (c *Conn) decode() {
	defer close(c.decoding)
	var lines *protocol.Collector
	bad := 0
	for c.raw.wait() {
		if lines == nil {
			lines = collectors.Get().(*protocol.Collector)
		}
		// The lane has something, and ends only in wait.
		_, _ = lines.Fill(&c.raw)
		for {
			line, ok, lineErr := lines.Next()
			if !ok {
				break
			}
			var e protocol.Envelope
			size := int64(len(line))
			if lineErr == nil {
				e, lineErr = protocol.DecodeEnvelope(line)
			} else if over := (*protocol.OversizedError)(nil); errors.As(lineErr, &over) {
				size = over.Bytes
			}
			if lineErr == nil {
				bad = 0
				c.handle(e, len(line))
				continue
			}
			c.warn("bad line dropped", size, lineErr)
			if bad++; bad == protocol.MaxBadLines {
				c.cutOff(tooManyBadLines())
			}
		}
		if lines.Pending() == 0 {
			collectors.Put(lines)
			lines = nil
		}
	}
	if lines != nil {
		c.warn("unfinished line dropped at the end", int64(lines.Pending()), nil)
	}
	c.lost("closed its standard output")
}

// warn logs one fault of the child, with its size and never its content.
func (c *Conn) warn(what string, size int64, err error) {
	ok, unlogged := c.noise.allow()
	if !ok {
		return
	}
	args := []any{"bytes", size}
	if err != nil {
		args = append(args, "problem", err.Error())
	}
	if unlogged > 0 {
		args = append(args, "unlogged_before", unlogged)
	}
	c.log.Warn(what, args...)
}

func (c *Conn) handle(e protocol.Envelope, size int) {
	switch {
	case e.IsResponse():
		if open, known := c.reply(e.ID, e.Result); !open {
			what := "reply to an unknown id dropped"
			if known {
				what = "late reply dropped"
			}
			c.warn(what, int64(size), nil)
		}
	case e.IsRequest():
		c.hostCall(e)
	default:
		c.notified(e, size)
	}
}

// notified decodes a notification and puts it in line for the sinks. Of a child
// that is on its way out only logs count.
func (c *Conn) notified(e protocol.Envelope, size int) {
	gone := c.down.Load()
	d := delivery{size: size}
	var err error
	switch e.Method {
	case protocol.MethodPublish:
		if gone {
			return
		}
		d.kind = deliverPublish
		d.rows, err = c.decodePublish(e.Params)
	case protocol.MethodStatus:
		if gone {
			return
		}
		d.kind = deliverStatus
		d.status, err = protocol.DecodeStatus(orEmpty(e.Params))
	case protocol.MethodPoll:
		if gone {
			return
		}
		d.kind = deliverPoll
		d.regs, err = protocol.DecodePoll(orEmpty(e.Params))
	case protocol.MethodLog:
		d.kind = deliverLog
		d.log, err = protocol.DecodeLog(orEmpty(e.Params))
	default:
		c.warn("unknown notification dropped", int64(size), nil)
		return
	}
	if err != nil {
		c.warn(e.Method+" refused", int64(size), err)
		return
	}
	if !c.inbox.put(d, c.o.Time) {
		c.cutOff("sent more than the host can apply")
	}
}

func (c *Conn) decodePublish(params []byte) ([]protocol.Row, error) {
	begun := c.o.Time.Now()
	rows, err := protocol.DecodePublish(orEmpty(params), c.o.Declared)
	if took := c.o.Time.Now().Sub(begun); took >= protocol.SlowPublication {
		c.log.Warn("slow publication", "decode_ms", took.Milliseconds(), "rows", len(rows), "bytes", len(params))
	}
	return rows, err
}

var emptyObject = []byte("{}")

func orEmpty(params []byte) []byte {
	if params == nil {
		return emptyObject
	}
	return params
}

// hostCall takes a request of the child. Params alias the line, the worker
// outlives it.
func (c *Conn) hostCall(e protocol.Envelope) {
	if c.down.Load() {
		return
	}
	if !c.host.take(c, hostCall{id: e.ID, method: e.Method, params: bytes.Clone(orEmpty(e.Params))}) {
		c.warn("host call refused: too many are outstanding", 0, nil)
		c.answer(e.ID, protocol.AppendErrorResult(nil, protocol.ErrTextHostCallCapacity))
	}
}
