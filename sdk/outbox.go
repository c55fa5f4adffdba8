package sdk

import (
	"errors"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

const (
	// joinSize is up to where frames that wait together share one buffer and
	// so one write. A pipe takes 64 KiB at once; above it nothing is gained,
	// and a frame of megabytes is not copied.
	joinSize = 64 << 10
	// keepSize is the largest spent buffer that is kept for the next frames:
	// replies are tens of bytes, and what a catalogue needed must not stay.
	keepSize = 8 << 10
)

// patience is how long a reply or a host call waits for a full queue to move
// before the host counts as one that does not read. A burst of requests can
// fill the queue faster than any host reads; a host that lives takes something
// within this.
const patience = 500 * time.Millisecond

var errNoRoom = errors.New("no room for a reply")

// outbox is the bounded queue to the host. One party at a time writes: the
// reader's goroutine when it can without blocking, else the writer's.
type outbox struct {
	write    func(b []byte) error              // blocks until all is written
	tryWrite func(b []byte) (n int, err error) // never blocks, may write less; nil if there is no such way
	fail     func(error)                       // called once, when the transport closes by itself

	mu      sync.Mutex
	queue   []chunk // not yet taken for writing
	rest    chunk   // taken by the reader, could not be written whole
	spare   []byte  // a spent buffer of at most keepSize
	frames  int     // queued and in the hands of who writes
	bytes   int     // of the same
	writing bool    // somebody holds frames
	err     error   // the transport is closed

	// What found no room. Each is sent as soon as there is some.
	publish []byte                          // newest frame, of mapBuffer
	poll    []byte                          // newest frame
	status  map[string]protocol.StatusValue // newest of each segment
	lost    int                             // log records

	wake  chan struct{} // capacity 1: there is something to write, or an end
	moved sync.Cond     // on mu: something was written, or the transport closed
}

// chunk is a run of whole frames (or what is left of them) for one write.
type chunk struct {
	b      []byte
	frames int
	bytes  int    // what it counts for, also when b has shrunk
	mapped []byte // of mapBuffer, given back once it is written; nil for the heap's
}

func (o *outbox) init() {
	o.wake = make(chan struct{}, 1)
	o.moved.L = &o.mu
}

func (o *outbox) room(size int) bool {
	return o.err == nil && o.frames < protocol.PluginOutboundFrames && o.bytes+size <= protocol.PluginOutboundBytes
}

// push queues a frame that has room. Small ones are joined, a large one is
// kept as it is and belongs to the outbox from here on.
func (o *outbox) push(frame []byte) {
	if len(frame) > keepSize {
		o.queue = append(o.queue, chunk{b: frame})
		o.count(len(frame))
		return
	}
	c := o.tail(len(frame))
	c.b = append(c.b, frame...)
	o.count(len(frame))
}

// tail returns the chunk that a small frame is appended to; count follows.
func (o *outbox) tail(size int) *chunk {
	if n := len(o.queue); n > 0 && len(o.queue[n-1].b)+size <= joinSize {
		return &o.queue[n-1]
	}
	o.queue = append(o.queue, chunk{b: o.spare[:0]})
	o.spare = nil
	return &o.queue[len(o.queue)-1]
}

// count books a frame that was appended to the last chunk.
func (o *outbox) count(size int) {
	c := &o.queue[len(o.queue)-1]
	c.frames++
	c.bytes += size
	o.frames++
	o.bytes += size
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// pong queues the reply to a ping, without a buffer of its own: pings are what
// an idle plugin's memory consists of. The caller flushes.
func (o *outbox) pong(id int64) {
	const size = len(`{"id":9007199254740991,"result":{"ok":true}}`) + 1
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.replyRoom(size) {
		return
	}
	c := o.tail(size)
	before := len(c.b)
	c.b = protocol.AppendResponse(c.b, id, okResult)
	o.count(len(c.b) - before)
}

// reply queues a response. Finding no room for one closes the transport: the
// host would wait for it in vain.
func (o *outbox) reply(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.replyRoom(len(frame)) {
		return
	}
	o.push(frame)
	o.signal()
}

// replyRoom waits for room for a reply and closes the transport when there is
// none to be had.
func (o *outbox) replyRoom(size int) bool {
	if !o.awaitRoom(size) && o.err == nil {
		o.close(errNoRoom)
	}
	return o.err == nil
}

// awaitRoom gives a host that reads the time to make room.
func (o *outbox) awaitRoom(size int) bool {
	if o.room(size) {
		return true
	}
	o.mu.Unlock()
	o.flushInline()
	o.mu.Lock()
	expired := false
	timer := time.AfterFunc(patience, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		expired = true
		o.moved.Broadcast()
	})
	defer timer.Stop()
	for !o.room(size) && o.err == nil && !expired {
		o.moved.Wait()
	}
	return o.room(size)
}

// request queues a host call, or reports that there is no room for it.
func (o *outbox) request(frame []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.awaitRoom(len(frame)) {
		return false
	}
	o.push(frame)
	o.signal()
	return true
}

// replacePublish queues a catalogue; without room it takes the place of an
// unsent one.
func (o *outbox) replacePublish(frame []byte) { o.replace(&o.publish, frame) }

// replacePoll queues a set of registrations likewise.
func (o *outbox) replacePoll(frame []byte) { o.replace(&o.poll, frame) }

func (o *outbox) replace(slot *[]byte, frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if slot == &o.publish {
		unmapBuffer(*slot)
	}
	*slot = frame
	o.promote()
	o.signal()
}

// mergeStatus queues segments; without room the newest value of each waits.
func (o *outbox) mergeStatus(values map[string]protocol.StatusValue) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if o.status == nil {
		o.status = values
	} else {
		for name, v := range values {
			o.status[name] = v
		}
	}
	o.promote()
	o.signal()
}

// log queues a log record; without room it is counted and dropped.
func (o *outbox) log(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.room(len(frame)) {
		o.lost++
		return
	}
	o.push(frame)
	o.signal()
}

// promote queues what waits for room, as far as there is some.
func (o *outbox) promote() {
	for _, slot := range []*[]byte{&o.publish, &o.poll} {
		if *slot != nil && o.room(len(*slot)) {
			o.push(*slot)
			if slot == &o.publish && cap(*slot) >= mappedSize {
				o.queue[len(o.queue)-1].mapped = *slot
			}
			*slot = nil
		}
	}
	if o.status != nil && o.room(0) {
		frame := statusFrame(o.status)
		if len(frame) > protocol.MaxFrame+1 {
			o.status = nil
		} else if o.room(len(frame)) {
			o.push(frame)
			o.status = nil
		}
	}
	if o.lost > 0 {
		if frame := lostFrame(o.lost); o.room(len(frame)) {
			o.push(frame)
			o.lost = 0
		}
	}
}

// flushInline writes what is queued from the caller's goroutine, as far as
// that does not block, and leaves the rest to the writer.
func (o *outbox) flushInline() {
	o.mu.Lock()
	if o.writing || o.err != nil || len(o.queue) == 0 {
		o.mu.Unlock()
		return
	}
	if o.tryWrite == nil || len(o.queue) > 1 {
		o.signal()
		o.mu.Unlock()
		return
	}
	c := o.take()
	o.mu.Unlock()
	n, err := o.tryWrite(c.b)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil:
		o.close(err)
	case n == len(c.b):
		o.done(c)
	default:
		c.b = c.b[n:]
		o.rest = c
		o.signal()
	}
}

// take hands the first chunk to the caller, who is now the one that writes.
func (o *outbox) take() chunk {
	c := o.queue[0]
	o.queue[0] = chunk{}
	o.queue = o.queue[:copy(o.queue, o.queue[1:])]
	o.writing = true
	return c
}

// done returns a written chunk's budget.
func (o *outbox) done(c chunk) {
	o.writing = false
	o.frames -= c.frames
	o.bytes -= c.bytes
	unmapBuffer(c.mapped)
	if o.spare == nil && cap(c.b) <= keepSize {
		o.spare = c.b[:0]
	}
	o.promote()
	if len(o.queue) > 0 {
		o.signal()
	}
	o.moved.Broadcast()
}

// run writes until the transport closes.
func (o *outbox) run() {
	for range o.wake {
		for o.writeNext() {
		}
		o.mu.Lock()
		ended := o.err != nil
		o.mu.Unlock()
		if ended {
			return
		}
	}
}

func (o *outbox) writeNext() bool {
	o.mu.Lock()
	var c chunk
	switch {
	case o.err != nil:
		o.mu.Unlock()
		return false
	case o.rest.b != nil:
		c, o.rest = o.rest, chunk{}
	case o.writing || len(o.queue) == 0:
		o.mu.Unlock()
		return false
	default:
		c = o.take()
	}
	o.mu.Unlock()
	err := o.write(c.b)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.close(err)
		return false
	}
	o.done(c)
	return true
}

// close ends the transport. What is queued is dropped; maps are left to the end
// of the process, as one may be in the hands of who writes.
func (o *outbox) close(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.queue, o.rest, o.publish, o.poll, o.status = nil, chunk{}, nil, nil, nil
	o.moved.Broadcast()
	o.signal()
	if o.fail != nil {
		o.fail(err)
	}
}

// stop ends the transport from outside.
func (o *outbox) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fail = nil
	o.close(ErrHostClosed)
}

// flush waits until all is written or the transport is closed.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && (o.frames > 0 || o.publish != nil || o.poll != nil || o.status != nil) {
		o.moved.Wait()
	}
}

func statusFrame(values map[string]protocol.StatusValue) []byte {
	b := append([]byte(nil), `{"method":"status","params":{"segments":`...)
	return append(protocol.AppendStatus(b, values), "}}\n"...)
}

func lostFrame(n int) []byte {
	fields := protocol.NewObject(nil).Int("count", int64(n)).Bytes()
	return logFrame(protocol.LogRecord{Level: LevelWarn, Message: "log records dropped: the host does not read", Fields: fields})
}
