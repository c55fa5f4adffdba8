package worker

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

func TestWhatIsSaidOfAWheelIsWhatBecomesOfIt(t *testing.T) {
	for _, c := range []struct {
		driver               string
		axis                 bool
		vertical, horizontal bool
		want                 string
	}{
		{"", false, true, false, "wheel vertical inverted smoothed at most 5 a step"},
		{"", false, false, true, "wheel horizontal inverted smoothed at most 5 a step"},
		{"", true, true, false, "wheel not: it scrolls on an axis, and its driver has no setting to invert it"},
		{"libinput", true, true, true, "wheel inverted by its driver, libinput"},
		{"libinput", true, true, false, "wheel inverted by its driver, libinput, in both directions: it has one switch for them"},
		{"libinput", true, false, true, "wheel not: its driver, libinput, has one switch for both directions, which invert_vertical asks for"},
		{"libinput", true, false, false, "wheel not: its driver, libinput, can only invert it"},
		{"evdev", true, false, true, "wheel inverted by its driver, evdev"},
	} {
		s := settings.Default()
		s.Engine.InvertVertical, s.Engine.InvertHorizontal = c.vertical, c.horizontal
		got := changes(s, device.Device{Name: "MX Master 3", Class: engine.MX, Buttons: 1, Driver: c.driver, SmoothScroll: c.axis, Source: "X11"})
		assert.Equal(t, []string{c.want}, got)
	}
}
