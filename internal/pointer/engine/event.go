package engine

// Device is a number that the tap gives a device for as long as it is
// connected; 0 is a device that the platform did not name.
type Device uint32

// Class is what a device is taken for.
type Class uint8

// The classes. Unknown is for events that come without a device.
const (
	Unknown Class = iota
	MX
	Mouse
	Trackpad
)

// Kind says what happened.
type Kind uint8

// The kinds of events. Down, Up, Move and Scroll come from devices, the others
// from the system or from the worker itself.
const (
	Down Kind = iota
	Up
	Move
	Scroll
	TapDisabled
	Sleep
	Wake
	DeviceRemoved
	DeviceAdded
	PermissionLost
	SessionSwitch
	Off
)

// Axis is the wheel's report for one axis. Platforms fill one or more fields
// of the same movement: whole notches, notches with a fraction, pixels.
type Axis struct {
	Line  int32
	Fixed float64
	Point int32
}

// pointsPerLine is how many pixels a notch is worth where a platform reports
// pixels beside notches.
const pointsPerLine = 10

// notches is the report in notches, from its most exact field. A fixed value
// that is not a number says nothing.
func (a Axis) notches() float64 {
	switch {
	case a.Fixed != 0 && a.Fixed-a.Fixed == 0: // finite
		return a.Fixed
	case a.Line != 0:
		return float64(a.Line)
	}
	return float64(a.Point) / pointsPerLine
}

// Event is one pointer event. Up is negative DY.
type Event struct {
	T     int64 // milliseconds on a clock that does not jump
	Kind  Kind
	Dev   Device
	Class Class
	// SkipFirst is the device's own skip_first_report.
	SkipFirst bool

	Button int32
	DX, DY int32

	Vertical, Horizontal Axis
	Continuous           bool  // trackpads and the like, where there is no device
	Phase, Momentum      int32 // the platform's scroll phases, 0 for none
	Tagged               bool  // made by this worker
	AsIs                 bool  // a step that no tap of the platform can change
}

// Verdict is what becomes of the event itself.
type Verdict uint8

// The verdicts.
const (
	Pass Verdict = iota
	Drop
	Modify
)

// Action is what a decision asks for.
type Action uint8

// The actions.
const (
	NoAction Action = iota
	WorkspaceLeft
	WorkspaceRight
	Overview
	AppWindows
	Click
	Back
	Forward
)

// Direction is the stroke that fired an action, before any inversion.
type Direction uint8

// The directions.
const (
	NoDirection Direction = iota
	StrokeLeft
	StrokeRight
	StrokeUp
	StrokeDown
)

// Switch is a set of changes to the taps, applied in the order of the bits.
type Switch uint8

// The switches.
const (
	MoveOn Switch = 1 << iota
	MoveOff
	PrimaryEnable
	PrimaryOff
)

// Written is what a modified scroll event carries on one axis: the three
// fields agree.
type Written struct {
	Line, Point int32
	Value       float64 // notches with a fraction
}

// Decision is the engine's answer to one event.
type Decision struct {
	Verdict   Verdict
	Action    Action
	Direction Direction
	Switch    Switch
	// Vertical and Horizontal are for Modify.
	Vertical, Horizontal Written
	Why                  Why
}
