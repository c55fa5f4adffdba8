package sdk

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// stuckHost takes nothing until it is let go, and then everything.
type stuckHost struct {
	open   chan struct{}
	mu     sync.Mutex
	writes [][]byte
}

func (s *stuckHost) write(b []byte) error {
	<-s.open
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, bytes.Clone(b))
	return nil
}

func (s *stuckHost) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := bytes.Join(s.writes, nil)
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

func newStuckOutbox(t *testing.T) (*outbox, *stuckHost) {
	s := &stuckHost{open: make(chan struct{})}
	o := new(outbox)
	o.init()
	o.write = s.write
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.run()
	}()
	t.Cleanup(func() {
		select {
		case <-s.open:
		default:
			close(s.open)
		}
		o.stop()
		<-done
	})
	return o, s
}

func status(kv ...string) map[string]protocol.StatusValue {
	m := map[string]protocol.StatusValue{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = protocol.StatusValue{Text: kv[i+1]}
	}
	return m
}

func TestAFullOutboxKeepsTheNewestAndCountsWhatItDrops(t *testing.T) {
	o, s := newStuckOutbox(t)
	for i := range protocol.PluginOutboundFrames {
		o.log(fmt.Appendf(nil, "log %d\n", i))
	}
	for i := range 3 {
		o.log([]byte("too many\n"))
		o.replacePublish(fmt.Appendf(nil, "publish %d\n", i))
		o.replacePoll(fmt.Appendf(nil, "poll %d\n", i))
		o.mergeStatus(status("all", fmt.Sprint(i), fmt.Sprint("s", i), "x"))
	}
	assert.False(t, o.request([]byte("call\n")), "a host call found room")
	close(s.open)
	o.flush()
	got := s.lines()
	require.Len(t, got, protocol.PluginOutboundFrames+4)
	assert.Equal(t, "log 63", got[63])
	assert.Equal(t, []string{
		"publish 2", "poll 2",
		`{"method":"status","params":{"segments":{"all":"2","s0":"x","s1":"x","s2":"x"}}}`,
		`{"method":"log","params":{"level":"warn","message":"log records dropped: the host does not read","fields":{"count":3}}}`,
	}, got[64:])
}

func TestTheOutboxIsBoundedByBytesToo(t *testing.T) {
	o, s := newStuckOutbox(t)
	big := bytes.Repeat([]byte("x"), 9<<20)
	o.replacePublish(append(big, "1\n"...))
	o.replacePublish(append(bytes.Clone(big), "2\n"...))
	o.replacePublish(append(bytes.Clone(big), "3\n"...))
	o.log([]byte("small\n"))
	close(s.open)
	o.flush()
	var ends []string
	for _, l := range s.lines() {
		ends = append(ends, l[len(l)-1:])
	}
	assert.Equal(t, []string{"1", "l", "3"}, ends)
}

func TestFramesQueuedTogetherGoOutInOneWrite(t *testing.T) {
	o, s := newStuckOutbox(t)
	o.reply([]byte("first\n"))
	waitUntil(t, o, func() bool { return o.writing })
	for i := range 10 {
		o.reply(fmt.Appendf(nil, "%d\n", i))
	}
	close(s.open)
	o.flush()
	assert.Len(t, s.writes, 2)
	assert.Equal(t, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", string(s.writes[1]))
}

func TestAReplyWithoutRoomClosesTheTransport(t *testing.T) {
	o, _ := newStuckOutbox(t)
	failed := make(chan error, 1)
	o.fail = func(err error) { failed <- err }
	for range protocol.PluginOutboundFrames {
		o.reply([]byte("r\n"))
	}
	o.reply([]byte("one too many\n"))
	assert.Equal(t, errNoRoom, <-failed)
	o.replacePublish([]byte("late\n"))
	o.pong(1)
	assert.False(t, o.request([]byte("late\n")))
}

func TestAReplyWaitsForAHostThatReads(t *testing.T) {
	o, s := newStuckOutbox(t)
	for range protocol.PluginOutboundFrames {
		o.reply([]byte("r\n"))
	}
	done := make(chan struct{})
	go func() {
		o.reply([]byte("patient\n"))
		close(done)
	}()
	close(s.open)
	<-done
	o.flush()
	assert.Equal(t, "patient", s.lines()[protocol.PluginOutboundFrames])
}

func TestAFailedWriteClosesTheTransportOnce(t *testing.T) {
	o := new(outbox)
	o.init()
	broken := errors.New("broken pipe")
	o.write = func([]byte) error { return broken }
	var failed []error
	o.fail = func(err error) { failed = append(failed, err) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.run()
	}()
	o.reply([]byte("r\n"))
	<-done
	o.reply([]byte("r\n"))
	o.stop()
	assert.Equal(t, []error{broken}, failed)
	assert.Nil(t, o.queue)
}

func TestWhatTheReaderCannotWriteAtOnceTheWriterFinishes(t *testing.T) {
	var got bytes.Buffer
	o := new(outbox)
	o.init()
	o.tryWrite = func(b []byte) (int, error) { return got.Write(b[:len(b)/2]) }
	o.write = func(b []byte) error {
		got.Write(b)
		return nil
	}
	for id := range int64(10) {
		o.pong(id + 1)
	}
	o.flushInline()
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.run()
	}()
	o.flush()
	o.stop()
	<-done
	var want []byte
	for id := range int64(10) {
		want = protocol.AppendResponse(want, id+1, okResult)
	}
	assert.Equal(t, string(want), got.String())
}

// waitUntil polls cond under the outbox's lock by way of its own wake-ups.
func waitUntil(t *testing.T, o *outbox, cond func() bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return cond()
	}, 10e9, 1e6)
}

func TestAPingLeavesNoGarbage(t *testing.T) {
	c := newConn(Plugin{}, Options{})
	c.out.tryWrite = func(b []byte) (int, error) { return len(b), nil }
	line := []byte(`{"id":9007199254740991,"method":"ping","params":{}}`)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		c.dispatch(line)
		c.out.flushInline()
	}))
}

func BenchmarkPingInTheSDK(b *testing.B) {
	c := newConn(Plugin{}, Options{})
	c.out.tryWrite = func(p []byte) (int, error) { return len(p), nil }
	line := []byte(`{"id":12345,"method":"ping","params":{}}`)
	b.ReportAllocs()
	for b.Loop() {
		c.dispatch(line)
		c.out.flushInline()
	}
}
