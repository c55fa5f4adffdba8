package transport

import (
	"fmt"
	"io"
	"sync"

	"github.com/flash-launcher/flash/protocol"
)

const (
	// idleRead is the reader's buffer while a child says little: thirty children
	// must not hold thirty pipes' worth of memory each.
	idleRead = 1 << 10
	// burstRead is what a full pipe brings in one read.
	burstRead = 64 << 10
	// keepRaw is the largest lane kept once it is empty.
	keepRaw = 16 << 10
)

var burstBuffers = sync.Pool{New: func() any { return new([burstRead]byte) }}

// rawLane holds what was read and not yet decoded. An entry is one read;
// reads that fit into the last entry's 64 KiB join it, so that a child that
// writes in small pieces is not taken for one that floods.
type rawLane struct {
	mu     sync.Mutex
	filled sync.Cond
	buf    []byte
	head   int   // bytes of buf already taken
	sizes  []int // of the entries in buf[head:], oldest first
	closed bool  // no more comes; what is there is still taken
}

func (l *rawLane) init() { l.filled.L = &l.mu }

// push appends what one read brought and reports whether there was room.
func (l *rawLane) push(p []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	waiting := len(l.buf) - l.head
	last := len(l.sizes) - 1
	joins := last >= 0 && l.sizes[last]+len(p) <= burstRead
	if waiting+len(p) > protocol.HostInboundBytes || (!joins && len(l.sizes) >= protocol.HostInboundFrames) {
		return false
	}
	if joins {
		l.sizes[last] += len(p)
	} else {
		l.sizes = append(l.sizes, len(p))
	}
	if l.head > 0 && len(l.buf)+len(p) > cap(l.buf) {
		l.buf = l.buf[:copy(l.buf, l.buf[l.head:])]
		l.head = 0
	}
	l.buf = append(l.buf, p...)
	l.filled.Signal()
	return true
}

// wait blocks until there is something to read, or reports that there will be
// nothing any more.
func (l *rawLane) wait() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.head == len(l.buf) && !l.closed {
		l.filled.Wait()
	}
	return l.head < len(l.buf)
}

// Read takes what is there, without waiting; the decoder reads after wait.
func (l *rawLane) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head == len(l.buf) {
		return 0, io.EOF
	}
	n := copy(p, l.buf[l.head:])
	l.head += n
	l.release(n)
	if l.head == len(l.buf) {
		l.head, l.buf, l.sizes = 0, l.buf[:0], l.sizes[:0]
		if cap(l.buf) > keepRaw {
			l.buf = nil
		}
	}
	return n, nil
}

// release takes n bytes off the oldest entries.
func (l *rawLane) release(n int) {
	done := 0
	for done < len(l.sizes) && l.sizes[done] <= n {
		n -= l.sizes[done]
		done++
	}
	if done < len(l.sizes) {
		l.sizes[done] -= n
	}
	l.sizes = l.sizes[:copy(l.sizes, l.sizes[done:])]
}

// discard ends the lane and forgets what waits in it.
func (l *rawLane) discard() {
	l.mu.Lock()
	l.closed = true
	l.buf, l.sizes, l.head = nil, nil, 0
	l.filled.Signal()
	l.mu.Unlock()
}

func (l *rawLane) close() {
	l.mu.Lock()
	l.closed = true
	l.filled.Signal()
	l.mu.Unlock()
}

func rawFull() string {
	return fmt.Sprintf("sent faster than it can be decoded: more than %d reads or %d MiB wait",
		protocol.HostInboundFrames, protocol.HostInboundBytes>>20)
}

// read is the one goroutine that reads stdout. It never waits for the decoder.
func (c *Conn) read() {
	defer close(c.reading)
	defer c.raw.close()
	idle := make([]byte, idleRead)
	buf := idle
	var burst *[burstRead]byte
	defer func() {
		if burst != nil {
			burstBuffers.Put(burst)
		}
	}()
	for {
		n, err := c.o.Stdout.Read(buf)
		if n > 0 {
			c.hear()
			if !c.raw.push(buf[:n]) {
				c.cutOff(rawFull())
				return
			}
		}
		if err != nil {
			return // the decoder says so, once it has decoded what came before
		}
		switch {
		case n == len(buf) && burst == nil:
			burst = burstBuffers.Get().(*[burstRead]byte)
			buf = burst[:]
		case n <= idleRead && burst != nil:
			burstBuffers.Put(burst)
			burst, buf = nil, idle
		}
	}
}
