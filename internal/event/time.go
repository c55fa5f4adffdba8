package event

import "time"

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
