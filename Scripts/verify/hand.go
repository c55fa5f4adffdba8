package main

import "errors"

// hand types and points as a person would.
type hand interface {
	// chord presses a key, by its macOS code, with modifiers of the names that
	// package mac has for them.
	chord(code int, modifiers ...string) error
	// move moves the pointer to and fro, n times, at 200 a second.
	move(n int) error
	// button presses or releases a button, counted as Flash counts them.
	button(n int, down bool) error
}

// Keys of macOS.
const (
	keyF18    = 79
	keyEscape = 53
)

var errNoHand = errors.New("this build cannot post events; build it on macOS with CGO_ENABLED=1")

type noHand struct{}

func (noHand) chord(int, ...string) error { return errNoHand }
func (noHand) move(int) error             { return errNoHand }
func (noHand) button(int, bool) error     { return errNoHand }
