package conformance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// frame is one line of the plugin, numbered in the order of arrival.
type frame struct {
	envelope
	seq   int
	line  []byte
	taken bool // a step has spent it
}

func (f *frame) shown() string { return shown(f.line, frameShown) }

// inbox keeps what the plugin said until a step asks for it. All its state is
// behind mu; changed is closed and replaced whenever something is added.
type inbox struct {
	mu      sync.Mutex
	frames  []*frame
	lines   int // also those that were no frames
	fault   *Failure
	eof     bool
	changed chan struct{}
}

func newInbox() *inbox { return &inbox{changed: make(chan struct{})} }

func (b *inbox) signal() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// read takes stdout line by line until its end and hands each frame to
// arrived, whose failure is kept as the fault of the run: the first one counts.
func (b *inbox) read(stdout io.Reader, arrived func(*frame) *Failure) {
	r := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := readLine(r)
		if err != nil && len(line) > 0 && err == io.EOF {
			b.fail(&Failure{Frame: shown(line, frameShown), Want: "every record of stdout ends with a newline", Difference: "the last record has none"})
		}
		if err == nil {
			b.line(line, arrived)
		}
		if err != nil {
			b.mu.Lock()
			b.eof = true
			b.signal()
			b.mu.Unlock()
			return
		}
	}
}

// readLine returns the next line without its newline. A line over the cap is
// cut one byte after it and read to its end, so that a flooding plugin is
// neither kept in memory nor blocked.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if room := protocol.MaxFrame + 1 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}

func (b *inbox) line(line []byte, arrived func(*frame) *Failure) {
	e, err := parseEnvelope(line, false)
	if err == nil && bytes.HasSuffix(line, []byte("\r")) {
		err = fmt.Errorf("the line ends with a carriage return")
	}
	b.mu.Lock()
	b.lines++
	seq := b.lines
	b.mu.Unlock()
	if err != nil {
		b.fail(&Failure{Frame: shown(line, frameShown), Want: "every line of stdout is one valid frame", Difference: err.Error()})
		return
	}
	f := &frame{envelope: *e, seq: seq, line: line}
	if failure := arrived(f); failure != nil {
		failure.Frame = shown(line, frameShown)
		b.fail(failure)
	}
	b.mu.Lock()
	b.frames = append(b.frames, f)
	b.signal()
	b.mu.Unlock()
}

func (b *inbox) fail(f *Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault == nil {
		b.fault = f
	}
	b.signal()
}

// broken is the first law that the plugin broke so far, or nil.
func (b *inbox) broken() *Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fault
}

// take waits for the first unspent frame that want accepts and spends it. It
// ends early when the plugin broke a law, closed its stdout, or ctx is done.
func (b *inbox) take(ctx context.Context, within time.Duration, want func(*frame) bool) (*frame, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		b.mu.Lock()
		for _, f := range b.frames {
			if !f.taken && want(f) {
				f.taken = true
				b.mu.Unlock()
				return f, nil
			}
		}
		fault, eof, changed := b.fault, b.eof, b.changed
		b.mu.Unlock()
		switch {
		case fault != nil:
			return nil, fault
		case eof:
			return nil, errStdoutClosed
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil, fmt.Errorf("nothing of the kind came within %v", within)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

var errStdoutClosed = fmt.Errorf("the plugin closed its stdout first")

// ended waits for the end of stdout.
func (b *inbox) ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		b.mu.Lock()
		eof, changed := b.eof, b.changed
		b.mu.Unlock()
		if eof {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}

// each calls f for every frame so far, in order.
func (b *inbox) each(f func(*frame)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.frames {
		f(x)
	}
}
