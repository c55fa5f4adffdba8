package transport

import (
	"context"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

type hostCall struct {
	id     int64
	method string
	params []byte
}

// hostCalls runs the child's requests. Workers start as calls wait and end when
// none does; there are never more of them than calls may be outstanding.
type hostCalls struct {
	mu          sync.Mutex
	waiting     []hostCall
	outstanding int // waiting or running
	idle        int // workers between two calls
}

// take admits a call, or reports that too many are outstanding.
func (h *hostCalls) take(c *Conn, call hostCall) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outstanding >= protocol.HostCalls {
		return false
	}
	h.outstanding++
	h.waiting = append(h.waiting, call)
	if h.idle < len(h.waiting) {
		h.idle++
		go h.work(c)
	}
	return true
}

func (h *hostCalls) work(c *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.waiting) > 0 {
		call := h.waiting[0]
		h.waiting[0] = hostCall{}
		h.waiting = h.waiting[1:]
		h.idle--
		h.mu.Unlock()
		answer := c.serve(call)
		h.mu.Lock()
		h.outstanding-- // before the answer: the child may take that for the room it has
		h.mu.Unlock()
		answer()
		h.mu.Lock()
		h.idle++
	}
	h.waiting = nil
	h.idle--
}

// serve runs one call and returns what answers it, once. A handler that outlasts
// the call's time is answered for; it keeps its place among the outstanding until
// it returns.
func (c *Conn) serve(call hostCall) (answer func()) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	var once sync.Once
	timer := c.o.Time.AfterFunc(c.hostCallTime(call.method), func() {
		cancel()
		once.Do(func() { c.answer(call.id, protocol.AppendErrorResult(nil, protocol.ErrTextHostCallTimeout)) })
	})
	result := c.o.Sinks.HostCall(ctx, call.method, call.params)
	timer.Stop()
	return func() { once.Do(func() { c.answer(call.id, result) }) }
}

// fetchMargin lets the broker's own time limit on a fetch speak first, with the
// better text.
const fetchMargin = time.Second

func (c *Conn) hostCallTime(method string) time.Duration {
	switch {
	case c.o.HostCallTime != nil:
		return c.o.HostCallTime(method)
	case method == protocol.HostFetch:
		return protocol.FetchTimeout + fetchMargin
	}
	return protocol.HostCallTimeout
}

// answer queues a reply to the child that asked; once that child is going there
// is nobody to answer.
func (c *Conn) answer(id int64, result []byte) {
	frame := protocol.AppendResponse(nil, id, result)
	if len(frame) > protocol.MaxFrame+1 {
		frame = protocol.AppendError(nil, id, protocol.ErrTextResponseTooLarge)
	}
	c.mu.Lock()
	shut := c.out.shut
	ok := c.push(item{frame: frame})
	c.mu.Unlock()
	if !ok && !shut {
		c.fail(outboundFull())
	}
}
