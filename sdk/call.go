package sdk

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Errors of host calls that never became a reply. Their texts are the wire's.
var (
	// ErrHostClosed: the host is gone or going; the plugin is shutting down.
	ErrHostClosed error = HostError(protocol.ErrTextHostClosed)
	// ErrHostCallTimeout: no reply within the call's time.
	ErrHostCallTimeout error = HostError(protocol.ErrTextHostCallTimeout)
	// ErrHostCallCapacity: 64 calls are outstanding, or the way to the host was
	// full for 500 ms, or the params are over the frame cap.
	ErrHostCallCapacity error = HostError(protocol.ErrTextHostCallCapacity)
	// ErrPanicked is what those get who waited for a run that panicked.
	ErrPanicked = errors.New("the shared run panicked")
)

// HostError is the host's refusal of a call, in the wire's words, for instance
// `missing open capability`. It holds no user content.
type HostError string

func (e HostError) Error() string { return string(e) }

// calls are the host calls that wait for a reply: few, so they are searched.
type calls struct {
	mu      sync.Mutex
	last    int64 // id of the newest call
	waiting []call
	closed  bool
}

type call struct {
	id    int64
	reply chan []byte
}

// open registers a call. The channel yields the result's own copy, or is
// closed when the host is gone.
func (c *calls) open() (int64, chan []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, nil, ErrHostClosed
	}
	if len(c.waiting) >= protocol.PluginHostCalls {
		return 0, nil, ErrHostCallCapacity
	}
	c.last++
	ch := make(chan []byte, 1)
	c.waiting = append(c.waiting, call{c.last, ch})
	return c.last, ch, nil
}

// settle hands a result to its call. One that nobody waits for, because its
// time was over or its id was never used, is dropped.
func (c *calls) settle(id int64, result []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.take(id); ch != nil {
		ch <- append([]byte(nil), result...)
	}
}

// take ends the waiting of a call and returns its channel, nil if it does not
// wait.
func (c *calls) take(id int64) chan []byte {
	i := slices.IndexFunc(c.waiting, func(w call) bool { return w.id == id })
	if i < 0 {
		return nil
	}
	ch := c.waiting[i].reply
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return ch
}

func (c *calls) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(id)
}

// close fails every call, present and future.
func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, w := range c.waiting {
		close(w.reply)
	}
	c.waiting = nil
}

// Call asks the host for method with the JSON object params (nil: {}) and
// returns the result object as it came. It waits 5 s, or less when ctx ends
// earlier. A refusal is returned as a [HostError] together with the result;
// otherwise the error is [ErrHostClosed], [ErrHostCallTimeout],
// [ErrHostCallCapacity], or context.Canceled. At most 64 calls may be
// outstanding.
func (h *Host) Call(ctx context.Context, method string, params []byte) (result []byte, err error) {
	return h.CallTimeout(ctx, protocol.HostCallTimeout, method, params)
}

// CallTimeout is [Host.Call] with a time of its own, for methods whose work on
// the host's side may outlast 5 s.
func (h *Host) CallTimeout(ctx context.Context, timeout time.Duration, method string, params []byte) (result []byte, err error) {
	id, ch, err := h.conn.calls.open()
	if err != nil {
		return nil, err
	}
	h.conn.touch()
	frame := protocol.AppendRequest(make([]byte, 0, len(params)+len(method)+64), id, method, params, "", 0)
	if len(frame) > protocol.MaxFrame+1 || !h.conn.out.request(frame) {
		h.conn.calls.forget(id)
		return nil, ErrHostCallCapacity
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case result, ok := <-ch:
		if !ok {
			return nil, ErrHostClosed
		}
		ok, text, err := protocol.DecodeOK(result)
		if err != nil {
			return result, err
		}
		if !ok {
			return result, HostError(text)
		}
		return result, nil
	case <-timer.C:
		err = ErrHostCallTimeout
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = ErrHostCallTimeout
		}
	}
	h.conn.calls.forget(id)
	return nil, err
}
