package event

import (
	"context"
	"time"
)

// Time is the source of all waits of the host, so that tests hold it in their
// hand. AfterFunc calls f on a goroutine of its own; f must not block.
type Time interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is one pending call. Stop reports whether it prevented the call.
type Timer interface {
	Stop() bool
}

// System returns the machine's time.
func System() Time { return systemTime{} }

type systemTime struct{}

func (systemTime) Now() time.Time { return time.Now() }

func (systemTime) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// Wait waits that long, or until ctx is done, and then says why it is.
func Wait(ctx context.Context, t Time, d time.Duration) error {
	over := make(chan struct{})
	timer := t.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
