// Package tap connects the engine to the platform's input: it turns what the
// platform reports into engine events, asks the handler, and carries the
// decision out on the event itself. It performs no action and keeps no
// gesture or wheel state; it records nothing.
package tap

import (
	"errors"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// Mode is how much of the input a tap takes.
type Mode uint8

// The modes. Gate is the normal one: buttons and wheel of ours, movement only
// while the gesture button is down. Full adds all movement. Watch sees
// everything and changes nothing.
const (
	Gate Mode = iota
	Full
	Watch
)

// Options say what to tap.
type Options struct {
	Settings settings.Settings
	Mode     Mode
	// Handle decides about an event. It is called on one goroutine at a time,
	// must not block, and must not keep the event.
	Handle func(*engine.Event) engine.Decision
	// Display is the X display, "" for $DISPLAY.
	Display string
}

// Source is an open tap.
type Source interface {
	// Done is closed when the tap has ended by itself; Err says why.
	Done() <-chan struct{}
	Err() error
	// DeviceName is the name of a device that an event named.
	DeviceName(engine.Device) string
	// Replay presses and releases a button of ours for the window below. It
	// only queues, so that Handle may call it.
	Replay(button int32)
	// Close gives all input back and waits until nothing of the tap runs.
	Close()
}

// ErrPermission is wrapped by errors that say that this user or program may
// not read input.
var ErrPermission = errors.New("no permission to read the pointer")

// ErrUnavailable is wrapped by errors that say that there is nothing to tap.
var ErrUnavailable = errors.New("no pointer to read")

// Transformed reports whether the wheel of a device of this class and name is
// changed under s.
func Transformed(s settings.Settings, d device.Device) bool {
	_, named := s.Devices[d.Name]
	if d.Virtual && !named {
		return false // input that programs make, this one among them
	}
	switch s.ClassOf(d.Name, d.Class) {
	case engine.MX:
		return s.Engine.Target != engine.TargetOff
	case engine.Mouse:
		return s.Engine.Target == engine.TargetAllMice
	}
	return false
}

// DriverInverts reports whether a device's driver can do the inversion that s
// asks for. libinput's switch is for both directions; evdev has one for each.
func DriverInverts(d device.Device, s settings.Settings) bool {
	e := &s.Engine
	return d.Driver == "evdev" && (e.InvertVertical || e.InvertHorizontal) || d.Driver == "libinput" && e.InvertVertical
}
