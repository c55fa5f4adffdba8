package event_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
)

func TestAWaitEndsWhenItsTimeIsUpOrNobodyWantsItAnyMore(t *testing.T) {
	f := eventtest.New()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	wait := func() { done <- event.Wait(ctx, f, time.Second) }

	go wait()
	f.AwaitTimer(time.Second)
	f.Advance(time.Second)
	require.NoError(t, <-done)

	go wait()
	f.AwaitTimer(time.Second)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Zero(t, f.Armed(), "nothing is left waiting")
}
