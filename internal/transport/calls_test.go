package transport_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

func TestARepliesSettlesTheRequestWithItsID(t *testing.T) {
	c := begin(t)
	one, two := c.ask("one", time.Second), c.ask("two", time.Second)
	first, second := c.hear(), c.hear()
	require.Equal(t, "one", first.Method)
	require.Equal(t, "two", second.Method)
	require.Greater(t, second.ID, first.ID)
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true,"n":2}}`+"\n", second.ID))
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true,"n":1}}`+"\n", first.ID))
	require.Equal(t, settlement{`{"ok":true,"n":2}`, nil}, receive(t, two))
	require.Equal(t, settlement{`{"ok":true,"n":1}`, nil}, receive(t, one))
}

func TestARequestStatesTheTimeThatIsLeftWhenItIsWritten(t *testing.T) {
	c := begin(t)
	c.clog()
	c.ask("late", 10*time.Second)
	c.time.Advance(4 * time.Second)
	require.Equal(t, "clog", c.hear().Method)
	require.Equal(t, int64(6000), c.hear().DeadlineMS)
}

func TestARequestThatNeverLeftSaysSo(t *testing.T) {
	c := begin(t)
	c.clog()
	settled := c.ask("stuck", time.Second)
	c.time.Advance(time.Second)
	got := receive(t, settled)
	var unanswered *transport.Error
	require.ErrorAs(t, got.err, &unanswered)
	require.False(t, unanswered.Sent)
	require.ErrorIs(t, got.err, transport.ErrDeadline)
	require.Equal(t, "clog", c.hear().Method)
	next := c.ask("next", time.Second)
	require.Equal(t, "next", c.hear().Method, "what ran out of time in the lane is never written")
	nothing(t, next)
}

func TestARequestThatLeftAndGotNoReplySaysSo(t *testing.T) {
	c := begin(t)
	settled := c.ask("slow", time.Second)
	id := c.hear().ID
	c.time.Advance(time.Second)
	var unanswered *transport.Error
	require.ErrorAs(t, receive(t, settled).err, &unanswered)
	require.True(t, unanswered.Sent)

	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true}}`+"\n", id))
	c.say(`{"id":999,"result":{"ok":true}}` + "\n")
	c.sync()
	require.Equal(t, 1, c.log.count("late reply dropped"))
	require.Equal(t, 1, c.log.count("reply to an unknown id dropped"))
	nothing(t, c.down)
}

func TestTheSixtyFifthRequestIsRefusedAtOnce(t *testing.T) {
	c := begin(t)
	for range protocol.HostRequests {
		c.ask("one of many", time.Minute)
	}
	got := receive(t, c.ask("one too many", time.Minute))
	require.ErrorIs(t, got.err, transport.ErrCapacity)
	nothing(t, c.down)
	id := c.hear().ID
	c.say(fmt.Sprintf(`{"id":%d,"result":{"ok":true}}`+"\n", id))
	c.sync()
	again := c.ask("room again", time.Minute)
	for range protocol.HostRequests - 1 {
		c.hear()
	}
	require.Equal(t, "room again", c.hear().Method)
	nothing(t, again)
}

func TestACallEndsWithItsContext(t *testing.T) {
	c := begin(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- c.conn.Call(ctx, transport.Request{Method: "x", Timeout: time.Minute}, func([]byte) error { return nil })
	}()
	c.hear()
	cancel()
	require.ErrorIs(t, receive(t, done), context.Canceled)
}

func TestTheEndOfTheChildSettlesWhatIsInFlight(t *testing.T) {
	c := begin(t)
	sent := c.ask("sent", time.Minute)
	c.hear()
	c.clog()
	queued := c.ask("queued", time.Minute)
	go c.end()
	var unanswered *transport.Error
	require.ErrorAs(t, receive(t, queued).err, &unanswered)
	require.False(t, unanswered.Sent)
	require.ErrorAs(t, receive(t, sent).err, &unanswered)
	require.True(t, unanswered.Sent)
	require.EqualError(t, unanswered.Cause, "test over")
}

func TestARequestToAChildThatClosedItsInputNeverLeft(t *testing.T) {
	c := begin(t)
	require.NoError(t, c.inEnd.Close())
	var unanswered *transport.Error
	require.ErrorAs(t, receive(t, c.ask("x", time.Minute)).err, &unanswered)
	require.False(t, unanswered.Sent)
	c.time.AwaitTimer(protocol.ShutdownGrace)
	nothing(t, c.down)
	c.time.Advance(protocol.ShutdownGrace)
	require.Equal(t, "closed its standard input", receive(t, c.down))
}

func TestEventsAreDroppedUntilTheFirstOnesAreOut(t *testing.T) {
	c := begin(t)
	c.conn.Emit(event.New("core:power.changed", nil))
	c.conn.Open(func() []*event.Event {
		c.conn.Emit(event.New("core:session.opened", nil))
		c.conn.Emit(event.New("core:network.changed", []byte(`{"n":1}`)))
		c.conn.Emit(event.New("core:network.changed", []byte(`{"n":2}`)))
		return []*event.Event{event.New("core:apps.changed", nil), event.StatusObserved(nil)}
	})
	c.conn.Emit(event.New("core:space.changed", nil))
	require.Equal(t, "core:apps.changed {}", c.hearEvent())
	require.Equal(t, `core:status.observed {"segments":[]}`, c.hearEvent())
	require.Equal(t, "core:session.opened {}", c.hearEvent())
	require.Equal(t, `core:network.changed {"n":2}`, c.hearEvent())
	require.Equal(t, "core:space.changed {}", c.hearEvent())
}
