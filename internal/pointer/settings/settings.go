// Package settings owns what the [pointer] table may say: keys, ranges,
// defaults, and the fault that names key, value and remedy. It reads no file.
package settings

import (
	"fmt"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// Settings is a checked [pointer] table.
type Settings struct {
	Engine  engine.Config
	Click   ClickMode
	Backend Backend
	// Actions override what a stroke or a button does, by their name: left,
	// right, up, down, click, back, forward.
	Actions map[string]Action
	// Devices override the guess about a device, by its name.
	Devices map[string]Device
}

// ClickMode says what a gesture button does that was pressed and released.
type ClickMode string

// The click modes.
const (
	ClickOverview ClickMode = "overview"
	ClickNone     ClickMode = "none"
	ClickPass     ClickMode = "pass"
)

// Backend is how actions reach macOS.
type Backend string

// The backends.
const (
	SystemEvents Backend = "system_events"
	CGEvent      Backend = "cg_event"
)

// Device is what [pointer.devices."NAME"] says.
type Device struct {
	Class           engine.Class
	SkipFirstReport bool
	// Ignore leaves the device alone altogether.
	Ignore bool
}

// ActionKind says what an Action does.
type ActionKind uint8

// The kinds of actions.
const (
	None ActionKind = iota
	Named
	Chord
	Command
)

// Action is one thing that the worker can do.
type Action struct {
	Kind ActionKind
	Name string   // Named: one of Names
	Keys []string // Chord: modifiers, then one key
	Argv []string // Command
}

// Names are the actions that every platform has.
var Names = [...]string{"workspace_left", "workspace_right", "overview", "app_windows", "show_desktop", "back", "forward"}

// strokes are the keys of [pointer.actions].
var strokes = [...]string{"left", "right", "up", "down", "click", "back", "forward"}

// Fault is one thing wrong with the table.
type Fault struct {
	Key     string
	Value   string // as it was written, in JSON
	Problem string
	Remedy  string
}

// Error names the key, the value and what to do.
func (f Fault) Error() string {
	s := "pointer." + f.Key
	if f.Value != "" {
		s += " = " + f.Value
	}
	return s + ": " + f.Problem + "; " + f.Remedy
}

// Faults is everything wrong with the table at once.
type Faults []Fault

// Error is one fault a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Default is the empty table.
func Default() Settings {
	return Settings{Engine: engine.Default(), Click: ClickOverview, Backend: SystemEvents}
}

// Parse reads the table as JSON. The error is Faults, or says that data is no
// JSON object.
func Parse(data []byte) (Settings, error) {
	s := Default()
	r, err := newReader(data)
	if err != nil {
		return s, err
	}
	e := &s.Engine
	r.button("gesture", &e.Gesture)
	r.button("back", &e.Back)
	r.button("forward", &e.Forward)
	r.distinct(e)
	r.integer("threshold", &e.Threshold, 10, 5000)
	r.number("cross_ratio", &e.CrossRatio, 0, 1)
	r.boolean("invert_desktop", &e.InvertDesktop)
	r.boolean("skip_first_report", &e.SkipFirstReport)
	r.boolean("repeat", &e.Repeat)
	r.integer("hold_limit_ms", &e.HoldLimitMS, 200, 60000)
	choose(r, "transform", &e.Target, []string{"off", "mx_master_only", "all_mice"}, engine.TargetOff, engine.TargetMX, engine.TargetAllMice)
	r.boolean("invert_vertical", &e.InvertVertical)
	r.boolean("invert_horizontal", &e.InvertHorizontal)
	choose(r, "smoothing", &e.Smoothing, []string{"none", "ema"}, engine.SmoothNone, engine.SmoothEMA)
	r.number("alpha", &e.Alpha, 0.01, 1)
	r.number("spike_ratio", &e.SpikeRatio, 0, 100)
	if e.SpikeRatio > 0 && e.SpikeRatio < 1 {
		r.fault("spike_ratio", "is below 1, which would damp every step", "use 0 for none, or 1 to 100")
	}
	r.integer("reverse_guard_ms", &e.ReverseGuardMS, 0, 1000)
	r.integer("gap_reset_ms", &e.GapResetMS, 10, 10000)
	r.number("max_step", &e.MaxStep, 1, 100)
	r.boolean("inertia", &e.Inertia)
	r.number("release", &e.Release, 0.01, 1)
	r.number("carry_max", &e.CarryMax, 0, 1000)
	choose(r, "click", &s.Click, []string{"overview", "none", "pass"}, ClickOverview, ClickNone, ClickPass)
	choose(r, "action_backend", &s.Backend, []string{"system_events", "cg_event"}, SystemEvents, CGEvent)
	s.Actions = r.actions()
	s.Devices = r.devices()
	if f := r.done(); len(f) > 0 {
		return Default(), f
	}
	return s, nil
}

// String is the action in words.
func (a Action) String() string {
	switch a.Kind {
	case Named:
		return a.Name
	case Chord:
		return "keys " + strings.Join(a.Keys, "+")
	case Command:
		return fmt.Sprintf("command %q", a.Argv[0])
	}
	return "none"
}

// ClassOf is the class of the named device, guess unless the table says
// another one. An ignored device is treated as a trackpad: nothing of it is a
// wheel to transform.
func (s Settings) ClassOf(name string, guess engine.Class) engine.Class {
	d, ok := s.Devices[name]
	switch {
	case !ok:
		return guess
	case d.Ignore:
		return engine.Trackpad
	case d.Class != engine.Unknown:
		return d.Class
	}
	return guess
}
