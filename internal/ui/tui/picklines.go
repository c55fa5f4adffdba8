package tui

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

const (
	// pickFlush is how long lines gather before they show: a frame or two, so
	// that a slow producer is followed and a fast one not drawn line by line.
	pickFlush = 30 * time.Millisecond
	// pickChunk is how many lines are indexed together. The last chunk is
	// indexed anew while it grows, so it must not cost a frame; and each chunk
	// costs a search some microseconds, so there must not be thousands.
	pickChunk = 16384
)

// chunkMsg is the lines from that place on, indexed; it takes the place of an
// earlier one that began there too.
type chunkMsg struct {
	from  int
	index *match.Index
}

// endMsg says that all lines are read.
type endMsg struct{ err error }

// readLines reads lines and tells chunks of them, then the end.
func readLines(in io.Reader, tell func(any)) {
	lines := make(chan string, 1024)
	failed := make(chan error, 1)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					failed <- err
				}
				return
			}
		}
	}()
	gather(lines, time.After, tell)
	select {
	case err := <-failed:
		tell(endMsg{err})
	default:
		tell(endMsg{})
	}
}

// gather puts lines together until they end. after is time.After.
func gather(lines <-chan string, after func(time.Duration) <-chan time.Time, tell func(any)) {
	var chunk []protocol.Row
	from, told := 0, 0
	flush := func() {
		if told == len(chunk) {
			return
		}
		told = len(chunk)
		tell(chunkMsg{from, match.NewIndex(chunk[:told:told])})
		if told >= pickChunk {
			from, told, chunk = from+told, 0, nil
		}
	}
	var due <-chan time.Time
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				flush()
				return
			}
			chunk = append(chunk, protocol.Row{Title: line})
			switch {
			case len(chunk) >= pickChunk:
				flush()
				due = nil
			case due == nil:
				due = after(pickFlush)
			}
		case <-due:
			flush()
			due = nil
		}
	}
}
