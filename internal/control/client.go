package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// ErrNotRunning is wrapped by Dial's error when nothing serves the socket.
var ErrNotRunning = errors.New("no flash is running")

// ErrGone ends the calls of a connection that the resident closed.
var ErrGone = errors.New("flash went away")

// Client is one connection to the resident. Its methods may be called from
// several goroutines; Close ends the calls that still wait.
type Client struct {
	// Server is the resident's hello.
	Server Hello

	conn net.Conn
	w    *lineWriter

	mu     sync.Mutex
	nextID uint64
	calls  map[uint64]*call
	err    error
}

type call struct {
	event func(json.RawMessage)
	done  chan *message // receives the final line; closed when the connection ends
}

// Dial connects to the socket at path and exchanges hellos.
func Dial(ctx context.Context, path, version string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("%w (nothing answers at %s); `flash start` starts it", ErrNotRunning, path)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	c := &Client{conn: conn, w: &lineWriter{w: conn}, calls: map[uint64]*call{}}
	r := newLineReader(conn, maxReply)
	if err := c.w.write(&message{Hello: &Hello{Protocol: ProtocolVersion, Version: version}}); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w (the socket at %s closed at once)", ErrNotRunning, path)
	}
	var m message
	if err := r.read(&m); err != nil {
		conn.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("flash at %s does not answer: %w", path, ctx.Err())
		}
		return nil, fmt.Errorf("%w (the socket at %s closed without a hello)", ErrNotRunning, path)
	}
	if m.Error != nil {
		conn.Close()
		return nil, m.Error
	}
	if m.Hello == nil || m.Hello.Protocol != ProtocolVersion {
		conn.Close()
		return nil, Errorf(CodeVersion, "what answers at %s speaks another control protocol; `flash stop` and `flash start` make them one", path)
	}
	c.Server = *m.Hello
	go c.readLoop(r)
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Call sends one request and decodes its result into result, which may be nil.
// event, which may be nil, is called in order for each event before the result.
func (c *Client) Call(ctx context.Context, method string, params, result any, event func(json.RawMessage)) error {
	var raw json.RawMessage
	if params != nil {
		data, err := json.Marshal(params)
		if err != nil {
			return err
		}
		raw = data
	}
	pending := &call{event: event, done: make(chan *message, 1)}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	c.nextID++
	id := c.nextID
	c.calls[id] = pending
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()

	if err := c.w.write(&message{ID: id, Method: method, Params: raw}); err != nil {
		return fmt.Errorf("%w during %s", ErrGone, method)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case m, ok := <-pending.done:
		switch {
		case !ok:
			return fmt.Errorf("%w during %s", ErrGone, method)
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *Client) readLoop(r *lineReader) {
	for {
		var m message
		if err := r.read(&m); err != nil {
			c.conn.Close()
			c.mu.Lock()
			c.err = ErrGone
			for id, p := range c.calls {
				delete(c.calls, id)
				close(p.done)
			}
			c.mu.Unlock()
			return
		}
		c.mu.Lock()
		p := c.calls[m.ID]
		if p != nil && m.Event == nil {
			delete(c.calls, m.ID)
		}
		c.mu.Unlock()
		switch {
		case p == nil:
		case m.Event == nil:
			p.done <- &m
		case p.event != nil:
			p.event(m.Event)
		}
	}
}

// strictUnmarshal decodes one JSON document and refuses keys that v lacks.
func strictUnmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("data after the object")
	}
	return nil
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
