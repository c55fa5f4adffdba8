package x11

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
)

// filter sits between xgb and the socket. xgb reads events of 32 bytes, while
// those of XInput 2 are longer, and it queues each in a new allocation. The
// filter takes events out of the stream and gives them to their reader in place;
// replies and errors go on to xgb.
type filter struct {
	net.Conn
	setup []byte
	on    Handlers

	mu      sync.Mutex // of what is written
	holding bool
	held    []byte

	buf        [readSize]byte
	start, end int
	set        bool
	pass       int // bytes of a reply that go to xgb before the next header
	closed     bool
}

// readSize holds some hundred events, so that a burst is one system call, and
// the longest event of a device with every button and axis there is.
const readSize = 16 << 10

const (
	headerSize   = 32
	kindError    = 0
	kindReply    = 1
	genericEvent = 35

	// An error of an extension reaches xgb as a core one: it drops those that it
	// does not know, and who waits on the request would wait for ever.
	extensionErrors   = 128
	badImplementation = xproto.BadImplementation
)

var errLongEvent = errors.New("an event is longer than any that was asked for")

// Write sends; the first write is xgb's setup, which is replaced.
func (f *filter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.holding {
		f.held = append(f.held, p...)
		return len(p), nil
	}
	if f.setup != nil {
		_, err := f.Conn.Write(f.setup)
		f.setup = nil
		return len(p), err
	}
	return f.Conn.Write(p)
}

// Batch sends the requests that fn makes in one piece. fn must not wait for an
// answer, and nobody else may make requests meanwhile.
func (c *Conn) Batch(fn func()) {
	f := c.filter
	f.hold(true)
	fn()
	f.hold(false)
}

func (f *filter) hold(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holding = on
	if !on && len(f.held) > 0 {
		// A connection that cannot be written to cannot be read from either,
		// and its reader says so.
		_, _ = f.Conn.Write(f.held)
		f.held = f.held[:0]
	}
}

// Read gives xgb what is not an event.
func (f *filter) Read(p []byte) (int, error) {
	n, err := f.read(p)
	if err != nil && !f.closed {
		f.closed = true
		if f.on.Closed != nil {
			f.on.Closed()
		}
	}
	return n, err
}

func (f *filter) read(p []byte) (int, error) {
	if !f.set {
		if err := f.need(8); err != nil {
			return 0, err
		}
		f.pass, f.set = 8+4*int(le.Uint16(f.buf[f.start+6:])), true
	}
	for f.pass == 0 {
		if err := f.need(headerSize); err != nil {
			return 0, err
		}
		h := f.buf[f.start:]
		size := headerSize
		if kind := h[0] & 127; kind == kindReply || kind == genericEvent {
			size += 4 * int(le.Uint32(h[4:]))
		}
		if h[0] == kindError && h[1] >= extensionErrors {
			h[1] = badImplementation
		}
		if h[0] == kindError || h[0] == kindReply {
			f.pass = size
			break
		}
		if size > readSize {
			return 0, errLongEvent
		}
		if err := f.need(size); err != nil {
			return 0, err
		}
		f.on.Event(f.buf[f.start : f.start+size])
		f.start += size
	}
	if err := f.need(1); err != nil {
		return 0, err
	}
	n := copy(p[:min(len(p), f.pass)], f.buf[f.start:f.end])
	f.start, f.pass = f.start+n, f.pass-n
	return n, nil
}

// need makes at least n bytes available at start.
func (f *filter) need(n int) error {
	if f.end-f.start >= n {
		return nil
	}
	if f.start > 0 {
		f.end = copy(f.buf[:], f.buf[f.start:f.end])
		f.start = 0
	}
	for f.end < n {
		got, err := f.fetch(f.buf[f.end:])
		f.end += got
		if err != nil {
			if err == io.EOF && f.end >= n {
				return nil
			}
			return err
		}
	}
	return nil
}

// gathering is a connection that can be read after a time in which its arrivals
// wake nobody.
type gathering interface {
	ReadAfter(p []byte, d time.Duration) (int, error)
}

func (f *filter) fetch(p []byte) (int, error) {
	if f.on.Pause != nil {
		if g, ok := f.Conn.(gathering); ok {
			return g.ReadAfter(p, f.on.Pause())
		}
	}
	return f.Conn.Read(p)
}
