package event_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

// ticker records ticks and says at once that they are handled, unless told not to.
type ticker struct {
	*event.Clock
	time *eventtest.Fake
	slow bool

	mu    sync.Mutex
	ticks []string
}

func newTicker() *ticker {
	f := eventtest.New()
	return &ticker{Clock: event.NewClock(f), time: f}
}

func (k *ticker) register(t *testing.T, owner string, regs ...protocol.Registration) {
	t.Helper()
	require.NoError(t, k.Register(owner, regs, func(name string) {
		k.mu.Lock()
		k.ticks = append(k.ticks, owner+"/"+name)
		k.mu.Unlock()
		if !k.slow {
			k.Done(owner, name)
		}
	}))
}

// after moves time and returns what ticked meanwhile.
func (k *ticker) after(d time.Duration) string {
	k.time.Advance(d)
	k.mu.Lock()
	defer k.mu.Unlock()
	got := strings.Join(k.ticks, " ")
	k.ticks = nil
	return got
}

func every(name string, seconds float64) protocol.Registration {
	return protocol.Registration{Name: name, Every: seconds}
}

func TestATimerTicksAtItsIntervalAndAOneShotOnce(t *testing.T) {
	k := newTicker()
	k.register(t, "p", every("e", 2), protocol.Registration{Name: "a", After: 3})
	require.Empty(t, k.after(1999*time.Millisecond))
	require.Equal(t, "p/e", k.after(time.Millisecond))
	require.Equal(t, "p/a", k.after(time.Second))
	require.Equal(t, "p/e p/e p/e", k.after(5*time.Second))
}

func TestWithNothingRegisteredNothingIsArmed(t *testing.T) {
	k := newTicker()
	require.False(t, k.Armed())
	k.register(t, "p", every("e", 1))
	k.register(t, "q", protocol.Registration{Name: "a", After: 1})
	require.Equal(t, 1, k.time.Armed(), "one timer for all")
	k.after(time.Second)
	k.Unregister("p")
	require.False(t, k.Armed())
	require.Zero(t, k.time.Armed())
	require.Empty(t, k.after(time.Minute))
}

func TestASetReplacesTheOneBeforeAndKeepsItsRhythm(t *testing.T) {
	k := newTicker()
	k.register(t, "p", every("keep", 10), every("drop", 10), every("change", 10), protocol.Registration{Name: "once", After: 10})
	k.after(6 * time.Second)
	k.register(t, "p", every("keep", 10), every("change", 5), protocol.Registration{Name: "once", After: 10})
	require.Equal(t, "p/keep", k.after(4*time.Second))
	require.Equal(t, "p/change", k.after(time.Second))
	k.register(t, "p")
	require.Empty(t, k.after(time.Minute))
}

func TestATickIsSkippedWhileTheLastOneIsUnhandled(t *testing.T) {
	k := newTicker()
	k.slow = true
	k.register(t, "p", every("e", 1))
	require.Equal(t, "p/e", k.after(5*time.Second))
	k.register(t, "p", every("e", 1))
	require.Empty(t, k.after(time.Second), "restating a timer does not handle its tick")
	k.Done("p", "e")
	require.Equal(t, "p/e", k.after(time.Second))
}

func TestATimerThatFellBehindTicksOnceAndGoesOn(t *testing.T) {
	k := newTicker()
	k.register(t, "p", every("e", 1))
	k.Hold()
	require.False(t, k.Armed())
	require.Empty(t, k.after(10*time.Hour))
	k.Release()
	require.Equal(t, "p/e", k.after(0))
	require.Empty(t, k.after(999*time.Millisecond))
	require.Equal(t, "p/e", k.after(time.Millisecond))
}

func TestAHoldLastsWhileAnyReasonStands(t *testing.T) {
	k := newTicker()
	k.register(t, "p", every("e", 1))
	k.HoldFor("locked")
	k.HoldFor("asleep")
	k.HoldFor("asleep")
	k.ReleaseFor("asleep")
	k.ReleaseFor("unknown")
	require.Empty(t, k.after(time.Minute))
	k.register(t, "q", every("e", 60))
	require.False(t, k.Armed())
	k.ReleaseFor("locked")
	require.Equal(t, "p/e", k.after(0))
}

func TestALowPriorityTickWaitsForANeighbourWithinItsSlack(t *testing.T) {
	k := newTicker()
	k.register(t, "low", protocol.Registration{Name: "e", Every: 8, Priority: "low"})
	require.Empty(t, k.after(9900*time.Millisecond))
	require.Equal(t, "low/e", k.after(100*time.Millisecond), "alone it ticks when its slack is over")
	k.register(t, "normal", every("e", 7))
	require.Equal(t, "low/e normal/e", inOrder(k.after(7*time.Second)), "at 17 s, due at 16 s")
}

func inOrder(ticks string) string {
	if a, b, ok := strings.Cut(ticks, " "); ok && a > b {
		return b + " " + a
	}
	return ticks
}

func TestASetThatBreaksTheBoundsIsRefusedWhole(t *testing.T) {
	many := make([]protocol.Registration, protocol.MaxRegistrations+1)
	for i := range many {
		many[i] = every(fmt.Sprint("t", i), 1)
	}
	for name, set := range map[string][]protocol.Registration{
		"too many":       many,
		"too often":      {every("e", 0.049)},
		"too rarely":     {every("e", 86400.1)},
		"never":          {{Name: "e"}},
		"both":           {{Name: "e", Every: 1, After: 1}},
		"negative":       {{Name: "e", After: -1}},
		"bad name":       {every("E!", 1)},
		"no name":        {every("", 1)},
		"long name":      {every(strings.Repeat("e", 65), 1)},
		"twice":          {every("e", 1), every("e", 2)},
		"which priority": {{Name: "e", Every: 1, Priority: "urgent"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTicker()
			k.register(t, "p", every("old", 1))
			require.Error(t, k.Register("p", append(set, every("new", 1)), func(string) {}))
			require.Equal(t, "p/old", k.after(time.Second))
		})
	}
}

func TestTheBoundsThemselvesAreAllowed(t *testing.T) {
	k := newTicker()
	k.register(t, "p", every("fast", 0.05), every("slow", 86400), protocol.Registration{Name: "soon", After: 0.001})
	require.Equal(t, "p/soon", k.after(time.Millisecond))
	require.Equal(t, "p/fast", k.after(49*time.Millisecond))
}

func TestATickMayChangeItsOwnSet(t *testing.T) {
	f := eventtest.New()
	clock := event.NewClock(f)
	n := 0
	var again func(string)
	again = func(string) {
		if n++; n < 3 {
			require.NoError(t, clock.Register("p", []protocol.Registration{{Name: "a", After: 1}}, again))
		}
	}
	again("")
	f.Advance(10 * time.Second)
	require.Equal(t, 3, n)
	require.False(t, clock.Armed())
}

func TestTheSystemTimeTicksOnItsOwn(t *testing.T) {
	clock := event.NewClock(event.System())
	ticked := make(chan string, 16)
	require.NoError(t, clock.Register("p", []protocol.Registration{every("e", 0.05)}, func(name string) {
		ticked <- name
		clock.Done("p", name)
	}))
	defer clock.Unregister("p")
	require.Equal(t, "e", <-ticked)
	require.Equal(t, "e", <-ticked)
}
