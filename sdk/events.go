package sdk

import (
	"slices"
	"sync"

	"github.com/flash-launcher/flash/protocol"
)

// eventQueue holds the events that the handler has not taken yet, in wire
// order. When the FIFO is full, the newest event of each coalescing key still
// has a place behind it; what finds none is counted.
type eventQueue struct {
	mu      sync.Mutex
	fifo    []pendingEvent
	bytes   int            // encoded input held by fifo
	slots   []pendingEvent // in order of arrival, one a key
	dropped int
	ended   bool
	wake    chan struct{} // capacity 1
}

type pendingEvent struct {
	Event
	size  int    // bytes of the encoded line
	key   string // valid when keyed: most events meet no other and need none
	keyed bool
}

func (p *pendingEvent) coalescingKey() string {
	if !p.keyed {
		p.key, p.keyed = coalescingKey(p.Name, p.Payload), true
	}
	return p.key
}

func (q *eventQueue) init() { q.wake = make(chan struct{}, 1) }

// push queues an event and reports whether it found a place.
func (q *eventQueue) push(ev Event, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := pendingEvent{Event: ev, size: size}
	if len(q.fifo) > 0 && protocol.Replaces(ev.Name) {
		q.drop(p.coalescingKey())
	}
	switch {
	case len(q.slots) == 0 && q.fits(size):
		q.fifo = append(q.fifo, p)
		q.bytes += size
	case protocol.Replaces(ev.Name) && len(q.slots) < protocol.PluginEventKeys:
		q.slots = append(q.slots, p)
		q.promote()
	default:
		q.dropped++
		return false
	}
	q.signal()
	return true
}

func (q *eventQueue) fits(size int) bool {
	if len(q.fifo) == 0 {
		return true
	}
	return len(q.fifo) < protocol.PluginEventFrames && q.bytes+size <= protocol.PluginEventBytes
}

// drop removes the pending event with this key, if there is one.
func (q *eventQueue) drop(key string) {
	same := func(p *pendingEvent) bool { return protocol.Replaces(p.Name) && p.coalescingKey() == key }
	for i := range q.slots {
		if same(&q.slots[i]) {
			q.slots = slices.Delete(q.slots, i, i+1)
			return
		}
	}
	for i := range q.fifo {
		if same(&q.fifo[i]) {
			q.bytes -= q.fifo[i].size
			q.fifo = slices.Delete(q.fifo, i, i+1)
			q.promote()
			return
		}
	}
}

// promote moves slots into the FIFO as far as there is room, so that the FIFO
// has room only when there are no slots and wire order holds.
func (q *eventQueue) promote() {
	n := 0
	for n < len(q.slots) && q.fits(q.slots[n].size) {
		q.fifo = append(q.fifo, q.slots[n])
		q.bytes += q.slots[n].size
		n++
	}
	if n > 0 {
		q.slots = slices.Delete(q.slots, 0, n)
	}
}

func (q *eventQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// end lets run return once the queue is empty.
func (q *eventQueue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.signal()
}

// pop returns the oldest event and how many were dropped since the last pop.
func (q *eventQueue) pop() (ev Event, ok bool, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dropped, q.dropped = q.dropped, 0
	if len(q.fifo) == 0 {
		q.fifo = nil
		return Event{}, false, dropped
	}
	p := q.fifo[0]
	q.bytes -= p.size
	q.fifo = slices.Delete(q.fifo, 0, 1)
	q.promote()
	return p.Event, true, dropped
}

// run calls fn with each event, and lost with the number of events that were
// dropped, until end was called and nothing is left.
func (q *eventQueue) run(fn func(Event), lost func(int)) {
	for range q.wake {
		for {
			ev, ok, dropped := q.pop()
			if dropped > 0 {
				lost(dropped)
			}
			if !ok {
				break
			}
			fn(ev)
		}
		q.mu.Lock()
		ended := q.ended && len(q.fifo) == 0
		q.mu.Unlock()
		if ended {
			return
		}
	}
}
