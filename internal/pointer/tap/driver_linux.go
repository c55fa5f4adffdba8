package tap

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/x11"
)

// A wheel that reports on a scroll axis cannot be changed on its way: the server
// makes of each of its steps a movement of the axis, for programs of today, and
// a click of a wheel button, for old ones. A passive grab gets the click alone,
// so that only the old programs would see a change; to get the movement, all
// movement of the mouse would have to be read and posted again, always. (Posting is
// the lesser part: XTEST moves the axes of any device that it is given the number
// of.) The driver can invert it, once and for nothing, so it is asked to.

// drivers are the properties with which a driver turns a wheel round.
var drivers = [...]struct {
	name, property string
	invert         func(p []byte, vertical, horizontal bool) bool
}{
	{"libinput", "libinput Natural Scrolling Enabled", invertNatural},
	{"evdev", "Evdev Scrolling Distance", invertDistance},
}

// before is the property in which the value from before this program changed it
// waits to be put back. It lives with the device, as long as the change does, so
// that a worker that was killed leaves its successor all that it needs.
const before = "Flash Scrolling Before"

// invertNatural changes libinput's switch, which is for both directions at once.
func invertNatural(p []byte, vertical, _ bool) bool {
	if len(p) != 1 || !vertical {
		return false
	}
	p[0] ^= 1
	return true
}

// invertDistance changes the sign of evdev's distances: vertical, horizontal and
// a dial's.
func invertDistance(p []byte, vertical, horizontal bool) bool {
	const word = 4
	if len(p) < 2*word {
		return false
	}
	for i, on := range [...]bool{vertical, horizontal} {
		if at := p[i*word:]; on {
			binary.LittleEndian.PutUint32(at, -binary.LittleEndian.Uint32(at))
		}
	}
	return vertical || horizontal
}

// driverOf finds the driver's property of a device.
func driverOf(c *x11.Conn, id uint16) (driver int, atom uint32, p x11.Property, ok bool) {
	for i, d := range drivers {
		atom := c.Atom(d.property, false)
		if p, ok := c.DeviceProperty(id, atom); ok {
			return i, atom, p, true
		}
	}
	return 0, 0, p, false
}

// describeAll is the pointing devices among infos, with their drivers.
func describeAll(c *x11.Conn, infos []x11.Info) (out []device.Device) {
	for _, info := range infos {
		if info.Use != x11.SlavePointer && info.Use != x11.FloatingSlave {
			continue
		}
		d := describeX11(info)
		if i, _, _, ok := driverOf(c, info.ID); ok {
			d.Driver = drivers[i].name
		}
		out = append(out, d)
	}
	return out
}

// turn has the driver of a device invert its wheel as s wants it, or as it was.
func turn(c *x11.Conn, id uint16, s *settings.Settings, wanted bool) error {
	driver, atom, now, ok := driverOf(c, id)
	if !ok {
		return nil
	}
	mark := c.Atom(before, wanted)
	was, marked := c.DeviceProperty(id, mark)
	if !marked {
		was = now
	}
	was.Type, was.Format = now.Type, now.Format
	next := x11.Property{Type: now.Type, Format: now.Format, Data: bytes.Clone(was.Data)}
	wanted = wanted && drivers[driver].invert(next.Data, s.Engine.InvertVertical, s.Engine.InvertHorizontal)
	if !wanted {
		if !marked {
			return nil
		}
		return errors.Join(c.SetDeviceProperty(id, atom, was), c.DeleteDeviceProperty(id, mark))
	}
	if !marked {
		if err := c.SetDeviceProperty(id, mark, was); err != nil {
			return err
		}
	}
	if bytes.Equal(next.Data, now.Data) {
		return nil
	}
	return c.SetDeviceProperty(id, atom, next)
}

// Restore puts back what a worker that was killed has left changed in drivers.
func Restore(display string) error {
	c, err := x11.DialInput(display, x11.Handlers{Event: func([]byte) {}})
	if err != nil {
		return nil // what was changed has gone with its server
	}
	defer c.Close()
	if c.Atom(before, false) == 0 {
		return nil
	}
	infos, err := c.Devices()
	if err != nil {
		return err
	}
	s := settings.Default()
	for _, d := range describeAll(c, infos) {
		err = errors.Join(err, turn(c, uint16(d.ID), &s, false))
	}
	return err
}
