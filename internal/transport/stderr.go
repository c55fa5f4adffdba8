package transport

import (
	"bytes"
	"log/slog"
	"sync"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// stderrRead is the drain's buffer: most children never write there.
const stderrRead = 2 << 10

// cutMarker ends a logged line that was longer than what is kept of it.
const cutMarker = " …[cut]"

// stderrLog turns a child's stderr into log lines and a tail for diagnosis.
type stderrLog struct {
	log   *slog.Logger
	limit limiter
	line  []byte // of the drain goroutine: what is kept of the line so far
	cut   bool

	mu   sync.Mutex
	tail []byte // a ring once it has its full size
	next int    // where the ring's oldest byte is
}

func (s *stderrLog) init(log *slog.Logger, t event.Time) {
	s.log = log
	s.limit = limiter{time: t, most: protocol.StderrBurst}
}

// drainStderr is the one goroutine that reads stderr, whatever the rest of the
// Conn is doing. What it reads never counts as a failure.
func (c *Conn) drainStderr() {
	defer close(c.draining)
	buf := make([]byte, stderrRead)
	for {
		n, err := c.o.Stderr.Read(buf)
		c.stderr.take(buf[:n])
		if err != nil {
			c.stderr.end()
			return
		}
	}
}

func (s *stderrLog) take(p []byte) {
	s.keep(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		part := p
		if i >= 0 {
			part = p[:i]
		}
		if room := protocol.StderrLine - len(s.line); len(part) > room {
			part = part[:room]
			s.cut = true
		}
		s.line = append(s.line, part...)
		if i < 0 {
			return
		}
		s.flush()
		p = p[i+1:]
	}
}

func (s *stderrLog) flush() {
	line, cut := bytes.TrimSuffix(s.line, []byte{'\r'}), s.cut
	defer func() { s.line, s.cut = s.line[:0], false }()
	if len(line) == 0 {
		return
	}
	ok, unlogged := s.limit.allow()
	if !ok {
		return
	}
	text := string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
	if cut {
		text += cutMarker
	}
	if unlogged > 0 {
		s.log.Info("plugin stderr", "line", text, "unlogged_before", unlogged)
		return
	}
	s.log.Info("plugin stderr", "line", text)
}

func (s *stderrLog) end() {
	s.flush()
	if s.limit.held > 0 {
		s.log.Info("plugin stderr lines not logged", "lines", s.limit.held)
	}
}

// keep remembers p in the tail, which grows only as far as a child writes.
func (s *stderrLog) keep(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if room := protocol.StderrTail - len(s.tail); room > 0 {
		n := min(room, len(p))
		s.tail = append(s.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(s.tail[s.next:], p)
		s.next = (s.next + n) % protocol.StderrTail
		p = p[n:]
	}
}

func (s *stderrLog) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := make([]byte, 0, len(s.tail))
	b = append(b, s.tail[s.next:]...)
	return string(append(b, s.tail[:s.next]...))
}
