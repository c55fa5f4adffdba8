package sdk

import (
	"context"
	"sync"
	"time"
)

// Settle runs a function once a burst of triggers has been quiet for a while:
// a trailing debounce. A burst that does not end runs it at its ceiling, so a
// shell that retitles its window for ever cannot starve a refresh. The function
// never overlaps itself; what triggers while it runs counts as a new burst.
// Nothing is armed between bursts.
type Settle struct {
	clock          Clock
	quiet, ceiling time.Duration
	fn             func(context.Context)
	ctx            context.Context
	cancel         context.CancelFunc

	mu          sync.Mutex
	timer       Timer     // armed while a burst is open and fn is not running
	first, last time.Time // of the open burst; first is zero when none is open
	running     bool
	idle        *sync.Cond // signalled when running goes false
}

// NewSettle returns a Settle that calls fn when no Trigger came for quiet, and
// at the latest ceiling after the burst's first one (0: no ceiling). A nil
// clock is the system's. fn's context ends at Stop.
func NewSettle(clock Clock, quiet, ceiling time.Duration, fn func(ctx context.Context)) *Settle {
	s := &Settle{clock: clockOrSystem(clock), quiet: quiet, ceiling: ceiling, fn: fn}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.idle = sync.NewCond(&s.mu)
	return s
}

// Trigger notes that something changed. It costs a lock and a clock reading;
// no timer is moved.
func (s *Settle) Trigger() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	now := s.clock.Now()
	s.last = now
	if s.first.IsZero() {
		s.first = now
		if !s.running {
			s.arm(s.due().Sub(now))
		}
	}
}

// due is when the open burst is to be served.
func (s *Settle) due() time.Time {
	due := s.last.Add(s.quiet)
	if s.ceiling > 0 {
		if latest := s.first.Add(s.ceiling); latest.Before(due) {
			return latest
		}
	}
	return due
}

func (s *Settle) arm(d time.Duration) { s.timer = s.clock.AfterFunc(max(d, 0), s.fire) }

func (s *Settle) fire() {
	s.mu.Lock()
	s.timer = nil
	if s.ctx.Err() != nil || s.running || s.first.IsZero() {
		s.mu.Unlock()
		return
	}
	if wait := s.due().Sub(s.clock.Now()); wait > 0 {
		s.arm(wait)
		s.mu.Unlock()
		return
	}
	s.first = time.Time{}
	s.running = true
	s.mu.Unlock()

	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = false
		s.idle.Broadcast()
		if !s.first.IsZero() && s.ctx.Err() == nil {
			s.arm(s.due().Sub(s.clock.Now()))
		}
	}()
	s.fn(s.ctx)
}

// Stop drops an open burst, cancels the context of a running call and waits
// for that call to return. No call begins after it. It must not be called from
// within the function.
func (s *Settle) Stop() {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = time.Time{}
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	for s.running {
		s.idle.Wait()
	}
}
