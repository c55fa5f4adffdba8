package device_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
)

func TestAModelIsGuessedFromProductOrName(t *testing.T) {
	for _, c := range []struct {
		d     device.Device
		model string
		class engine.Class
	}{
		{device.Device{Vendor: 0x046d, Product: 0xb034, Name: "Logi"}, "MX Master 3S", engine.MX},
		{device.Device{Vendor: 0x1234, Product: 0xb034, Name: "Logi"}, "mouse", engine.Mouse},
		{device.Device{Name: "Logitech Wireless Mouse MX Master 3"}, "MX Master", engine.MX},
		{device.Device{Vendor: 0x05ac, Name: "Apple Internal Keyboard / Trackpad"}, "trackpad", engine.Trackpad},
		{device.Device{Name: "SynPS/2 Synaptics TouchPad"}, "trackpad", engine.Trackpad},
		{device.Device{Name: "Xvfb mouse"}, "mouse", engine.Mouse},
		{device.Device{}, "unknown", engine.Unknown},
	} {
		c.d.Guess()
		assert.Equal(t, c.model, c.d.Model, c.d.Name)
		assert.Equal(t, c.class, c.d.Class, c.d.Name)
	}
	assert.Equal(t, "046d:b034", device.Device{Vendor: 0x046d, Product: 0xb034}.USB())
}
