package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// child is the far end of a Conn, played by the test.
type child struct {
	t    *testing.T
	conn *transport.Conn
	time *eventtest.Fake
	log  *logBuffer

	stdin  *bufio.Reader // what the host writes
	inEnd  *os.File
	stdout *os.File // what the child says
	stderr *os.File

	published chan []protocol.Row
	status    chan map[string]protocol.StatusValue
	logs      chan protocol.LogRecord
	down      chan string
	hostCall  func(ctx context.Context, method string, params []byte) []byte
	onPublish func()
}

func play(t *testing.T) *child {
	t.Helper()
	leaktest.Check(t)
	inR, inW, err := os.Pipe()
	require.NoError(t, err)
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	errR, errW, err := os.Pipe()
	require.NoError(t, err)
	c := &child{
		t: t, time: eventtest.New(), log: &logBuffer{},
		stdin: bufio.NewReaderSize(inR, 1<<20), inEnd: inR, stdout: outW, stderr: errW,
		published: make(chan []protocol.Row, 1024), status: make(chan map[string]protocol.StatusValue, 1024),
		logs: make(chan protocol.LogRecord, 4096), down: make(chan string, 16),
	}
	c.conn = transport.New(transport.Options{
		Plugin: "test", Stdin: inW, Stdout: outR, Stderr: errR,
		Time:     c.time,
		Logger:   slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Declared: func(s string) bool { return s == "s" },
		Sinks: transport.Sinks{
			Publish: func(rows []protocol.Row) {
				if c.onPublish != nil {
					c.onPublish()
				}
				c.published <- rows
			},
			Status: func(v map[string]protocol.StatusValue) { c.status <- v },
			Poll:   func([]protocol.Registration) {},
			Log:    func(r protocol.LogRecord) { c.logs <- r },
			HostCall: func(ctx context.Context, method string, params []byte) []byte {
				if c.hostCall == nil {
					return []byte(`{"ok":true}`)
				}
				return c.hostCall(ctx, method, params)
			},
			Down: func(reason string) { c.down <- reason },
		},
	})
	t.Cleanup(c.end)
	return c
}

// begin starts the conversation; a test that sets hooks does so before.
func begin(t *testing.T) *child {
	c := play(t)
	c.conn.Begin()
	return c
}

// end is what a supervisor does once the process is gone.
func (c *child) end() {
	_ = c.stdout.Close()
	_ = c.stderr.Close()
	_ = c.inEnd.Close()
	c.conn.Finish(time.Second, "test over")
}

func (c *child) say(text string) {
	c.t.Helper()
	_, err := io.WriteString(c.stdout, text)
	require.NoError(c.t, err)
}

// hear returns the next frame that the host wrote.
func (c *child) hear() protocol.Envelope {
	c.t.Helper()
	line, err := c.stdin.ReadBytes('\n')
	require.NoError(c.t, err)
	e, err := protocol.DecodeEnvelope(bytes.TrimSuffix(line, []byte{'\n'}))
	require.NoError(c.t, err)
	return e
}

// hearEvent returns the name and payload of the next frame, an event.
func (c *child) hearEvent() string {
	c.t.Helper()
	name, payload, err := protocol.DecodeEvent(c.hear().Params)
	require.NoError(c.t, err)
	return name + " " + string(payload)
}

// sync returns once all that was said is decoded and delivered.
func (c *child) sync() {
	c.t.Helper()
	c.say(`{"method":"log","params":{"level":"info","message":"sync"}}` + "\n")
	for {
		if rec := receive(c.t, c.logs); rec.Message == "sync" {
			return
		}
	}
}

// ask makes a request and returns a channel with its settlement.
func (c *child) ask(method string, timeout time.Duration) <-chan settlement {
	ch := make(chan settlement, 1)
	c.conn.Go(transport.Request{Method: method, Timeout: timeout}, func(result []byte, err error) {
		ch <- settlement{string(result), err}
	})
	return ch
}

type settlement struct {
	result string
	err    error
}

// clog fills the pipe to the child until the writer is stuck in a write.
func (c *child) clog() {
	c.t.Helper()
	block := strings.Repeat("x", 1<<20)
	c.conn.Go(transport.Request{Method: "clog", Params: []byte(`{"x":"` + block + `"}`), Timeout: time.Hour},
		func([]byte, error) {})
	// One byte of it having arrived, the write has begun and cannot end.
	_, err := c.stdin.Peek(1)
	require.NoError(c.t, err)
}

// patience bounds what a broken build may make a test wait for.
const patience = 20 * time.Second

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

func nothing[T any](t *testing.T, ch <-chan T) {
	t.Helper()
	select {
	case v := <-ch:
		require.Failf(t, "something came", "%v", v)
	default:
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			require.FailNow(t, "never: "+what)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) count(s string) int { return strings.Count(l.String(), s) }
