package tap

import (
	"errors"
	"fmt"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/x11"
)

// Open opens the platform's tap.
func Open(o Options) (Source, error) { return openX11(o) }

// Probe says whether input could be tapped now, without tapping any.
func Probe(display string) error {
	c, err := x11.DialInput(display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		if errors.Is(err, x11.ErrRefused) {
			return fmt.Errorf("%w: %w", ErrPermission, err)
		}
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.Close()
	return nil
}

// List is the connected pointing devices.
func List(display string) ([]device.Device, error) {
	c, err := x11.DialInput(display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		if errors.Is(err, x11.ErrRefused) {
			return nil, fmt.Errorf("%w: %w", ErrPermission, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer c.Close()
	infos, err := c.Devices()
	if err != nil {
		return nil, err
	}
	return describeAll(c, infos), nil
}

func describeX11(info x11.Info) device.Device {
	d := device.Device{
		ID: engine.Device(info.ID), Name: info.Name, Vendor: info.Vendor, Product: info.Product,
		Buttons: info.Buttons, SmoothScroll: info.Scroll, Source: "X11",
		Virtual: isXTest(info.Name),
	}
	d.Guess()
	return d
}

// isXTest reports whether the device is the one that a server makes for test
// input; the server names it after the master that it belongs to.
func isXTest(name string) bool {
	const suffix = " XTEST pointer"
	return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix
}
