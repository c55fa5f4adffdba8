package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// message is any line of the wire; which fields are set says which it is.
type message struct {
	Hello  *Hello          `json:"hello,omitempty"`
	ID     uint64          `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Event  json.RawMessage `json:"event,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

var errTooLong = errors.New("line is too long")

// lineReader reads one message a line and refuses to buffer more than max bytes.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 16<<10), max: max}
}

func (l *lineReader) read(m *message) error {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) >= l.max {
			return fmt.Errorf("%w: %d bytes or more", errTooLong, l.max)
		}
		if err == nil && line == nil {
			return json.Unmarshal(part, m)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return json.Unmarshal(line, m)
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return err
		}
	}
}

// lineWriter writes whole lines; several goroutines may share one.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) write(m *message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.w.Write(append(line, '\n'))
	return err
}
