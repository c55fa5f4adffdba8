package supervisor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

func withInstall(step func(ctx context.Context) error) option {
	return func(o *supervisor.Options) {
		o.NeedsInstall = func(supervisor.Definition) bool { return true }
		o.Install = func(ctx context.Context, _ supervisor.Definition) error { return step(ctx) }
	}
}

func TestAnInstallStepComesBeforeTheChild(t *testing.T) {
	goOn := make(chan struct{})
	p := newPlugin(t, "good", resident, withInstall(func(context.Context) error { <-goOn; return nil }))
	p.Start()
	p.reach(supervisor.Installing)
	require.Zero(t, p.runner.Started.Load())
	close(goOn)
	p.reach(supervisor.Running)
}

func TestAFailedInstallStepIsAFailureLikeAnyOther(t *testing.T) {
	p := newPlugin(t, "good", resident, withInstall(func(context.Context) error { return errors.New("no compiler") }))
	p.Start()
	require.Equal(t, "install step failed: no compiler", p.reach(supervisor.Backoff).LastError)
}

func TestAStopDoesNotWaitForAnInstallStepAndASuccessorDoes(t *testing.T) {
	ended := make(chan struct{})
	steps := make(chan struct{}, 2)
	p := newPlugin(t, "good", resident, withInstall(func(ctx context.Context) error {
		steps <- struct{}{}
		if len(steps) == 2 {
			return nil
		}
		<-ctx.Done()
		<-ended
		return ctx.Err()
	}))
	p.Start()
	p.until("the step runs", func() bool { return len(steps) == 1 })
	require.NoError(t, p.Stop(t.Context()))
	p.Start()
	p.until("the restart is applied", func() bool { return p.Snapshot().State == supervisor.Launching })
	require.Len(t, steps, 1, "the successor waits for the step that is ending")
	close(ended)
	p.reach(supervisor.Running)
	require.Len(t, steps, 2)
}

func TestAClosedPluginAnswersAtOnce(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	require.NoError(t, p.Close(t.Context()))
	require.NoError(t, p.Close(t.Context()))
	require.NoError(t, p.Stop(t.Context()))
	require.Equal(t, protocol.Unhandled(), p.command("echo"))
	p.Start()
	p.Reload()
	require.Equal(t, supervisor.Stopped, p.Snapshot().State)
}

func TestAPerformThatMeetsAReloadIsServed(t *testing.T) {
	p := newPlugin(t, "good", resident)
	p.running()
	for gen := uint64(2); gen < 12; gen++ {
		p.Reload()
		require.Equal(t, "x", p.say("echo", "x"), "by the old child or by the successor")
		p.until("the successor runs", func() bool { s := p.Snapshot(); return s.Generation == gen && s.State == supervisor.Running })
	}
}

func TestAStopThatIsNotWaitedForSaysSo(t *testing.T) {
	p := newPlugin(t, "ignore-term", resident)
	p.running()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorContains(t, p.Stop(ctx), "plugin test has not ended yet")
}

func TestEveryLifecycleStepIsShownToTheWatchdog(t *testing.T) {
	w := &watchdog{}
	p := newPlugin(t, "good", resident, func(o *supervisor.Options) { o.Watchdog = w })
	p.running()
	require.NoError(t, p.Close(t.Context()))
	require.Equal(t, []string{"start", "launched", "initialized", "close", "exited"}, w.steps)
}

type watchdog struct{ steps []string }

func (w *watchdog) Begin(_, step string) { w.steps = append(w.steps, step) }

func (w *watchdog) End(_, step string) {
	if last := w.steps[len(w.steps)-1]; last != step {
		panic("step " + step + " ends inside " + last)
	}
}
