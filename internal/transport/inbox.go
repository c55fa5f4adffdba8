package transport

import (
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

type deliveryKind int

const (
	deliverPublish deliveryKind = iota
	deliverStatus
	deliverPoll
	deliverLog
)

// delivery is one decoded notification; size is that of its line.
type delivery struct {
	kind   deliveryKind
	size   int
	rows   []protocol.Row
	status map[string]protocol.StatusValue
	regs   []protocol.Registration
	log    protocol.LogRecord
}

// patience is how long the decoder of one child waits for the sinks to make
// room. A burst that outruns a busy machine for a moment is no flood; sinks
// that take longer than this to apply one of 256 waiting frames are.
const patience = time.Second

// inbox is the lane of decoded frames between the decoder and the sinks, so
// that replies overtake a publication that is being stored.
type inbox struct {
	mu      sync.Mutex
	changed sync.Cond // the deliverer waits for frames, the decoder for room
	items   []delivery
	bytes   int
	closed  bool // nothing enters any more; what is there is still taken
}

func (b *inbox) init() { b.changed.L = &b.mu }

func (b *inbox) full(size int) bool {
	return len(b.items) >= protocol.HostDecodedFrames || b.bytes+size > protocol.HostDecodedBytes
}

func (b *inbox) put(d delivery, t event.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full(d.size) && !b.awaitRoom(d.size, t) {
		b.closed = true
		b.changed.Broadcast()
	}
	if b.closed {
		return false
	}
	b.items = append(b.items, d)
	b.bytes += d.size
	b.changed.Broadcast()
	return true
}

// awaitRoom waits with b.mu held, which the wait gives up.
func (b *inbox) awaitRoom(size int, t event.Time) bool {
	late := false
	timer := t.AfterFunc(patience, func() {
		b.mu.Lock()
		late = true
		b.changed.Broadcast()
		b.mu.Unlock()
	})
	for b.full(size) && !late && !b.closed {
		b.changed.Wait()
	}
	timer.Stop()
	return !b.full(size)
}

func (b *inbox) take() (d delivery, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.items) == 0 {
		if b.closed {
			return d, false
		}
		b.changed.Wait()
	}
	d = b.items[0]
	b.items[0] = delivery{}
	if b.items = b.items[1:]; len(b.items) == 0 {
		b.items = nil
	}
	b.bytes -= d.size
	b.changed.Broadcast()
	return d, true
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
}

// deliver is the one goroutine that calls the sinks.
func (c *Conn) deliver() {
	for {
		d, ok := c.inbox.take()
		if !ok {
			return
		}
		switch d.kind {
		case deliverPublish:
			begun := c.o.Time.Now()
			c.o.Sinks.Publish(d.rows)
			if took := c.o.Time.Now().Sub(begun); took >= protocol.SlowPublication {
				c.log.Warn("slow publication", "store_ms", took.Milliseconds(), "rows", len(d.rows))
			}
		case deliverStatus:
			c.o.Sinks.Status(d.status)
		case deliverPoll:
			c.o.Sinks.Poll(d.regs)
		case deliverLog:
			c.o.Sinks.Log(d.log)
		}
	}
}
