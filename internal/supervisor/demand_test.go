package supervisor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

func TestAnOnDemandPluginIsSpawnedByItsFirstPerform(t *testing.T) {
	p := newPlugin(t, "good", onDemand())
	p.Start()
	p.reach(supervisor.Idle)
	require.Zero(t, p.runner.Started.Load())
	require.Equal(t, "now", p.say("echo", "now"))
	require.Equal(t, "again", p.say("echo", "again"))
	require.Equal(t, int32(1), p.runner.Started.Load())
}

func TestPerformsBeforeTheStartAndAfterTheStopAreUnhandled(t *testing.T) {
	p := newPlugin(t, "good", onDemand())
	require.Equal(t, protocol.Unhandled(), p.command("echo"))
	p.Start()
	p.say("echo")
	require.NoError(t, p.Stop(t.Context()))
	require.Equal(t, protocol.Unhandled(), p.command("echo"))
}

func TestAPerformThatWaitsForAChildThatNeverComesIsUnhandledInItsTime(t *testing.T) {
	p := newPlugin(t, "mute", onDemand())
	p.Start()
	waiting := p.later("quick")
	p.time.AwaitTimer(700 * time.Millisecond)
	p.time.Advance(700 * time.Millisecond)
	require.Equal(t, protocol.Unhandled(), receive(t, waiting))
}

func TestAPerformThatWaitsGivesUpWithItsContext(t *testing.T) {
	p := newPlugin(t, "mute", onDemand())
	p.Start()
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan protocol.Outcome, 1)
	go func() {
		waiting <- p.Perform(ctx, protocol.Perform{Kind: protocol.PerformNavigate, URL: "test://x"}, 0)
	}()
	p.until("it is being spawned", func() bool { return p.Snapshot().State == supervisor.Launching })
	cancel()
	require.Equal(t, protocol.Unhandled(), receive(t, waiting))
}

func TestAPerformWaitsOutABackOff(t *testing.T) {
	p := newPlugin(t, "exit=1", resident)
	p.Start()
	p.reach(supervisor.Backoff)
	p.reaped()
	p.runner.Become("good")
	waiting := p.later("echo", "patient")
	p.until("it waits", func() bool { return p.time.Armed() >= 2 })
	p.time.Advance(time.Second)
	require.Equal(t, protocol.Done("patient"), receive(t, waiting))
}

func TestAPluginThatIsGivenUpOnSettlesPerformsUnhandledAtOnce(t *testing.T) {
	p := newPlugin(t, "refuse", onDemand())
	p.Start()
	require.Equal(t, protocol.Unhandled(), p.command("echo"), "the one that waited")
	p.reach(supervisor.Failed)
	require.Equal(t, protocol.Unhandled(), p.command("echo"), "the one that came later")
	require.Equal(t, int32(1), p.runner.Started.Load())
}

func TestAPerformThatLeftAndGotNoReplyIsAnError(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	hanging := p.later("hang")
	p.time.AwaitTimer(protocol.DeadlinePerform)
	require.Equal(t, "", p.say("echo"), "the child has the hanging request")
	p.time.Advance(protocol.DeadlinePerform)
	require.Equal(t, protocol.Failed(protocol.ErrTextDeadline), receive(t, hanging))
}

func TestAnUnhandledReplyIsPassedOn(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	require.Equal(t, protocol.Unhandled(), p.command("no such word"))
}

func TestTheTimeOfAPerformIncludesTheSpawn(t *testing.T) {
	goOn := make(chan struct{})
	p := newPlugin(t, "good", onDemand(), func(o *supervisor.Options) {
		prepare := o.Prepare
		o.Prepare = func(ctx context.Context, def supervisor.Definition) (supervisor.Spec, error) {
			<-goOn
			return prepare(ctx, def)
		}
	})
	p.Start()
	asked := p.later("deadline")
	p.time.AwaitTimer(protocol.DeadlinePerform)
	p.time.Advance(4 * time.Second)
	close(goOn)
	require.Equal(t, protocol.Done("6000"), receive(t, asked))
}

func TestAStatusBoundPluginLivesWhileTheBarShowsIt(t *testing.T) {
	p := newPlugin(t, "good", statusBound())
	p.Start()
	p.reach(supervisor.Idle)
	p.SetObserved([]string{"foreign"})
	p.SetObserved([]string{"state"})
	p.reach(supervisor.Running)
	require.Equal(t, `core:status.observed {"segments":["state"]}`, p.say("events"))
	p.SetObserved(nil)
	p.reach(supervisor.Idle)
	p.reaped()
	require.Equal(t, int32(1), p.runner.Started.Load())
	p.SetObserved([]string{"state"})
	p.reach(supervisor.Running)
}

func TestAStatusBoundPluginThatACommandStartedOutlivesTheBar(t *testing.T) {
	p := newPlugin(t, "good", statusBound())
	p.Start()
	p.say("echo")
	p.SetObserved([]string{"state"})
	p.until("it is shown", func() bool { return strings.HasSuffix(p.say("events"), `{"segments":["state"]}`) })
	p.SetObserved(nil)
	p.until("it is shown no more", func() bool { return strings.HasSuffix(p.say("events"), `{"segments":[]}`) })
	require.Equal(t, supervisor.Running, p.Snapshot().State)
}

func TestAnObservationThatChangesNothingIsNotSent(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	p.SetObserved([]string{"state"})
	told := func() int { return strings.Count(p.say("events"), `{"segments":["state"]}`) }
	p.until("it is told", func() bool { return told() == 1 })
	p.SetObserved([]string{"foreign", "state", "state"})
	p.Emit(event.Opened())
	p.until("the event behind it is there", func() bool { return strings.HasSuffix(p.say("events"), "core:session.opened {}") })
	require.Equal(t, 1, told())
}

func TestAQuestionToAPluginThatIsNotRunningSaysWhy(t *testing.T) {
	p := newPlugin(t, "refuse", resident)
	p.Start()
	p.reach(supervisor.Failed)
	_, err := p.Evaluate(t.Context(), protocol.Evaluate{})
	var not *supervisor.NotRunningError
	require.ErrorAs(t, err, &not)
	require.Equal(t, supervisor.Failed, not.State)
	require.Contains(t, err.Error(), "plugin test is not running (failed): refused to start")
	_, err = p.Search(t.Context(), protocol.Search{})
	require.ErrorAs(t, err, &not)
}
