package supervisor

import (
	"fmt"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// sweepOwner names the sweep's one timer on the shared clock.
const sweepOwner = "flash.liveness"

// leastSweep keeps children that fell silent one after the other from being
// swept one after the other.
const leastSweep = 5 * time.Second

// Sweep pings the children that have been silent for a minute with nothing in
// flight. One low-priority timer of the shared clock serves them all and its
// slack lets them fall into step; with no child there is no timer.
type Sweep struct {
	clock *event.Clock
	time  event.Time

	mu      sync.Mutex
	watched map[*child]*Plugin
	armed   bool
}

// NewSweep returns a sweep on the shared clock.
func NewSweep(clock *event.Clock, t event.Time) *Sweep {
	return &Sweep{clock: clock, time: t, watched: map[*child]*Plugin{}}
}

func (s *Sweep) watch(p *Plugin, ch *child) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[ch] = p
	if !s.armed {
		s.arm(protocol.IdleBeforePing)
	}
}

func (s *Sweep) unwatch(ch *child) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, ch)
	if len(s.watched) == 0 && s.armed {
		s.armed = false
		s.clock.Unregister(sweepOwner)
	}
}

// arm sets the timer of the next sweep. s.mu is held; the clock never calls out
// with its own lock held.
func (s *Sweep) arm(after time.Duration) {
	s.armed = true
	reg := protocol.Registration{Name: "ping", After: after.Seconds(), Priority: "low"}
	// The one registration is within the clock's bounds.
	_ = s.clock.Register(sweepOwner, []protocol.Registration{reg}, func(string) { s.sweep() })
}

func (s *Sweep) sweep() {
	now := s.time.Now()
	soonest := protocol.IdleBeforePing
	var silent []*child
	s.mu.Lock()
	owners := make(map[*child]*Plugin)
	for ch, p := range s.watched {
		quiet, nothing := ch.conn.Quiet(now)
		if quiet >= protocol.IdleBeforePing && nothing {
			silent = append(silent, ch)
			owners[ch] = p
			continue
		}
		if nothing {
			soonest = min(soonest, protocol.IdleBeforePing-quiet)
		}
	}
	if s.armed = false; len(s.watched) > 0 {
		s.arm(max(soonest, leastSweep))
	}
	s.mu.Unlock()
	for _, ch := range silent {
		owners[ch].ping(ch)
	}
}

func pingMissed() string {
	return fmt.Sprintf("did not answer a ping within %v", protocol.DeadlinePing)
}

// ping asks whether the child is alive. One miss ends it.
func (p *Plugin) ping(ch *child) {
	ch.conn.Go(transport.Request{Method: protocol.MethodPing, Timeout: protocol.DeadlinePing},
		func(_ []byte, err error) {
			if err != nil {
				p.box.post(message{kind: msgDown, gen: ch.gen, text: pingMissed()})
			}
		})
}
