package transport

import (
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// noiseLines lets each line of a run that ends a child be logged once, and
// keeps a child that errs every other line from filling the log.
const noiseLines = protocol.MaxBadLines

// limiter lets through `most` things a window and counts the rest. It belongs
// to one goroutine and arms no timer.
type limiter struct {
	time  event.Time
	most  int
	begun time.Time
	used  int
	held  int
}

// allow reports whether one more may pass and, if so, how many were held back
// since the last that did.
func (l *limiter) allow() (ok bool, held int) {
	now := l.time.Now()
	if l.begun.IsZero() || now.Sub(l.begun) >= protocol.StderrWindow {
		l.begun, l.used = now, 0
	}
	if l.used >= l.most {
		l.held++
		return false, 0
	}
	l.used++
	held, l.held = l.held, 0
	return true, held
}
