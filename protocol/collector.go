package protocol

import (
	"bytes"
	"io"
	"strconv"
)

// readSize is how much room Fill offers a reader. A Linux pipe holds 64 KiB,
// so this is what one read can bring.
const readSize = 64 << 10

// keepSize is the largest buffer a Collector keeps once it is empty: a line of
// several megabytes comes once, at start-up, and must not stay as memory.
const keepSize = 4 * readSize

// OversizedError is a line over the cap. The stream goes on behind it.
type OversizedError struct{ Bytes int64 }

func (e *OversizedError) Error() string {
	return "line of " + strconv.FormatInt(e.Bytes, 10) + " bytes is over the cap"
}

// Collector cuts a byte stream into lines. Each byte is scanned once, the
// consumed prefix is moved away at most once a Fill, and memory is bounded by
// the cap plus one read: of an oversized line only its length is kept.
//
// Only 0x0A ends a line; a 0x0D before it is dropped. A Collector belongs to
// one goroutine.
type Collector struct {
	max     int
	buf     []byte
	start   int   // first byte not yet handed out
	scanned int   // bytes before it hold no newline at or after start
	skipped int64 // length so far of an oversized line; 0 when there is none
}

// NewCollector returns a Collector for lines of at most maxLine bytes, newline excluded.
func NewCollector(maxLine int) *Collector { return &Collector{max: maxLine} }

// Fill does one Read of up to 64 KiB. Lines that Next returned are invalid
// from here on. The error is the reader's own; bytes that came with it count.
func (c *Collector) Fill(r io.Reader) (int, error) {
	c.compact()
	c.room()
	n, err := r.Read(c.buf[len(c.buf) : len(c.buf)+readSize])
	c.buf = c.buf[:len(c.buf)+n]
	return n, err
}

// compact moves what is left to the front.
func (c *Collector) compact() {
	if c.start == 0 {
		return
	}
	n := copy(c.buf, c.buf[c.start:])
	c.buf = c.buf[:n]
	c.scanned -= c.start
	c.start = 0
	if n == 0 && cap(c.buf) > keepSize {
		c.buf = nil
	}
}

// room makes space for one read. It doubles, so that a long line is copied a
// constant number of times, but never past what the longest line needs.
func (c *Collector) room() {
	need := len(c.buf) + readSize
	if need <= cap(c.buf) {
		return
	}
	size := max(need, 2*cap(c.buf))
	if limit := c.max + 2 + readSize; size > limit {
		size = max(need, limit)
	}
	buf := make([]byte, len(c.buf), size)
	copy(buf, c.buf)
	c.buf = buf
}

// Next returns the next whole line without its end. The line aliases the
// buffer until the next Fill. Blank lines are skipped. An oversized line is
// reported once, with an *OversizedError, when its newline arrives.
func (c *Collector) Next() (line []byte, ok bool, err error) {
	for {
		i := bytes.IndexByte(c.buf[c.scanned:], '\n')
		if i < 0 {
			c.scanned = len(c.buf)
			c.shed()
			return nil, false, nil
		}
		end := c.scanned + i
		line = c.buf[c.start:end]
		c.start, c.scanned = end+1, end+1
		if c.skipped > 0 {
			total := c.skipped + int64(len(line))
			c.skipped = 0
			return nil, true, &OversizedError{Bytes: total}
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) > c.max {
			return nil, true, &OversizedError{Bytes: int64(len(line))}
		}
		if !blank(line) {
			return line, true, nil
		}
	}
}

// shed drops the bytes of an unfinished line that is over the cap already. One
// byte more is let through, which may be the 0x0D of a line exactly at the cap.
func (c *Collector) shed() {
	if c.skipped == 0 && len(c.buf)-c.start <= c.max+1 {
		return
	}
	c.skipped += int64(len(c.buf) - c.start)
	c.buf = c.buf[:0]
	c.start, c.scanned = 0, 0
}

// Pending returns the length of the unfinished line, which at the end of the
// stream is a record to discard.
func (c *Collector) Pending() int { return int(c.skipped) + len(c.buf) - c.start }

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
