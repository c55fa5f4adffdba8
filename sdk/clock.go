package sdk

import "time"

// Clock is the time that a [Settle] or [RefreshGate] runs on. Tests inject
// their own; nil means the system's.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, on its own goroutine, when d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of [Clock.AfterFunc].
type Timer interface {
	// Stop prevents the call, and reports false when it was too late.
	Stop() bool
}

type systemClock struct{}

func (systemClock) Now() time.Time                            { return time.Now() }
func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

func clockOrSystem(c Clock) Clock {
	if c == nil {
		return systemClock{}
	}
	return c
}
