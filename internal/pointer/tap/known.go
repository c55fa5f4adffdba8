package tap

import (
	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// known is a device with what the configuration makes of it.
type known struct {
	device.Device
	class     engine.Class
	skipFirst bool
	grabbed   bool // X11: its wheel is ours
	xtest     bool // X11: test input comes from it
}

// clicks reports whether the wheel is buttons alone, so that a grab of them takes
// all of a step.
func (k known) clicks() bool { return !k.SmoothScroll && k.Driver == "" }
