package play

import (
	"io"
	"sync"
)

// outlet writes lines in order on a goroutine of its own: a plugin that writes
// before it reads on must not be waited for by who reads what it writes.
type outlet struct {
	mu     sync.Mutex
	lines  [][]byte
	wake   chan struct{} // holds one: something is new
	closed bool          // nothing more comes
	broken bool          // the other side is gone
}

func (o *outlet) start(w io.WriteCloser) {
	o.wake = make(chan struct{}, 1)
	go func() {
		defer w.Close()
		for range o.wake {
			o.mu.Lock()
			lines, last := o.lines, o.closed
			o.lines = nil
			o.mu.Unlock()
			for _, line := range lines {
				if _, err := w.Write(line); err != nil {
					o.mu.Lock()
					o.broken = true
					o.mu.Unlock()
					return
				}
			}
			if last {
				return
			}
		}
	}()
}

// write reports whether the line is on its way.
func (o *outlet) write(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.broken {
		return false
	}
	o.lines = append(o.lines, line)
	o.wakeLocked()
	return true
}

// close ends the stream behind what was written; first is false when that was
// so already.
func (o *outlet) close() (first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first = !o.closed
	o.closed = true
	o.wakeLocked()
	return first
}

func (o *outlet) wakeLocked() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
