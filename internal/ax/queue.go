package ax

import "sync"

// maxPending bounds the notifications that wait for Emit. There are nineteen
// notifications, so it holds all that fifty apps can say at once.
const maxPending = 1024

// note is one notification of one app.
type note struct {
	pid          int
	notification string
}

// queue is what waits to be emitted: each pid and notification once, in the
// order in which they first came.
type queue struct {
	mu      sync.Mutex
	ready   sync.Cond
	waiting map[note]string // bundle id
	order   []note
	dropped uint64
	closed  bool
}

func newQueue() *queue {
	q := &queue{waiting: map[note]string{}}
	q.ready.L = &q.mu
	return q
}

// put never blocks.
func (q *queue) put(n note, bundleID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if _, again := q.waiting[n]; !again {
		if len(q.order) == maxPending {
			q.dropped++
			return
		}
		q.order = append(q.order, n)
		q.ready.Signal()
	}
	q.waiting[n] = bundleID
}

// next waits for the next one; false once the queue is closed.
func (q *queue) next() (n note, bundleID string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.closed {
		q.ready.Wait()
	}
	if q.closed {
		return note{}, "", false
	}
	n = q.order[0]
	if q.order = q.order[1:]; len(q.order) == 0 {
		q.order = nil // and with it the memory of a burst
	}
	bundleID = q.waiting[n]
	delete(q.waiting, n)
	return n, bundleID, true
}

// drop forgets what waits and is not to be kept.
func (q *queue) drop(keep func(note) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	order := q.order[:0]
	for _, n := range q.order {
		if keep(n) {
			order = append(order, n)
		} else {
			delete(q.waiting, n)
		}
	}
	q.order = order
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.ready.Broadcast()
	q.mu.Unlock()
}
