package worker

import (
	"context"
	"sync"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/tap"
	"github.com/flash-launcher/flash/internal/pointer/trace"
)

// Watch shows every event with what a worker under s would do with it, until
// ctx ends. It changes no event and performs no action, so it works beside a
// running worker.
func Watch(ctx context.Context, s settings.Settings, display string, show func(trace.Event, engine.Decision) error) error {
	var state engine.State
	var mu sync.Mutex
	var failed error
	var source tap.Source
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	opened := make(chan struct{})
	source, err := tap.Open(tap.Options{Settings: s, Mode: tap.Watch, Display: display, Handle: func(e *engine.Event) engine.Decision {
		<-opened
		d := engine.Step(&state, &s.Engine, e)
		if err := show(trace.FromEngine(e, source.DeviceName(e.Dev)), d); err != nil {
			mu.Lock()
			failed = err
			mu.Unlock()
			cancel()
		}
		return engine.Decision{}
	}})
	if err != nil {
		close(opened)
		return err
	}
	close(opened)
	select {
	case <-stop.Done():
	case <-source.Done():
		err = source.Err()
	}
	source.Close()
	mu.Lock()
	defer mu.Unlock()
	if failed != nil {
		return failed
	}
	return err
}
