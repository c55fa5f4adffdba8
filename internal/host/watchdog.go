package host

import (
	"log/slog"
	"sync"
	"time"
)

// stallLimit is how long a step of the main or of a lifecycle goroutine may
// take before it is a stall: at a quarter of a second people notice.
const stallLimit = 250 * time.Millisecond

// watchdog logs steps that take too long. It polls nothing: a timer runs only
// while a step does. Each goroutine is known by a name and does one step at a
// time.
type watchdog struct {
	log   *slog.Logger
	limit time.Duration

	mu    sync.Mutex
	steps map[string]watched
}

type watched struct {
	start time.Time
	timer *time.Timer
}

func newWatchdog(log *slog.Logger) *watchdog {
	return &watchdog{log: log, limit: stallLimit, steps: map[string]watched{}}
}

// Begin starts the watch on a step of a goroutine. A step that stalls is
// logged while it still hangs, with nothing but names.
func (w *watchdog) Begin(goroutine, step string) {
	timer := time.AfterFunc(w.limit, func() {
		w.log.Warn("stall", "goroutine", goroutine, "step", step, "over_ms", w.limit.Milliseconds())
	})
	w.mu.Lock()
	w.steps[goroutine] = watched{time.Now(), timer}
	w.mu.Unlock()
}

// End ends the watch, and logs the length of a step that had stalled.
func (w *watchdog) End(goroutine, step string) {
	w.mu.Lock()
	s, ok := w.steps[goroutine]
	delete(w.steps, goroutine)
	w.mu.Unlock()
	if ok && !s.timer.Stop() {
		w.log.Warn("stall ended", "goroutine", goroutine, "step", step, "ms", time.Since(s.start).Milliseconds())
	}
}
