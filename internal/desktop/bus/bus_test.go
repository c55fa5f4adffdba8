package bus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const (
	patience = 30 * time.Second
	name     = "org.example.Service"
	path     = "/org/example/Service"
)

// heard is what a watch was told, in order.
type heard chan string

func (h heard) watch(rules ...bus.Rule) *bus.Watch {
	return &bus.Watch{
		Name: name, Rules: rules,
		Owner:  func(present bool) { h <- fmt.Sprint("owner ", present) },
		Signal: func(s *dbus.Signal) { h <- s.Name + " " + fmt.Sprint(s.Body...) },
	}
}

func (h heard) next(t *testing.T) string {
	t.Helper()
	select {
	case s := <-h:
		return s
	case <-time.After(patience):
		require.Fail(t, "nothing was heard")
		return ""
	}
}

func service(t *testing.T, s *desktoptest.Session) *dbus.Conn {
	t.Helper()
	c, err := dbus.Connect(s.BusAddress())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	reply, err := c.RequestName(name, dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
	return c
}

func TestAServiceIsFollowedThroughItsComingAndGoing(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	b := bus.New(s.BusAddress(), event.System())
	defer func() { _ = b.Close() }()
	h := make(heard, 64)
	stop := b.Follow(h.watch(bus.Rule{Interface: name, Member: "Told"}, bus.Rule{Path: path, Interface: name, Arg0: "yes"}))
	require.Equal(t, "owner false", h.next(t))
	c := service(t, s)
	require.Equal(t, "owner true", h.next(t))
	require.NoError(t, c.Emit(path, name+".Told", "a"))
	require.NoError(t, c.Emit(path, name+".Other", "no"))
	require.NoError(t, c.Emit(path, name+".Other", "yes"))
	require.NoError(t, c.Emit(path+"/x", name+".Other", "yes"))
	require.Equal(t, name+".Told a", h.next(t))
	require.Equal(t, name+".Other yes", h.next(t))
	_, err := c.ReleaseName(name)
	require.NoError(t, err)
	require.Equal(t, "owner false", h.next(t))
	require.NoError(t, c.Emit(path, name+".Told", "unheard"))
	c2 := service(t, s)
	require.Equal(t, "owner true", h.next(t))

	// A second watch of the same does not double the first, nor does its end
	// take it away.
	h2 := make(heard, 64)
	stop2 := b.Follow(h2.watch(bus.Rule{Interface: name, Member: "Told"}))
	require.Equal(t, "owner true", h2.next(t))
	require.NoError(t, c2.Emit(path, name+".Told", "b"))
	require.Equal(t, name+".Told b", h2.next(t))
	stop2()
	require.NoError(t, c2.Emit(path, name+".Told", "c"))
	require.Equal(t, name+".Told b", h.next(t))
	require.Equal(t, name+".Told c", h.next(t))
	stop()
	require.Eventually(t, func() bool {
		var all map[string][]string
		return c2.BusObject().Call("org.freedesktop.DBus.Debug.Stats.GetAllMatchRules", 0).Store(&all) == nil && !strings.Contains(fmt.Sprint(all), name)
	}, patience, time.Millisecond, "nothing is subscribed any more")
	assert.Empty(t, h2)
	h3 := make(heard, 64)
	b.Follow(h3.watch())
	require.Equal(t, "owner true", h3.next(t), "following begins again after it ended")
}

func TestALostBusIsFoundAgainOnALadderThatEnds(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	clock := eventtest.New()
	b := bus.New(s.BusAddress(), clock)
	defer func() { _ = b.Close() }()
	h := make(heard, 64)
	service(t, s)
	b.Follow(h.watch())
	require.Equal(t, "owner true", h.next(t))
	s.StopBus()
	require.Equal(t, "owner false", h.next(t))
	for _, d := range []time.Duration{1, 2, 5, 15} {
		clock.AwaitTimer(d * time.Second)
		clock.Advance(d * time.Second)
	}
	clock.AwaitTimer(time.Minute)
	s.StartBus()
	service(t, s)
	clock.Advance(time.Minute)
	require.Equal(t, "owner true", h.next(t))

	s.StopBus()
	require.Equal(t, "owner false", h.next(t))
	for _, d := range []time.Duration{1, 2, 5, 15, 60} {
		clock.AwaitTimer(d * time.Second)
		clock.Advance(d * time.Second)
	}
	require.Eventually(t, func() bool { return clock.Armed() == 0 }, patience, time.Millisecond, "it is given up")
	s.StartBus()
	service(t, s)
	require.NoError(t, b.Call(t.Context(), "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetId", 0, nil))
	require.Equal(t, "owner true", h.next(t), "what connects again brings what is followed back")
}

func TestSignalsThatFindNoRoomAreMadeUpForByALook(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	b := bus.New(s.BusAddress(), event.System())
	defer func() { _ = b.Close() }()
	c := service(t, s)
	held, owners := make(chan struct{}), make(chan bool, 16)
	var once sync.Once
	b.Follow(&bus.Watch{
		Name: name, Rules: []bus.Rule{{Interface: name}},
		Owner:  func(present bool) { owners <- present },
		Signal: func(*dbus.Signal) { once.Do(func() { <-held }) },
	})
	require.True(t, <-owners)
	for i := range 1000 {
		require.NoError(t, c.Emit(path, name+".Told", i))
	}
	// A reply behind the signals: they have all been read by then.
	require.NoError(t, b.Call(t.Context(), "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetId", 0, nil))
	close(held)
	select {
	case <-owners:
	case <-time.After(patience):
		t.Fatal("the state was not read again")
	}
}

func TestABusThatIsNotThereSaysSo(t *testing.T) {
	leaktest.Check(t)
	none := bus.New("", event.System())
	none.Follow(&bus.Watch{Name: name})()
	require.ErrorIs(t, none.Call(t.Context(), name, path, name+".Do", 0, nil), bus.ErrNone)
	require.NoError(t, none.Close())

	gone := bus.New("unix:path=/nowhere/bus", eventtest.New())
	gone.Follow(&bus.Watch{Name: name})
	require.Error(t, gone.Call(t.Context(), name, path, name+".Do", 0, nil))
	require.False(t, gone.Offers(t.Context(), name))
	require.NoError(t, gone.Close())
	require.ErrorContains(t, gone.Call(t.Context(), name, path, name+".Do", 0, nil), "let go")

	s := desktoptest.New(t)
	b := bus.New(s.BusAddress(), event.System())
	defer func() { _ = b.Close() }()
	require.True(t, bus.IsAbsent(b.Call(t.Context(), name, path, name+".Do", 0, nil)))
	require.True(t, b.Offers(t.Context(), "org.a11y.Bus"), "the daemon would start it")
}

func TestTheSystemBusIsWhereTheEnvironmentSays(t *testing.T) {
	require.Equal(t, "unix:path=/x", bus.SystemAddress([]string{"DBUS_SYSTEM_BUS_ADDRESS=unix:path=/y", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/x"}))
	if _, err := os.Stat(filepath.Clean("/run/dbus/system_bus_socket")); err == nil {
		require.Equal(t, "unix:path=/run/dbus/system_bus_socket", bus.SystemAddress(nil))
	}
}
