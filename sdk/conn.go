package sdk

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

var okResult = []byte(`{"ok":true}`)

// conn is one plugin at work: everything between the two streams. Its parts are
// one object: each size of object that a small process has takes 8 KiB.
type conn struct {
	plugin Plugin
	opts   Options
	host   Host
	out    outbox
	events eventQueue
	calls  calls
	onBusy func() // told of activity other than pings; nil in tests

	ctx    context.Context // ends when the shutdown begins
	cancel context.CancelFunc
	stop   chan struct{} // closed when the shutdown begins
	once   sync.Once
	status int // of the process; written once, before stop is closed

	ready bool // initialize was answered well; the reader's own

	mu       sync.Mutex
	requests int  // handlers at work
	bytes    int  // encoded input that they hold
	tasks    int  // handlers, Start, intervals and the event loop at work
	ending   bool // no interval begins any more
	settled  chan struct{}
}

func newConn(p Plugin, o Options) *conn {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.Err == nil {
		o.Err = io.Discard
	}
	c := &conn{plugin: p, opts: o, stop: make(chan struct{})}
	c.out.init()
	c.events.init()
	c.out.write = func(b []byte) error {
		_, err := o.Out.Write(b)
		return err
	}
	c.out.fail = func(err error) {
		if errors.Is(err, errNoRoom) {
			c.complain("the host left no room for a reply")
			c.shutdown(1)
			return
		}
		c.shutdown(0)
	}
	c.host.conn = c
	c.host.id = o.Env("FLASH_PLUGIN_ID")
	c.host.dir = o.Env("FLASH_PLUGIN_DATA_DIR")
	c.host.config = NewConfig(o.Env("FLASH_PLUGIN_CONFIG"))
	return c
}

// serve runs the plugin to its end and returns the exit status.
func (c *conn) serve(ctx context.Context) int {
	c.ctx, c.cancel = context.WithCancel(ctx)
	defer c.cancel()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.out.run()
	}()
	go c.read()
	if c.plugin.Event != nil && c.begin() {
		go func() {
			defer c.end()
			c.events.run(c.handleEvent, func(n int) {
				c.complain("dropped " + strconv.Itoa(n) + " events: the handler is behind")
			})
		}()
	}

	select {
	case <-c.stop:
	case <-c.opts.Stop:
	case <-ctx.Done():
	}
	c.shutdown(0)
	end, done := context.WithTimeout(context.Background(), protocol.ShutdownHook)
	defer done()
	c.drain(end)
	c.out.stop()
	select {
	case <-written:
	case <-end.Done(): // a write that the host does not take
	}
	return c.status
}

// shutdown begins the end, once.
func (c *conn) shutdown(status int) {
	c.once.Do(func() {
		c.status = status
		close(c.stop)
	})
}

// drain runs the shutdown hook and lets handlers and writes come to an end,
// all within the 750 ms that the host grants.
func (c *conn) drain(ctx context.Context) {
	c.cancel()
	c.calls.close()
	c.mu.Lock()
	c.ending = true
	c.tasks++ // the hook
	c.settled = make(chan struct{})
	settled := c.settled
	c.mu.Unlock()
	c.events.end()
	go func() {
		defer c.end()
		if c.plugin.Shutdown != nil && c.status == 0 {
			c.guarded("shutdown", func() { c.plugin.Shutdown(ctx, &c.host) })
		}
	}()
	select {
	case <-settled:
	case <-ctx.Done():
		return
	}
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		c.out.flush()
	}()
	select {
	case <-flushed:
	case <-ctx.Done():
	}
}

// begin counts a task that the drain waits for; false when it is too late.
func (c *conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.tasks++
	return true
}

func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks--
	if c.tasks == 0 && c.settled != nil {
		close(c.settled)
		c.settled = nil
	}
}

func (c *conn) touch() {
	if c.onBusy != nil {
		c.onBusy()
	}
}

// read takes frames until the input ends.
func (c *conn) read() {
	defer c.shutdown(0)
	in := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := in.Fill(c.opts.In)
		for {
			line, ok, err := in.Next()
			if !ok {
				break
			}
			if err != nil {
				c.noise(lineLength(err), "over the frame cap")
				continue
			}
			if !c.dispatch(line) {
				c.out.flushInline()
				return
			}
		}
		c.out.flushInline()
		if readErr != nil {
			return
		}
		select {
		case <-c.stop:
			return
		default:
		}
	}
}

func lineLength(err error) int {
	var over *protocol.OversizedError
	if errors.As(err, &over) {
		return int(over.Bytes)
	}
	return 0
}

// dispatch handles one line and reports whether to read on. What it hands to
// another goroutine it copies or decodes first: line is the reader's.
func (c *conn) dispatch(line []byte) bool {
	e, err := protocol.DecodeEnvelope(line)
	switch {
	case err != nil:
		c.noise(len(line), err.Error())
	case e.IsResponse():
		if _, _, err := protocol.DecodeOK(e.Result); err != nil {
			c.noise(len(line), "invalid response")
			return true
		}
		c.touch()
		c.calls.settle(e.ID, e.Result)
	case e.IsNotification():
		c.notification(e, len(line))
	case e.Method == protocol.MethodPing:
		c.out.pong(e.ID)
	case e.Method == protocol.MethodInitialize:
		return c.initialize(e)
	default:
		c.touch()
		c.request(e, len(line))
	}
	return true
}

// initialize answers the handshake and reports whether to read on.
func (c *conn) initialize(e protocol.Envelope) bool {
	c.touch()
	if c.ready {
		c.refuse(e.ID, protocol.ErrTextInitializeTwice)
		return true
	}
	version := strconv.Itoa(protocol.Version)
	if host := protocol.DecodeInitialize(e.Params); host != protocol.Version {
		r := protocol.NewObject(nil).Bool("ok", false).Int("protocol_version", protocol.Version).Str("error", protocol.ErrTextMismatch(host))
		c.out.reply(protocol.AppendResponse(nil, e.ID, r.Bytes()))
		return false
	}
	c.ready = true
	c.out.reply(protocol.AppendResponse(nil, e.ID, []byte(`{"ok":true,"protocol_version":`+version+`}`)))
	if c.plugin.Start != nil && c.begin() {
		go func() {
			defer c.end()
			c.guarded("start", func() {
				if err := c.plugin.Start(c.ctx, &c.host); err != nil && c.ctx.Err() == nil {
					c.complain("start failed: " + err.Error())
				}
			})
		}()
	}
	return true
}

func (c *conn) notification(e protocol.Envelope, size int) {
	c.touch()
	if e.Method != protocol.MethodEvent {
		c.noise(size, "unknown notification")
		return
	}
	name, payload, err := protocol.DecodeEvent(e.Params)
	if err != nil {
		c.noise(size, "invalid event")
		return
	}
	if timer, ok := strings.CutPrefix(name, protocol.EventPollPrefix); ok && c.host.tick(timer) {
		return
	}
	if c.plugin.Event != nil {
		c.events.push(Event{Name: name, Payload: append([]byte(nil), payload...)}, size)
	}
}

func (c *conn) handleEvent(ev Event) {
	c.touch()
	c.guarded("event", func() { c.plugin.Event(c.ctx, &c.host, ev) })
}

// guarded runs a handler and reports whether it returned. A panic is told on
// stderr by place and kind, not by value: the value may hold user content.
func (c *conn) guarded(what string, fn func()) (returned bool) {
	defer func() {
		if !returned {
			if r := recover(); r != nil {
				c.complain("panic in the " + what + " handler: " + panicText(r))
			}
		}
	}()
	fn()
	return true
}

// noise reports input that is dropped.
func (c *conn) noise(size int, reason string) {
	c.complain("dropped a line of " + strconv.Itoa(size) + " bytes: " + reason)
}

// complain writes one line of diagnostics.
func (c *conn) complain(text string) {
	id := c.host.id
	if id == "" {
		id = "plugin"
	}
	_, _ = io.WriteString(c.opts.Err, "flash "+id+": "+text+"\n")
}

// tooLong drops a notification that the host would have to drop.
func (c *conn) tooLong(frame []byte, method string) bool {
	if len(frame) <= protocol.MaxFrame+1 {
		return false
	}
	c.complain("dropped a " + method + " notification of " + strconv.Itoa(len(frame)) + " bytes: over the frame cap")
	return true
}

// handlerContext is the context of one request.
func (c *conn) handlerContext(e protocol.Envelope) (context.Context, context.CancelFunc) {
	ctx := c.ctx
	if e.Trace != "" {
		ctx = context.WithValue(ctx, traceKey{}, e.Trace)
	}
	if e.DeadlineMS > 0 {
		return context.WithTimeout(ctx, time.Duration(e.DeadlineMS)*time.Millisecond)
	}
	return ctx, func() {}
}
