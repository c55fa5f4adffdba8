package ax

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABurstIsOneNotificationPerAppAndKind(t *testing.T) {
	q := newQueue()
	for range 10_000 {
		q.put(note{1, ValueChanged}, "a")
		q.put(note{2, ValueChanged}, "b")
		q.put(note{1, TitleChanged}, "a")
	}
	for _, want := range []note{{1, ValueChanged}, {2, ValueChanged}, {1, TitleChanged}} {
		n, _, ok := q.next()
		require.True(t, ok)
		require.Equal(t, want, n)
	}
	require.Empty(t, q.order)
	q.put(note{1, ValueChanged}, "c")
	n, bundle, ok := q.next()
	require.True(t, ok)
	require.Equal(t, note{1, ValueChanged}, n, "taken once, it may come again")
	require.Equal(t, "c", bundle)
}

func TestTheQueueIsBounded(t *testing.T) {
	q := newQueue()
	for pid := range 3 * maxPending {
		q.put(note{pid, ValueChanged}, "")
	}
	require.Len(t, q.order, maxPending)
	require.EqualValues(t, 2*maxPending, q.dropped)
}

func TestWhatIsNoLongerWantedIsForgotten(t *testing.T) {
	q := newQueue()
	q.put(note{1, ValueChanged}, "")
	q.put(note{2, ValueChanged}, "")
	q.drop(func(n note) bool { return n.pid == 2 })
	n, _, ok := q.next()
	require.True(t, ok)
	require.Equal(t, 2, n.pid)
	require.Empty(t, q.waiting)
}

func TestClosingWakesTheOneThatWaits(t *testing.T) {
	q := newQueue()
	ended := make(chan bool)
	go func() {
		_, _, ok := q.next()
		ended <- ok
	}()
	q.close()
	require.False(t, <-ended)
	q.put(note{1, ValueChanged}, "")
	require.Empty(t, q.order)
}

func TestTriesGetRarerAndEndUntilSomebodyAsks(t *testing.T) {
	now := time.Unix(1000, 0)
	var b backoff
	require.True(t, b.due(now))
	for _, want := range ladder {
		wait, again := b.failed(now)
		require.True(t, again)
		require.Equal(t, want, wait)
		require.False(t, b.due(now))
		now = now.Add(wait)
		require.True(t, b.due(now))
	}
	_, again := b.failed(now)
	require.False(t, again)
	require.False(t, b.due(now.Add(24*time.Hour)), "an idle host does not poll")
	b.touched(now.Add(time.Second))
	require.False(t, b.due(now.Add(time.Second)), "nor does a busy one try all the time")
	now = now.Add(askAgain)
	b.touched(now)
	require.True(t, b.due(now))
	_, again = b.failed(now)
	require.False(t, again, "one try for each asking")
	now = now.Add(2*calm + askAgain)
	wait, again := b.failed(now)
	require.True(t, again)
	require.Equal(t, ladder[0], wait, "after a calm time it begins anew")
}
