package session

import (
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
)

// settle makes one call of a burst: the first touch of one arms it, and it comes
// that much later, whatever else comes meanwhile.
type settle struct {
	time event.Time
	wait time.Duration
	call func()

	mu     sync.Mutex
	timer  event.Timer
	closed bool
}

func (s *settle) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil || s.closed {
		return
	}
	s.timer = s.time.AfterFunc(s.wait, func() {
		s.mu.Lock()
		live := !s.closed
		s.timer = nil
		s.mu.Unlock()
		if live {
			s.call()
		}
	})
}

func (s *settle) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
