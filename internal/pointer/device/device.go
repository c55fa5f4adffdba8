// Package device names pointing devices: what the platform says of one, and
// which model and class that makes it. It opens no device.
package device

import (
	"fmt"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// Device is a connected pointing device.
type Device struct {
	ID      engine.Device `json:"-"`
	Name    string        `json:"name"`
	Vendor  uint16        `json:"vendor"`
	Product uint16        `json:"product"`
	Buttons int           `json:"buttons"` // 0 when the platform does not say
	Model   string        `json:"model"`
	Class   engine.Class  `json:"-"`
	// Virtual devices belong to the system, such as the one for test input.
	Virtual bool `json:"virtual,omitempty"`
	// SmoothScroll devices report the wheel on an axis beside its buttons.
	SmoothScroll bool `json:"smooth_scroll,omitempty"`
	// Driver is the driver that can invert the wheel, "" for none.
	Driver string `json:"driver,omitempty"`
	Source string `json:"source"` // where the facts are from
}

// USB is vendor:product in the usual notation.
func (d Device) USB() string {
	if d.Vendor == 0 && d.Product == 0 {
		return "-"
	}
	return fmt.Sprintf("%04x:%04x", d.Vendor, d.Product)
}

const logitech = 0x046d

// mxProducts are Logitech's product numbers of MX Master mice when they are
// connected over Bluetooth or a cable; behind a receiver only the name tells.
var mxProducts = [...]struct {
	product uint16
	model   string
}{
	{0xb012, "MX Master"}, {0xb017, "MX Master"}, {0xb01e, "MX Master"}, {0x4041, "MX Master"}, {0x4060, "MX Master"}, {0x4071, "MX Master"},
	{0xb019, "MX Master 2S"}, {0x4069, "MX Master 2S"},
	{0xb023, "MX Master 3"}, {0x4082, "MX Master 3"},
	{0xb028, "MX Master 3 for Mac"},
	{0xb034, "MX Master 3S"}, {0xb035, "MX Master 3S for Mac"},
}

// trackpads are words in names of devices that scroll with fingers.
var trackpads = [...]string{"trackpad", "touchpad", "magic mouse", "synaptics", "glidepoint"}

// Guess fills Model and Class from the rest.
func (d *Device) Guess() {
	name := strings.ToLower(strings.TrimSpace(d.Name))
	if d.Vendor == logitech {
		for _, m := range mxProducts {
			if m.product == d.Product {
				d.Model, d.Class = m.model, engine.MX
				return
			}
		}
	}
	switch {
	case name == "" && d.Vendor == 0:
		d.Model, d.Class = "unknown", engine.Unknown
	case name == "mx" || strings.Contains(name, "mx master"):
		d.Model, d.Class = "MX Master", engine.MX
	case name == "tp" || containsAny(name, trackpads[:]):
		d.Model, d.Class = "trackpad", engine.Trackpad
	default:
		d.Model, d.Class = "mouse", engine.Mouse
	}
}

// ClassOf is the class of a device of which only the name is known.
func ClassOf(name string) engine.Class {
	d := Device{Name: name}
	d.Guess()
	return d.Class
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
