package transport_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

func openGate(c *child) { c.conn.Open(func() []*event.Event { return nil }) }

func numbered(name string, n int) *event.Event {
	return event.New(name, fmt.Appendf(nil, `{"n":%d}`, n))
}

func TestAnUnsentReplacementEventGivesWayToTheNextAtTheTail(t *testing.T) {
	c := begin(t)
	openGate(c)
	c.clog()
	c.conn.Emit(numbered(protocol.EventPowerChanged, 1))
	c.conn.Emit(numbered(protocol.EventSessionOpened, 1))
	c.conn.Emit(numbered(protocol.EventPowerChanged, 2))
	c.conn.Emit(numbered(protocol.EventSessionOpened, 2))
	for i := range 10 * protocol.HostOutboundFrames {
		c.conn.Emit(event.AXChanged(7, "AXTitleChanged", fmt.Sprint(i)))
	}
	require.Equal(t, "clog", c.hear().Method)
	require.Equal(t, `core:session.opened {"n":1}`, c.hearEvent())
	require.Equal(t, `core:power.changed {"n":2}`, c.hearEvent())
	require.Equal(t, `core:session.opened {"n":2}`, c.hearEvent())
	require.Contains(t, c.hearEvent(), `"bundle_id":"2559"`)
	nothing(t, c.down)
}

func TestAStalledChildLosesItsGenerationOnceAndNobodyWaits(t *testing.T) {
	c := begin(t)
	openGate(c)
	c.clog()
	for i := range 3 * protocol.HostOutboundFrames {
		c.conn.Emit(numbered(protocol.EventSessionOpened, i))
	}
	require.Contains(t, receive(t, c.down), "stopped reading")
	nothing(t, c.down)
}

func TestTheBytesOfALaneAreBoundedToo(t *testing.T) {
	c := begin(t)
	openGate(c)
	c.clog()
	big := event.New(protocol.EventSessionOpened, []byte(`{"x":"`+strings.Repeat("y", 6<<20)+`"}`))
	for range 3 {
		c.conn.Emit(big)
	}
	nothing(t, c.down)
	c.conn.Emit(big)
	require.Contains(t, receive(t, c.down), "20 MiB")
}

func TestAnEventOverTheFrameLimitIsDroppedWhole(t *testing.T) {
	c := begin(t)
	openGate(c)
	c.conn.Emit(event.New(protocol.EventSessionOpened, []byte(`{"x":"`+strings.Repeat("y", protocol.MaxFrame)+`"}`)))
	c.conn.Emit(numbered(protocol.EventSessionOpened, 1))
	require.Equal(t, `core:session.opened {"n":1}`, c.hearEvent())
}

func TestATickIsHandedOverOnceTheChildHasItOrNeverWill(t *testing.T) {
	c := begin(t)
	handed := make(chan string, 4)
	tick := func(name string) *event.Event { return event.Tick(name, func() { handed <- name }) }
	c.conn.Emit(tick("too-early"))
	require.Equal(t, "too-early", receive(t, handed))
	openGate(c)
	c.clog()
	c.conn.Emit(tick("read"))
	nothing(t, handed)
	require.Equal(t, "clog", c.hear().Method)
	require.Equal(t, "core:poll:read {}", c.hearEvent())
	require.Equal(t, "read", receive(t, handed))
	c.clog()
	c.conn.Emit(tick("unread"))
	c.conn.Hangup()
	require.Equal(t, "unread", receive(t, handed))
}

func TestAFrameLargerThanABatchArrivesWhole(t *testing.T) {
	c := begin(t)
	openGate(c)
	text := strings.Repeat("z", 3<<20)
	go func() {
		c.conn.Emit(numbered(protocol.EventSessionOpened, 1))
		c.conn.Emit(event.Clipboard(text))
		c.conn.Go(transport.Request{Method: "after", Params: []byte(`{"t":"` + text + `"}`), Timeout: time.Minute},
			func([]byte, error) {})
	}()
	require.Equal(t, `core:session.opened {"n":1}`, c.hearEvent())
	require.Equal(t, `core:clipboard.changed {"text":"`+text+`"}`, c.hearEvent())
	require.Len(t, c.hear().Params, len(text)+len(`{"t":""}`))
}

func TestNothingLeavesAfterTheHangUp(t *testing.T) {
	c := begin(t)
	openGate(c)
	c.conn.Hangup()
	c.conn.Emit(numbered(protocol.EventSessionOpened, 1))
	require.Error(t, receive(t, c.ask("x", time.Minute)).err)
	_, err := c.stdin.ReadByte()
	require.Error(t, err, "the child sees the end of its input")
	c.say(`{"method":"publish","params":{"rows":[]}}` + "\n")
	c.sync()
	nothing(t, c.published)
}
