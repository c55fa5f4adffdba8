package sdk_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk"
)

// fakeClock runs what is due on the goroutine that advances it.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
}

type fakeTimer struct {
	c    *fakeClock
	due  time.Time
	f    func()
	done bool
}

func newClock() *fakeClock { return &fakeClock{now: time.Unix(1000, 0)} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) sdk.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c, c.now.Add(d), f, false}
	c.timers = append(c.timers, t)
	return t
}

func (t *fakeTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	was := !t.done
	t.done = true
	return was
}

func (c *fakeClock) armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool { return t.done })
	return len(c.timers)
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		var next *fakeTimer
		for _, t := range c.timers {
			if !t.done && !t.due.After(end) && (next == nil || t.due.Before(next.due)) {
				next = t
			}
		}
		if next == nil {
			break
		}
		next.done = true
		c.now = next.due
		c.mu.Unlock()
		next.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

func TestABurstSettlesOnceItIsQuiet(t *testing.T) {
	c := newClock()
	var at []time.Duration
	begin := c.Now()
	s := sdk.NewSettle(c, 300*time.Millisecond, 10*time.Second, func(context.Context) { at = append(at, c.Now().Sub(begin)) })
	for range 5 {
		s.Trigger()
		c.advance(100 * time.Millisecond)
	}
	assert.Empty(t, at)
	c.advance(time.Minute)
	assert.Equal(t, []time.Duration{700 * time.Millisecond}, at, "last trigger at 400 ms")
	assert.Zero(t, c.armed(), "a timer is left between bursts")
	s.Trigger()
	c.advance(300 * time.Millisecond)
	assert.Len(t, at, 2)
}

func TestABurstThatDoesNotEndRunsAtItsCeiling(t *testing.T) {
	c := newClock()
	begin := c.Now()
	var at []time.Duration
	s := sdk.NewSettle(c, 300*time.Millisecond, 10*time.Second, func(context.Context) { at = append(at, c.Now().Sub(begin)) })
	for range 250 {
		s.Trigger()
		c.advance(100 * time.Millisecond)
	}
	assert.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second}, at)
	s.Stop()
}

func TestASettleNeverOverlapsItselfAndServesWhatCameMeanwhile(t *testing.T) {
	var mu sync.Mutex
	running, runs := 0, 0
	g := newGate()
	s := sdk.NewSettle(nil, time.Millisecond, 0, func(context.Context) {
		mu.Lock()
		running++
		runs++
		assert.Equal(t, 1, running)
		mu.Unlock()
		g.pass()
		mu.Lock()
		running--
		mu.Unlock()
	})
	s.Trigger()
	g.awaitEntered(t, 1)
	for range 10 {
		s.Trigger()
	}
	close(g.open)
	g.awaitEntered(t, 1)
	s.Stop()
	assert.Equal(t, 2, runs)
}

func TestStopDropsABurstAndWaitsForTheRun(t *testing.T) {
	c := newClock()
	runs := 0
	s := sdk.NewSettle(c, time.Second, 0, func(context.Context) { runs++ })
	s.Trigger()
	s.Stop()
	s.Trigger()
	c.advance(time.Hour)
	assert.Zero(t, runs)

	entered := make(chan struct{})
	ended := false
	s = sdk.NewSettle(nil, 0, 0, func(ctx context.Context) {
		close(entered)
		<-ctx.Done()
		ended = true
	})
	s.Trigger()
	<-entered
	s.Stop()
	assert.True(t, ended)
}

// announcing is a context that tells when somebody waits for it: a joiner.
type announcing struct {
	context.Context
	joined func()
}

func (a *announcing) Done() <-chan struct{} {
	a.joined()
	return nil
}

func TestASingleFlightIsSharedAndItsPanicTold(t *testing.T) {
	var f sdk.SingleFlight
	g := newGate()
	boom := errors.New("boom")
	results := make(chan error, 3)
	go func() {
		joined, err := f.Do(context.Background(), func(context.Context) error { g.pass(); return boom })
		assert.False(t, joined)
		results <- err
	}()
	g.awaitEntered(t, 1)
	assert.True(t, f.Running())
	joining := sync.WaitGroup{}
	for range 2 {
		joining.Add(1)
		go func() {
			ctx := &announcing{Context: context.Background(), joined: joining.Done}
			joined, err := f.Do(ctx, func(context.Context) error { t.Error("a second run"); return nil })
			assert.True(t, joined)
			results <- err
		}()
	}
	joining.Wait()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	joined, err := f.Do(gone, nil)
	assert.True(t, joined)
	assert.Equal(t, context.Canceled, err)
	close(g.open)
	for range 3 {
		assert.Equal(t, boom, <-results)
	}
	assert.False(t, f.Running())

	assert.PanicsWithValue(t, "p", func() { _, _ = f.Do(context.Background(), func(context.Context) error { panic("p") }) })
	joined, err = f.Do(context.Background(), func(context.Context) error { return nil })
	assert.False(t, joined)
	assert.NoError(t, err)
}

func TestAFreshFlightIsOneThatBeganAfterItsCall(t *testing.T) {
	var f sdk.SingleFlight
	g := newGate()
	first := make(chan error, 1)
	go func() {
		_, err := f.Do(context.Background(), func(context.Context) error { g.pass(); return nil })
		first <- err
	}()
	g.awaitEntered(t, 1)
	// Two wait for the first run; then one of them begins the next, and is held
	// until the other has joined it.
	waiting := make(chan struct{}, 3)
	ctx := &announcing{Context: context.Background(), joined: func() { waiting <- struct{}{} }}
	joins := make(chan bool, 2)
	for range 2 {
		go func() {
			joined, err := f.Fresh(ctx, func(context.Context) error { <-waiting; return nil })
			assert.NoError(t, err)
			joins <- joined
		}()
	}
	<-waiting
	<-waiting
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := f.Fresh(gone, nil)
	assert.Equal(t, context.Canceled, err)
	close(g.open)
	require.NoError(t, <-first)
	assert.ElementsMatch(t, []bool{false, true}, []bool{<-joins, <-joins})
}

func TestAGateOpensOncePerInterval(t *testing.T) {
	c := newClock()
	g := sdk.NewRefreshGate(c, time.Minute)
	ok, _ := g.Allow()
	assert.True(t, ok)
	c.advance(59 * time.Second)
	ok, refused := g.Allow()
	assert.False(t, ok)
	assert.Equal(t, 1, refused)
	c.advance(time.Second)
	ok, refused = g.Allow()
	assert.True(t, ok)
	assert.Equal(t, 1, refused)
	g.Open()
	ok, refused = g.Allow()
	require.True(t, ok)
	assert.Zero(t, refused)
}
