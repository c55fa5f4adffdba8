// Package session owns what the host follows of the user's session, and does in
// it, beside applications and windows: the clipboard, media keys, key presses,
// the wireless network, and whether the session is locked or the machine asleep,
// on battery, on another network. It follows only what somebody listens to,
// without a timer, and can move to another session while the host runs.
package session

import (
	"log/slog"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/event"
)

// Options is what a Session works with. Each function is called from one of
// several goroutines, must be quick and must not call the Session.
type Options struct {
	Env    []string        // of the session, in the form of os.Environ
	Facets *desktop.Facets // of the same session
	// SystemBus is the address of the system bus; "" takes that of Env or the
	// well-known one.
	SystemBus string
	Time      event.Time
	// Clock is the host's, for what can only be looked at now and then; nil takes
	// one of its own.
	Clock  *event.Clock
	Logger *slog.Logger
	// Emit is told that one of the events without a payload happened: power,
	// network, volumes, space.
	Emit func(event string)
	// Copied gets each text that another program copies.
	Copied func(text string)
	// State, if set, is told each change of the session's state.
	State func(State)
}

// State is what keeps the user from looking. In both the shared clock is held.
type State struct{ Locked, Asleep bool }

// ClipboardState is what the clipboard watch does.
type ClipboardState struct {
	Watching bool      `json:"watching"`
	Paused   bool      `json:"paused"`
	Until    time.Time `json:"until,omitzero"` // zero: until it is resumed
	Problem  string    `json:"problem,omitempty"`
}

// Hold is Options.State for a clock: it ticks in an open session only.
func Hold(c *event.Clock) func(State) {
	set := func(on bool, reason string) {
		if on {
			c.HoldFor(reason)
		} else {
			c.ReleaseFor(reason)
		}
	}
	return func(s State) {
		set(s.Locked, "lock")
		set(s.Asleep, "sleep")
	}
}

// A Session serves these host calls.
var (
	_ broker.Clipboard = (*Session)(nil)
	_ broker.MediaKeys = (*Session)(nil)
	_ broker.Wifi      = (*Session)(nil)
	_ broker.Keys      = (*Session)(nil)
)
