package tap

import (
	"os/exec"

	"github.com/flash-launcher/flash/internal/pointer/device"
)

// listHID asks macOS for its input devices. A list that cannot be had leaves
// devices unnamed, and the rules for those apply.
func listHID() []macDevice {
	out, err := exec.Command("/usr/bin/hidutil", "list").Output()
	if err != nil {
		return nil
	}
	return parseHIDList(string(out))
}

// List is the connected pointing devices.
func List(string) ([]device.Device, error) {
	var out []device.Device
	seen := map[string]bool{}
	for _, d := range listHID() {
		if key := d.Name + d.USB(); !seen[key] { // a device has several services
			seen[key] = true
			out = append(out, d.Device)
		}
	}
	return out, nil
}

// SystemDevices is nothing beside List on macOS.
func SystemDevices() ([]device.Device, []string) { return nil, nil }

// HasButton reports whether a device has a button of this number. macOS does
// not say how many there are.
func HasButton(device.Device, int32) bool { return true }

// Restore has nothing to put back: macOS takes a dead program's taps away.
func Restore(string) error { return nil }
