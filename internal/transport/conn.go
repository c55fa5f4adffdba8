package transport

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// Sinks receive what a child sends. Publish to Log are called in wire order on
// the Conn's delivery goroutine; HostCall on a worker; Down once, on whatever
// goroutine noticed, and it must not block.
type Sinks struct {
	Publish func(rows []protocol.Row)
	Status  func(values map[string]protocol.StatusValue)
	Poll    func(regs []protocol.Registration)
	Log     func(rec protocol.LogRecord)
	// HostCall answers a request of the child with a result object. ctx ends with
	// the generation or the call's time.
	HostCall func(ctx context.Context, method string, params []byte) []byte
	// Down says why this generation cannot go on.
	Down func(reason string)
}

// Options make a Conn.
type Options struct {
	Plugin string
	Stdin  io.WriteCloser
	// Stdout and Stderr must unblock a Read when closed, as os.Pipe's ends do.
	Stdout, Stderr io.ReadCloser
	Time           event.Time
	Logger         *slog.Logger
	Declared       func(source string) bool
	Sinks          Sinks
	// HostCallTime bounds a host call by its method; nil is the protocol's default.
	HostCallTime func(method string) time.Duration
}

// Conn is the conversation with one child. Its methods may be called from any
// goroutine and never wait for the child, Call apart.
type Conn struct {
	o   Options
	log *slog.Logger

	// mu guards the outbound lane and the request table; lane.go and calls.go are
	// the only code that touches them. Nothing is called out to while it is held.
	mu    sync.Mutex
	wake  sync.Cond // the writer waits here for work
	out   outbound
	calls map[int64]*call
	last  int64 // the id given out last
	gate  gate
	lapse event.Timer // runs once a pipe has ended and the child may be ending too

	raw    rawLane
	inbox  inbox
	host   hostCalls
	stderr stderrLog
	noise  limiter // of the decode goroutine alone

	ctx      context.Context // ends with the generation
	cancel   context.CancelFunc
	down     atomic.Bool // nothing that the child sends from here on is applied
	begun    time.Time
	heard    atomic.Int64 // when the child was last heard, as nanoseconds since begun
	reading  chan struct{}
	decoding chan struct{}
	draining chan struct{}
	writing  chan struct{}
}

// New returns a Conn that has not begun: whoever is to hear of its end can be
// told of it first.
func New(o Options) *Conn {
	c := &Conn{
		o:        o,
		log:      o.Logger.With("plugin", o.Plugin),
		begun:    o.Time.Now(),
		calls:    map[int64]*call{},
		reading:  make(chan struct{}),
		decoding: make(chan struct{}),
		draining: make(chan struct{}),
		writing:  make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.wake.L = &c.mu
	c.raw.init()
	c.inbox.init()
	c.noise = limiter{time: o.Time, most: noiseLines}
	c.stderr.init(c.log, o.Time)
	return c
}

// Begin starts the conversation, once. Finish ends it.
func (c *Conn) Begin() {
	go c.write()
	go c.read()
	go c.decode()
	go c.deliver()
	go c.drainStderr()
}

// fail ends the generation from inside.
func (c *Conn) fail(reason string) {
	if c.down.Swap(true) {
		return
	}
	c.o.Sinks.Down(reason)
}

// lost is fail for a child that closed a pipe. Most often it is dying: how it
// ends says more, and what it still said counts, so it gets a moment for both.
func (c *Conn) lost(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lapse == nil {
		c.lapse = c.o.Time.AfterFunc(protocol.ShutdownGrace, func() { c.fail(reason) })
	}
}

// cutOff is fail for a child that talks too much: nothing more of it is decoded,
// and its next write fails instead of keeping the host busy until it is gone.
func (c *Conn) cutOff(reason string) {
	c.fail(reason)
	c.raw.discard()
	_ = c.o.Stdout.Close() // only ends the reader
}

// Hangup closes the child's stdin, which asks it to end, and lets nothing more
// in or out but replies to what it was asked, and its logs. What never left the
// host is settled as such. Calling it again does nothing.
func (c *Conn) Hangup() {
	c.down.Store(true)
	c.cancel()
	c.settleAll(c.shut(false), errClosing)
	_ = c.o.Stdin.Close() // unblocks a write; the child is going either way
}

// Finish ends the conversation for good after the child is gone. It waits up to
// grace for what the child left in its pipes: a descendant may hold them open
// for ever. On return every request is settled with reason as its cause, and
// nothing of this Conn is left running but a sink that has not returned.
func (c *Conn) Finish(grace time.Duration, reason string) {
	cut := c.o.Time.AfterFunc(grace, c.closeOutputs)
	<-c.reading
	<-c.draining
	cut.Stop()
	<-c.decoding
	c.Hangup()
	<-c.writing
	c.closeOutputs()
	c.inbox.close()
	c.mu.Lock()
	if c.lapse != nil {
		c.lapse.Stop()
	}
	c.mu.Unlock()
	c.settleAll(c.shut(true), &ClosedError{Reason: reason})
}

func (c *Conn) closeOutputs() {
	_ = c.o.Stdout.Close() // only ends the readers; a second close is harmless
	_ = c.o.Stderr.Close()
}

// Quiet returns for how long the child has not been heard, and whether nothing
// is in flight.
func (c *Conn) Quiet(now time.Time) (time.Duration, bool) {
	silent := now.Sub(c.begun) - time.Duration(c.heard.Load())
	c.mu.Lock()
	defer c.mu.Unlock()
	return silent, len(c.calls) == 0
}

func (c *Conn) hear() { c.heard.Store(int64(c.o.Time.Now().Sub(c.begun))) }

// StderrTail returns the last 64 KiB that the child wrote to stderr.
func (c *Conn) StderrTail() string { return c.stderr.text() }
