package worker

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/action"
	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/tap"
)

// Report is the answer of `flash pointer check`.
type Report struct {
	Devices []Checked `json:"devices"`
	Notes   []string  `json:"notes,omitempty"`
	Err     error     `json:"-"`
}

// Checked is a device and what would be changed of it.
type Checked struct {
	device.Device
	Changes []string `json:"changes"`
}

// Probe says whether input could be tapped now.
func Probe() error { return tap.Probe("") }

// Check lists the devices. What the tap cannot see, because there is none to
// open, the system's own list may still name.
func Check(s settings.Settings, display string) Report {
	var r Report
	seen, err := tap.List(display)
	for _, d := range seen {
		r.Devices = append(r.Devices, Checked{d, changes(s, d)})
	}
	others, notes := tap.SystemDevices()
	for _, d := range others {
		if !named(seen, d.Name) {
			r.Devices = append(r.Devices, Checked{d, changes(s, d)})
		}
	}
	// What keeps the worker from its work is an error; that the system's own
	// list had to do is a note.
	switch {
	case errors.Is(err, tap.ErrPermission), err != nil && len(r.Devices) == 0:
		r.Err = err
	case err != nil:
		r.Notes = append(r.Notes, err.Error())
	}
	r.Notes = append(r.Notes, notes...)
	r.Notes = append(r.Notes, action.LacksCommand(&s)...)
	if err == nil {
		r.Notes = append(r.Notes, action.Lacks(&s, display)...)
	}
	if len(r.Devices) == 0 {
		r.Notes = append(r.Notes, "no pointing device was found")
	}
	return r
}

// Notes are what a starter should be told of s, since a worker tells nobody.
func Notes(s settings.Settings) []string { return action.LacksCommand(&s) }

func named(list []device.Device, name string) bool {
	for _, d := range list {
		if d.Name == name {
			return true
		}
	}
	return false
}

func changes(s settings.Settings, d device.Device) []string {
	class := s.ClassOf(d.Name, d.Class)
	if class == engine.Trackpad {
		return []string{"nothing"}
	}
	var out []string
	for _, b := range [...]struct {
		what   string
		button int32
	}{{"gesture", s.Engine.Gesture}, {"back", s.Engine.Back}, {"forward", s.Engine.Forward}} {
		if d.Buttons == 0 || tap.HasButton(d, b.button) {
			out = append(out, fmt.Sprintf("%s %d", b.what, b.button))
		}
	}
	if tap.Transformed(s, d) {
		switch {
		case d.Driver != "" && tap.DriverInverts(d, s):
			how := "wheel inverted by its driver, " + d.Driver
			if d.Driver == "libinput" && !s.Engine.InvertHorizontal {
				how += ", in both directions: it has one switch for them"
			}
			out = append(out, how)
		case d.Driver == "libinput" && s.Engine.InvertHorizontal:
			out = append(out, "wheel not: its driver, libinput, has one switch for both directions, which invert_vertical asks for")
		case d.Driver != "":
			out = append(out, "wheel not: its driver, "+d.Driver+", can only invert it")
		case d.SmoothScroll && d.Source == "X11":
			out = append(out, "wheel not: it scrolls on an axis, and its driver has no setting to invert it")
		default:
			out = append(out, wheelChanges(s))
		}
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	return out
}

func wheelChanges(s settings.Settings) string {
	var parts []string
	if s.Engine.InvertVertical {
		parts = append(parts, "vertical inverted")
	}
	if s.Engine.InvertHorizontal {
		parts = append(parts, "horizontal inverted")
	}
	if s.Engine.Smoothing == engine.SmoothEMA {
		parts = append(parts, "smoothed")
	}
	return "wheel " + strings.Join(append(parts, fmt.Sprintf("at most %g a step", s.Engine.MaxStep)), " ")
}
