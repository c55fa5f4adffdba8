package transport

import (
	"fmt"
	"slices"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// batchSize is how much the writer gathers for one write. A pipe takes 64 KiB
// at once; half of it keeps more frames behind, where newer ones can still
// replace them.
const batchSize = 32 << 10

// outbound is the lane to the child's stdin. Frames and bytes count what waits;
// what the writer took has left the host.
type outbound struct {
	items []item
	bytes int
	shut  bool // nothing enters any more
}

// item is one waiting frame: an event or a reply that is encoded already, or a
// request that the writer encodes, because it states the time left.
type item struct {
	frame  []byte
	key    string
	handed func()
	call   *call
}

func (i *item) size() int {
	if i.call != nil {
		return i.call.size()
	}
	return len(i.frame)
}

// gate says what happens to events: before the child is initialized they are
// dropped, while the first ones are made they wait, then they flow.
type gate struct {
	state gateState
	later []item
}

type gateState int

const (
	gateShut gateState = iota
	gatePriming
	gateOpen
)

// Emit queues an event. An unsent event with the same key is removed first, so
// the child reads a subsequence of what was emitted, in order. An event that
// finds no room ends the generation.
func (c *Conn) Emit(e *event.Event) {
	if !c.admit(e) && e.Handed != nil {
		e.Handed()
	}
}

func (c *Conn) admit(e *event.Event) bool {
	if len(e.Frame) > protocol.MaxFrame+1 {
		c.log.Warn("event dropped: over the frame limit", "event", e.Name, "bytes", len(e.Frame))
		return false
	}
	i := item{frame: e.Frame, key: e.Key, handed: e.Handed}
	ok, shut := false, false
	c.mu.Lock()
	switch {
	case c.out.shut || c.gate.state == gateShut:
		shut = true
	case c.gate.state == gatePriming:
		c.gate.later, _ = superseded(c.gate.later, i.key)
		if ok = len(c.gate.later) < protocol.HostOutboundFrames; ok {
			c.gate.later = append(c.gate.later, i)
		}
	default:
		ok = c.pushEvent(i)
	}
	c.mu.Unlock()
	if !ok && !shut {
		c.fail(outboundFull())
	}
	return ok
}

func outboundFull() string {
	return fmt.Sprintf("stopped reading: more than %d frames or %d MiB wait for it",
		protocol.HostOutboundFrames, protocol.HostOutboundBytes>>20)
}

// Open lets events flow. The events that first returns are the child's first;
// what is emitted while first runs comes behind them.
func (c *Conn) Open(first func() []*event.Event) {
	c.mu.Lock()
	c.gate.state = gatePriming
	c.mu.Unlock()
	events := first()
	ok := true
	c.mu.Lock()
	shut := c.out.shut
	for _, e := range events {
		ok = ok && c.pushEvent(item{frame: e.Frame, key: e.Key, handed: e.Handed})
	}
	for _, i := range c.gate.later {
		ok = ok && c.pushEvent(i)
	}
	c.gate = gate{state: gateOpen}
	c.mu.Unlock()
	if !ok && !shut {
		c.fail(outboundFull())
	}
}

// pushEvent puts an event at the tail, in place of a waiting one with its key.
// c.mu is held.
func (c *Conn) pushEvent(i item) bool {
	var freed int
	c.out.items, freed = superseded(c.out.items, i.key)
	c.out.bytes -= freed
	return c.push(i)
}

// superseded removes the item with key and returns how many bytes that frees.
func superseded(items []item, key string) ([]item, int) {
	if key == "" {
		return items, 0
	}
	n := slices.IndexFunc(items, func(i item) bool { return i.key == key })
	if n < 0 {
		return items, 0
	}
	freed := len(items[n].frame)
	return slices.Delete(items, n, n+1), freed
}

// push appends to the lane and wakes the writer. c.mu is held.
func (c *Conn) push(i item) bool {
	size := i.size()
	if c.out.shut || len(c.out.items) >= protocol.HostOutboundFrames || c.out.bytes+size > protocol.HostOutboundBytes {
		return false
	}
	c.out.items = append(c.out.items, i)
	c.out.bytes += size
	c.wake.Signal()
	return true
}

// unqueue takes a request out of the lane. c.mu is held.
func (c *Conn) unqueue(k *call) {
	n := slices.IndexFunc(c.out.items, func(i item) bool { return i.call == k })
	if n >= 0 {
		c.out.bytes -= k.size()
		c.out.items = slices.Delete(c.out.items, n, n+1)
	}
}

// batch is what one write carries.
type batch struct {
	scratch []byte // gathered small frames and requests
	frame   []byte // what is written: scratch, or one large frame as it is
	handed  []func()
	calls   []*call
}

// write is the one goroutine that writes stdin.
func (c *Conn) write() {
	defer close(c.writing)
	var b batch
	for c.take(&b) {
		n, err := c.o.Stdin.Write(b.frame)
		for _, f := range b.handed {
			f()
		}
		if err != nil {
			c.unheard(b.calls, n > 0)
			return
		}
		if cap(b.scratch) > 2*batchSize {
			b.scratch = nil // a large request comes rarely and must not stay as memory
		}
	}
}

// unheard ends the lane of a child that closed its stdin.
func (c *Conn) unheard(calls []*call, partly bool) {
	if !partly {
		c.mu.Lock()
		for _, k := range calls {
			if c.calls[k.id] == k {
				k.sent = false
			}
		}
		c.mu.Unlock()
	}
	c.settleAll(c.shut(false), errClosing)
	c.lost("closed its standard input")
}

// take waits for work and fills b with it: as many frames as fit in a batch, or
// one large frame. It reports false once the lane is shut.
func (c *Conn) take(b *batch) bool {
	clear(b.handed)
	clear(b.calls)
	b.scratch, b.frame, b.handed, b.calls = b.scratch[:0], nil, b.handed[:0], b.calls[:0]
	for {
		late, open := c.gather(b)
		c.settleAll(late, ErrDeadline)
		if !open {
			return false
		}
		if b.frame == nil {
			b.frame = b.scratch
		}
		if len(b.frame) > 0 {
			return true
		}
	}
}

// gather does one round of take. Requests whose time ran out while they waited
// come back in late.
func (c *Conn) gather(b *batch) (late []*call, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out.items) == 0 && !c.out.shut {
		c.wake.Wait()
	}
	if c.out.shut {
		return nil, false
	}
	now := c.o.Time.Now()
	n := 0
	for ; n < len(c.out.items) && b.frame == nil; n++ {
		i := &c.out.items[n]
		size := i.size()
		if len(b.scratch) > 0 && len(b.scratch)+size > batchSize {
			break
		}
		c.out.bytes -= size
		switch k := i.call; {
		case k == nil && size > batchSize:
			b.frame = i.frame
		case k == nil:
			b.scratch = append(b.scratch, i.frame...)
		case k.deadline.After(now):
			k.sent = true
			b.calls = append(b.calls, k)
			b.scratch = k.append(b.scratch, k.deadline.Sub(now))
		default:
			delete(c.calls, k.id)
			late = append(late, k)
		}
		if i.handed != nil {
			b.handed = append(b.handed, i.handed)
		}
	}
	c.out.items = slices.Delete(c.out.items, 0, n)
	if len(c.out.items) == 0 && cap(c.out.items) > 16 {
		c.out.items = nil
	}
	return late, true
}

// shut closes the lane and returns the requests that have to be settled: those
// that never left, or with all set every one.
func (c *Conn) shut(all bool) []*call {
	c.mu.Lock()
	c.out.shut = true
	dropped := append(c.out.items, c.gate.later...)
	c.out.items, c.out.bytes, c.gate = nil, 0, gate{}
	var settled []*call
	for id, k := range c.calls {
		if all || !k.sent {
			delete(c.calls, id)
			settled = append(settled, k)
		}
	}
	c.wake.Broadcast()
	c.mu.Unlock()
	for _, i := range dropped {
		if i.handed != nil {
			i.handed()
		}
	}
	return settled
}
