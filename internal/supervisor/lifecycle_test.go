package supervisor_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

func TestAResidentPluginIsStartedAndAnswers(t *testing.T) {
	p := newPlugin(t, "good", resident)
	require.Equal(t, supervisor.Initial, p.Snapshot().State)
	s := p.running()
	require.Equal(t, "test", s.ID)
	require.Equal(t, uint64(1), s.Generation)
	require.True(t, alive(s.PID))
	require.Equal(t, "a  b", p.say("echo", "a", "", "b"))
	answers, err := p.Evaluate(t.Context(), protocol.Evaluate{Query: "1+1"})
	require.NoError(t, err)
	require.Equal(t, "two", answers[0].Title)
	for _, field := range []string{"install_ms=", "resolution_ms=", "sandbox_ms=", "spawn_ms=", "elapsed_ms=", "startup_total_ms="} {
		require.Contains(t, p.log.String(), field)
	}
}

func TestAStoppedPluginEndsAtTheEndOfItsInput(t *testing.T) {
	p := newPlugin(t, "good", resident)
	pid := p.running().PID
	require.NoError(t, p.Stop(t.Context()))
	require.Equal(t, supervisor.Stopped, p.Snapshot().State)
	require.False(t, alive(pid))
	require.Zero(t, p.Snapshot().PID)
	require.Equal(t, 1, p.count("log shutdown"), "what it says on the way out is heard")
	require.Equal(t, 1, p.count("drop-catalog"))
	p.running()
	require.Equal(t, uint64(2), p.Snapshot().Generation)
}

func TestAChildThatIgnoresTheEndOfItsInputGetsSIGTERM(t *testing.T) {
	p := newPlugin(t, "ignore-eof", resident)
	pid := p.running().PID
	stopped := make(chan error, 1)
	go func() { stopped <- p.Stop(context.Background()) }()
	p.time.AwaitTimer(protocol.ShutdownGrace)
	require.True(t, alive(pid))
	p.time.Advance(protocol.ShutdownGrace)
	require.NoError(t, receive(t, stopped))
	require.Contains(t, p.log.String(), "signal 15")
}

func TestAChildThatIgnoresSIGTERMIsKilled(t *testing.T) {
	p := newPlugin(t, "ignore-term", resident)
	pid := p.running().PID
	stopped := make(chan error, 1)
	go func() { stopped <- p.Stop(context.Background()) }()
	p.time.AwaitTimer(protocol.ShutdownGrace)
	p.time.Advance(protocol.ShutdownGrace)
	p.time.AwaitTimer(protocol.KillGrace)
	require.True(t, alive(pid))
	p.time.Advance(protocol.KillGrace)
	require.NoError(t, receive(t, stopped))
	require.False(t, alive(pid))
	require.Contains(t, p.log.String(), "signal 9")
}

func TestAGrandchildThatHoldsStdoutGoesWithItsGroup(t *testing.T) {
	p := newPlugin(t, "grandchild", resident)
	p.running()
	require.NoError(t, p.Stop(t.Context()))
	grandchild := grandchildOf(p)
	p.until("the grandchild is gone", func() bool { return !alive(grandchild) })
}

func TestAGrandchildThatEscapedTheGroupDoesNotHoldTheStop(t *testing.T) {
	p := newPlugin(t, "grandchild=setsid", resident)
	p.running()
	stopped := make(chan error, 1)
	go func() { stopped <- p.Stop(context.Background()) }()
	p.driveUntil("stopped", func() bool { return len(stopped) == 1 })
	require.NoError(t, receive(t, stopped))
	killByHand(t, grandchildOf(p))
}

func grandchildOf(p *plugin) int {
	p.t.Helper()
	for _, c := range p.noted() {
		if text, ok := strings.CutPrefix(c, "log grandchild "); ok {
			pid, err := strconv.Atoi(text)
			require.NoError(p.t, err)
			return pid
		}
	}
	require.Fail(p.t, "the plugin named no grandchild")
	return 0
}

func TestBackOffIsLinearAndTheSixthFailureParks(t *testing.T) {
	p := newPlugin(t, "exit=3", resident)
	p.Start()
	for n := 1; n <= 5; n++ {
		p.until("failure "+strconv.Itoa(n), func() bool {
			s := p.Snapshot()
			return s.State == supervisor.Backoff && s.Generation == uint64(n) && s.PID == 0
		})
		require.Equal(t, "exited with code 3", p.Snapshot().LastError)
		next, ok := p.time.Next()
		require.True(t, ok)
		require.Equal(t, time.Duration(n)*time.Second, next)
		p.time.Advance(next)
	}
	s := p.reach(supervisor.Failed)
	require.Equal(t, 5, s.Restarts)
	require.Equal(t, int32(6), p.runner.Started.Load())
	require.Equal(t, 1, p.count("drop-catalog"), "the catalogue outlives a crash and goes on failed")
	p.reaped()
	require.Zero(t, p.time.Armed(), "a parked plugin waits for nothing")
}

func TestAGoodInitializeDoesNotResetTheBudget(t *testing.T) {
	p := newPlugin(t, "exit-late=3", resident)
	p.Start()
	p.driveUntil("failed", func() bool { return p.Snapshot().State == supervisor.Failed })
	require.Equal(t, int32(6), p.runner.Started.Load())
}

func TestRetriesOlderThanTheWindowAreForgotten(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	for n := uint64(1); n <= 8; n++ {
		require.False(t, p.command("crash", "1").OK)
		p.until("back-off", func() bool { s := p.Snapshot(); return s.State == supervisor.Backoff && s.PID == 0 })
		next, _ := p.time.Next()
		require.LessOrEqual(t, next, 3*time.Second)
		p.time.Advance(next)
		p.reach(supervisor.Running)
		p.time.Advance(150 * time.Second)
	}
}

func TestAReloadRecoversFromFailed(t *testing.T) {
	p := newPlugin(t, "refuse", resident)
	p.Start()
	p.reach(supervisor.Failed)
	p.runner.Become("good")
	p.Reload()
	require.Empty(t, p.reach(supervisor.Running).LastError)
}

func TestARefusedInitializeParksAtOnce(t *testing.T) {
	for mode, want := range map[string]string{
		"refuse":    "refused to start: protocol version mismatch: host v7, plugin v1",
		"version=2": "speaks protocol version 2, this host speaks 1",
		"version=x": "answered initialize",
	} {
		t.Run(mode, func(t *testing.T) {
			if mode == "version=x" {
				mode = `version="one"`
			}
			p := newPlugin(t, mode, resident)
			p.Start()
			s := p.reach(supervisor.Failed)
			require.Contains(t, s.LastError, want)
			require.Equal(t, int32(1), p.runner.Started.Load())
			p.reaped()
			require.Contains(t, p.Snapshot().LastError, want)
		})
	}
}

func TestAMuteChildIsTornDownAfterTheStartupDeadline(t *testing.T) {
	p := newPlugin(t, "mute", resident)
	p.Start()
	p.time.AwaitTimer(protocol.DeadlineStartup)
	require.Equal(t, supervisor.Launching, p.Snapshot().State)
	p.time.Advance(protocol.DeadlineStartup)
	require.Equal(t, "did not answer initialize within 5s", p.reach(supervisor.Backoff).LastError)
	p.until("the reason has its end", func() bool {
		return p.Snapshot().LastError == "did not answer initialize within 5s; exited with code 0"
	})
}

func TestTheStartupDeadlineCanBeAnotherOne(t *testing.T) {
	p := newPlugin(t, "mute", resident, func(o *supervisor.Options) {
		o.StartupTimeout = func() time.Duration { return 700 * time.Millisecond }
	})
	p.Start()
	p.time.AwaitTimer(700 * time.Millisecond)
	p.time.Advance(700 * time.Millisecond)
	require.Equal(t, "did not answer initialize within 700ms", p.reach(supervisor.Backoff).LastError)
}

func TestASpawnThatFailsIsTriedAgain(t *testing.T) {
	fails := true
	p := newPlugin(t, "good", resident, func(o *supervisor.Options) {
		prepare := o.Prepare
		o.Prepare = func(ctx context.Context, def supervisor.Definition) (supervisor.Spec, error) {
			if fails {
				fails = false
				return supervisor.Spec{}, errors.New("no such program")
			}
			return prepare(ctx, def)
		}
	})
	p.Start()
	require.Equal(t, "cannot be prepared: no such program", p.reach(supervisor.Backoff).LastError)
	p.time.Advance(time.Second)
	p.reach(supervisor.Running)
}

func TestAStopWhileTheChildIsBeingStartedReapsIt(t *testing.T) {
	entered, goOn := make(chan struct{}), make(chan struct{})
	p := newPlugin(t, "good", resident, func(o *supervisor.Options) {
		prepare := o.Prepare
		o.Prepare = func(ctx context.Context, def supervisor.Definition) (supervisor.Spec, error) {
			close(entered)
			<-goOn
			return prepare(context.Background(), def)
		}
		o.Runner = obstinate{o.Runner}
	})
	p.Start()
	receive(t, entered)
	stopped := make(chan error, 1)
	go func() { stopped <- p.Stop(context.Background()) }()
	p.reach(supervisor.Stopped)
	close(goOn)
	require.NoError(t, receive(t, stopped))
	require.Zero(t, p.count("running gen=1"))
}

// obstinate starts children that nobody wants any more.
type obstinate struct{ supervisor.Runner }

func (o obstinate) Start(_ context.Context, s supervisor.Spec) (supervisor.Process, error) {
	return o.Runner.Start(context.Background(), s)
}

func TestAReloadReplacesTheChildAndKeepsStatusUntilTheSuccessorIsThere(t *testing.T) {
	p := newPlugin(t, "good", resident)
	first := p.running()
	p.say("status", "state", "on")
	p.Reload()
	p.until("the successor runs", func() bool { return p.count("running gen=2") == 1 })
	require.NotEqual(t, first.PID, p.Snapshot().PID)
	require.Equal(t, 1, p.count("clear-status planned=true"))
	require.Zero(t, p.count("clear-status planned=false"))
	require.Zero(t, p.count("drop-catalog"))
	p.time.Advance(supervisor.StatusHold)
	require.Equal(t, "x", p.say("echo", "x"))
	require.Zero(t, p.count("clear-status planned=false"))
}

func TestStatusValuesAreNotKeptForASuccessorThatDoesNotCome(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	p.runner.Become("mute")
	p.Reload()
	p.until("the successor is there", func() bool { return p.Snapshot().Generation == 2 && p.Snapshot().PID != 0 })
	require.Zero(t, p.count("clear-status planned=false"))
	p.driveUntil("let go", func() bool { return p.count("clear-status planned=false") > 0 })
}

func TestACrashClearsStatusAndTimersAndSettlesWhatIsInFlight(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	p.say("poll")
	p.until("the timers are registered", func() bool { return p.count("poll gen=1 timers=1") == 1 })
	hanging := p.later("hang")
	p.until("the request is out", func() bool { _, err := p.Evaluate(t.Context(), protocol.Evaluate{}); return err == nil })
	out := p.command("crash", "7")
	require.Equal(t, protocol.Failed("plugin exited with code 7"), out)
	require.Equal(t, out, receive(t, hanging))
	p.reach(supervisor.Backoff)
	require.Equal(t, 1, p.count("poll gen=1 timers=0"))
	require.Equal(t, 1, p.count("clear-status planned=false"))
	require.Zero(t, p.count("drop-catalog"))
}

func TestWhatACrashingChildPublishedLastCounts(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	p.command("die-publishing", "500")
	p.until("its rows are there", func() bool { return p.count("publish gen=1 rows=500") == 1 })
}

func TestAChangedManifestRebuildsRegistrationsAndProcessTogether(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	m := resident
	m.Version, m.Sources = "2", []protocol.Source{{Name: "test.other"}}
	p.SetManifestError("manifest.json: id: missing")
	p.until("the error shows", func() bool { return p.Snapshot().ManifestError != "" })
	require.Equal(t, supervisor.Running, p.Snapshot().State, "the last valid one runs on")
	p.Replace(definition(m))
	p.until("the successor runs", func() bool { return p.count("running gen=2") == 1 })
	s := p.Snapshot()
	require.Equal(t, "2", s.Version)
	require.Empty(t, s.ManifestError)
	require.Equal(t, 1, p.count("drop-catalog"), "rows of a source that is gone have no owner")
	p.say("publish", "1")
	require.Zero(t, p.count("publish gen=2 rows=1"), "the old source is not declared any more")
}

func TestAManifestOnlyPluginIsNeverSpawned(t *testing.T) {
	m := resident
	m.Exec = nil
	p := newPlugin(t, "good", m)
	p.Start()
	p.reach(supervisor.Idle)
	require.Equal(t, protocol.Unhandled(), p.command("echo"))
	require.Zero(t, p.runner.Started.Load())
}

func TestTheFirstEventsComeInOrderAndOnlyToWhomListens(t *testing.T) {
	first := func(o *supervisor.Options) {
		o.Sinks.First = func(string) []*event.Event {
			return []*event.Event{event.AppsChanged("start", nil), event.Clipboard("secret")}
		}
	}
	p := newPlugin(t, "good", resident, first)
	p.SetObserved([]string{"state", "foreign", "state"})
	p.running()
	p.Emit(event.Plain(protocol.EventSpaceChanged))
	require.Equal(t, strings.Join([]string{
		`core:apps.changed {"reason":"start","running_applications":[]}`,
		`core:status.observed {"segments":["state"]}`,
		`core:space.changed {}`,
	}, "\n"), p.say("events"))

	deaf := resident
	deaf.Listen = []string{"core:status.*"}
	p = newPlugin(t, "good", deaf, first)
	p.running()
	require.Equal(t, `core:status.observed {"segments":[]}`, p.say("events"))
}

func TestUndeclaredSegmentsAreIgnored(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	p.say("status", "foreign", "x")
	p.say("status", "state", "y")
	p.until("the declared one is there", func() bool { return p.count("status gen=1 state=y") == 1 })
	require.Zero(t, p.count("status gen=1 foreign=x"))
}

func TestAHostCallKnowsItsCaller(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	require.Equal(t, `{"ok":true,"who":"test","gen":1,"method":"host.ping"}`, p.say("call", "host.ping"))
}
