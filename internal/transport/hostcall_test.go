package transport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func callFrame(id int, method string) string {
	return fmt.Sprintf(`{"id":%d,"method":%q,"params":{"k":%d}}`+"\n", id, method, id)
}

func TestTwoHostCallsWithOneIDAreEachAnswered(t *testing.T) {
	c := begin(t)
	c.say(callFrame(1, "host.ping") + callFrame(1, "host.ping"))
	require.Equal(t, int64(1), c.hear().ID)
	require.Equal(t, int64(1), c.hear().ID)
}

func TestAHostCallIsARequestWhateverIDsAreOutstanding(t *testing.T) {
	c := begin(t)
	settled := c.ask("x", protocol.DeadlinePing)
	id := c.hear().ID
	c.say(callFrame(int(id), "host.ping"))
	reply := c.hear()
	require.True(t, reply.IsResponse())
	require.Equal(t, id, reply.ID)
	nothing(t, settled)
}

func TestHostCallsRunBesideEachOtherUpToTheCap(t *testing.T) {
	c := play(t)
	entered := make(chan struct{}, protocol.HostCalls)
	goOn := make(chan struct{})
	c.hostCall = func(_ context.Context, method string, params []byte) []byte {
		entered <- struct{}{}
		<-goOn
		return params
	}
	c.conn.Begin()
	for i := range protocol.HostCalls {
		c.say(callFrame(i+1, "host.fetch"))
	}
	for range protocol.HostCalls {
		receive(t, entered)
	}
	c.say(callFrame(1000, "host.fetch"))
	refused := c.hear()
	require.Equal(t, int64(1000), refused.ID)
	require.Contains(t, string(refused.Result), protocol.ErrTextHostCallCapacity)
	close(goOn)
	seen := map[int64]bool{}
	for range protocol.HostCalls {
		r := c.hear()
		require.Equal(t, fmt.Sprintf(`{"k":%d}`, r.ID), string(r.Result))
		seen[r.ID] = true
	}
	require.Len(t, seen, protocol.HostCalls)
	c.say(callFrame(2000, "host.fetch"))
	require.Equal(t, int64(2000), c.hear().ID)
}

func TestAHostReplyMeansThatThereIsRoomAgain(t *testing.T) {
	c := play(t)
	entered := make(chan struct{}, protocol.HostCalls)
	goOn := make(chan struct{})
	c.hostCall = func(_ context.Context, method string, params []byte) []byte {
		if method == "host.fetch" {
			entered <- struct{}{}
			<-goOn
		}
		return params
	}
	c.conn.Begin()
	for i := range protocol.HostCalls - 1 {
		c.say(callFrame(i+1, "host.fetch"))
	}
	for range protocol.HostCalls - 1 {
		receive(t, entered)
	}
	for id := 1000; id < 3000; id++ {
		c.say(callFrame(id, "host.ping"))
		require.Equal(t, fmt.Sprintf(`{"k":%d}`, id), string(c.hear().Result))
	}
	close(goOn)
	for range protocol.HostCalls - 1 {
		c.hear()
	}
}

func TestAHostCallThatTakesTooLongIsAnsweredOnce(t *testing.T) {
	c := play(t)
	goOn := make(chan struct{})
	cancelled := make(chan struct{})
	c.hostCall = func(ctx context.Context, _ string, _ []byte) []byte {
		<-ctx.Done()
		close(cancelled)
		<-goOn
		return []byte(`{"ok":true}`)
	}
	c.conn.Begin()
	c.say(callFrame(5, "host.open"))
	c.time.AwaitTimer(protocol.HostCallTimeout)
	c.time.Advance(protocol.HostCallTimeout)
	require.Contains(t, string(c.hear().Result), protocol.ErrTextHostCallTimeout)
	receive(t, cancelled)
	close(goOn)
	settled := c.ask("next", protocol.DeadlinePing)
	require.Equal(t, "next", c.hear().Method, "the late result is not written")
	nothing(t, settled)
}

func TestAHostReplyOverTheFrameLimitIsReplacedUnderItsID(t *testing.T) {
	c := play(t)
	c.hostCall = func(context.Context, string, []byte) []byte {
		return []byte(`{"ok":true,"x":"` + strings.Repeat("y", protocol.MaxFrame) + `"}`)
	}
	c.conn.Begin()
	c.say(callFrame(3, "host.fetch"))
	reply := c.hear()
	require.Equal(t, int64(3), reply.ID)
	require.Contains(t, string(reply.Result), protocol.ErrTextResponseTooLarge)
}

func TestALateHostReplyNeverReachesTheSuccessor(t *testing.T) {
	old := play(t)
	entered, goOn := make(chan struct{}), make(chan struct{})
	old.hostCall = func(context.Context, string, []byte) []byte {
		close(entered)
		<-goOn
		return []byte(`{"ok":true,"old":true}`)
	}
	old.conn.Begin()
	old.say(callFrame(1, "host.fetch"))
	receive(t, entered)
	old.end()

	next := begin(t)
	next.say(callFrame(1, "host.ping"))
	close(goOn)
	require.Equal(t, `{"ok":true}`, string(next.hear().Result))
	settled := next.ask("x", protocol.DeadlinePing)
	require.Equal(t, "x", next.hear().Method)
	nothing(t, settled)
}
