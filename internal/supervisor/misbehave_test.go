package supervisor_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

func killByHand(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestAStalledChildIsRestarted(t *testing.T) {
	p := newPlugin(t, "stall", resident)
	p.running()
	p.runner.Become("good")
	big := event.New(protocol.EventSessionOpened, fmt.Appendf(nil, `{"x":%q}`, make([]byte, 4<<10)))
	p.until("its lane overflows", func() bool {
		p.Emit(big)
		return p.Snapshot().State != supervisor.Running
	})
	require.Contains(t, p.Snapshot().LastError, "stopped reading")
	p.time.AwaitTimer(protocol.ShutdownGrace)
	p.time.Advance(protocol.ShutdownGrace) // SIGTERM, and the end of the back-off
	p.reach(supervisor.Running)
	require.Equal(t, 1, p.Snapshot().Restarts)
	require.Equal(t, "back", p.say("echo", "back"))
}

func TestAFloodingChildIsRestartedAndOthersAreNotHeldUp(t *testing.T) {
	flood := newPlugin(t, "flood", resident, func(o *supervisor.Options) {
		o.Sinks.Log = func(string, protocol.LogRecord) { <-t.Context().Done() }
	})
	other := newPlugin(t, "good", resident)
	flood.running()
	other.running()
	flood.runner.Become("good")
	require.Equal(t, "here", other.say("echo", "here"))
	flood.driveUntil("torn down", func() bool { return flood.Snapshot().LastError != "" })
	require.Equal(t, "here", other.say("echo", "here"))
	flood.time.Advance(time.Second)
	flood.reach(supervisor.Running)
}

func TestNoiseAroundAGoodReplyDoesNoHarm(t *testing.T) {
	p := newPlugin(t, "noise=200 stderr=300000", resident)
	p.running()
	require.Equal(t, "fine", p.say("echo", "fine"))
	require.Len(t, p.Snapshot().StderrTail(), protocol.StderrTail)
}

func TestAHundredBadLinesInARowTearTheChildDownWithTheReason(t *testing.T) {
	p := newPlugin(t, "bad=100", resident)
	p.Start()
	p.until("the reason shows", func() bool { return p.Snapshot().State == supervisor.Backoff })
	require.Contains(t, p.Snapshot().LastError, "sent 100 bad lines in a row")
}

func TestAChildThatDiesOfAQuestionIsRestartedAndTheQuestionSettled(t *testing.T) {
	p := newPlugin(t, "evaluate-die", resident)
	p.running()
	_, err := p.Evaluate(t.Context(), protocol.Evaluate{Query: "x"})
	require.ErrorContains(t, err, "signal 9")
	require.Equal(t, "killed by signal 9 (killed)", p.reach(supervisor.Backoff).LastError)
	p.time.Advance(time.Second)
	p.reach(supervisor.Running)
}

func TestASlowEvaluatorCostsOnlyItsDeadline(t *testing.T) {
	p := newPlugin(t, "slow", resident)
	p.running()
	for range 10 {
		done := make(chan error, 1)
		go func() {
			_, err := p.Evaluate(t.Context(), protocol.Evaluate{Query: "x"})
			done <- err
		}()
		p.time.AwaitTimer(protocol.DeadlineQuery)
		p.time.Advance(protocol.DeadlineQuery)
		require.ErrorContains(t, receive(t, done), protocol.ErrTextDeadline)
	}
	require.Equal(t, supervisor.Running, p.Snapshot().State)
	require.Contains(t, p.log.String(), "slow evaluate")
}

func TestAChildThatClosesAPipeAndLivesOnIsTornDown(t *testing.T) {
	for mode, reason := range map[string]string{
		"close-stdout": "closed its standard output",
		"close-stdin":  "closed its standard input",
	} {
		t.Run(mode, func(t *testing.T) {
			p := newPlugin(t, mode, resident)
			p.running()
			p.until("the pipe's end is noticed", func() bool {
				p.Emit(event.Opened())
				return p.time.Armed() > 0
			})
			p.time.Advance(protocol.ShutdownGrace)
			require.Contains(t, p.reach(supervisor.Backoff).LastError, reason)
		})
	}
}

func TestASilentChildIsPingedAfterAMinuteAndOneMissTearsItDown(t *testing.T) {
	clockTime := eventtest.New()
	clock := event.NewClock(clockTime)
	p := newPlugin(t, "no-ping", resident, func(o *supervisor.Options) {
		o.Time = clockTime
	}, withSweep(clock, clockTime))
	p.time = clockTime
	p.running()
	require.True(t, clock.Armed())
	clockTime.Advance(protocol.IdleBeforePing + 15*time.Second)
	clockTime.AwaitTimer(protocol.DeadlinePing)
	clockTime.Advance(protocol.DeadlinePing)
	require.Contains(t, p.reach(supervisor.Backoff).LastError, "did not answer a ping within 10s")
	require.False(t, clock.Armed(), "with no child nothing is swept")
}

func TestOneSweepServesAllChildrenAndLetsTheLivelyOnesBe(t *testing.T) {
	clockTime := eventtest.New()
	clock := event.NewClock(clockTime)
	sweep := supervisor.NewSweep(clock, clockTime)
	shared := func(o *supervisor.Options) { o.Time, o.Sweep = clockTime, sweep }
	var all []*plugin
	for range 3 {
		p := newPlugin(t, "good", resident, shared)
		p.time = clockTime
		p.running()
		all = append(all, p)
	}
	for range 10 {
		require.Equal(t, 1, clockTime.Armed(), "one timer")
		next, _ := clockTime.Next()
		require.GreaterOrEqual(t, next, 5*time.Second)
		clockTime.Advance(next)
		all[0].until("the pings are answered", func() bool { return clockTime.Armed() == 1 })
	}
	for _, p := range all {
		require.Equal(t, supervisor.Running, p.Snapshot().State)
		require.Zero(t, p.Snapshot().Restarts)
	}
}
