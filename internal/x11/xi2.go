package x11

import (
	"errors"
	"fmt"

	"github.com/jezek/xgb/xproto"
)

// XInput 2 requests, from XI2proto.h.
const (
	xiSelectEvents               = 46
	xiQueryVersion               = 47
	xiQueryDevice                = 48
	xiUngrabDevice               = 52
	xiPassiveGrabDevice          = 54
	xiPassiveUngrabDevice        = 55
	xiChangeProperty             = 57
	xiDeleteProperty             = 58
	xiGetProperty                = 59
	anyModifier           uint32 = 1 << 31
	grabAsync                    = 1
	grabButton                   = 0
	statusSuccess                = 0
)

// Device numbers that stand for many.
const (
	AllDevices       = 0
	AllMasterDevices = 1
)

// Events of XInput 2.
const (
	ButtonPress      = 4
	ButtonRelease    = 5
	Motion           = 6
	HierarchyChanged = 11
	RawButtonPress   = 15
	RawButtonRelease = 16
	RawMotion        = 17
)

// Mask is the event mask of the named events.
func Mask(events ...uint) (m uint32) {
	for _, e := range events {
		m |= 1 << e
	}
	return m
}

// ErrGrabbed says that another client has the button.
var ErrGrabbed = errors.New("another program has grabbed it")

// SelectEvents asks for events of a device on the root window.
func (c *Conn) SelectEvents(device uint16, mask uint32) error {
	return c.tell(c.selectRequest(device, mask))
}

func (c *Conn) selectRequest(device uint16, mask uint32) []byte {
	b := make([]byte, 20)
	b[0], b[1] = c.xinput, xiSelectEvents
	le.PutUint16(b[2:], 5)
	le.PutUint32(b[4:], uint32(c.Root))
	le.PutUint16(b[8:], 1)
	le.PutUint16(b[12:], device)
	le.PutUint16(b[14:], 1)
	le.PutUint32(b[16:], mask)
	return b
}

// GrabButton asks for a passive grab of a button with any modifier on the root
// window: from its press to its release the events in mask come here alone.
func (c *Conn) GrabButton(device uint16, button uint32, mask uint32) error {
	return c.AskGrab(device, button, mask)()
}

// AskGrab is GrabButton for a batch; the function that it returns waits for the
// answer.
func (c *Conn) AskGrab(device uint16, button uint32, mask uint32) func() error {
	answer := c.request(c.grabRequest(device, button, mask))
	return func() error {
		r, _, err := answer()
		if err != nil {
			return err
		}
		if n := le.Uint16(r[8:]); n > 0 && len(r) >= 40 && r[36] != statusSuccess {
			return ErrGrabbed
		}
		return nil
	}
}

func (c *Conn) grabRequest(device uint16, button uint32, mask uint32) []byte {
	b := make([]byte, 40)
	b[0], b[1] = c.xinput, xiPassiveGrabDevice
	le.PutUint16(b[2:], 10)
	le.PutUint32(b[8:], uint32(c.Root))
	le.PutUint32(b[16:], button)
	le.PutUint16(b[20:], device)
	le.PutUint16(b[22:], 1)
	le.PutUint16(b[24:], 1)
	b[26], b[27], b[28] = grabButton, grabAsync, grabAsync
	le.PutUint32(b[32:], mask)
	le.PutUint32(b[36:], anyModifier)
	return b
}

// UngrabButton gives the passive grab up.
func (c *Conn) UngrabButton(device uint16, button uint32) {
	b := make([]byte, 24)
	b[0], b[1] = c.xinput, xiPassiveUngrabDevice
	le.PutUint16(b[2:], 6)
	le.PutUint32(b[4:], uint32(c.Root))
	le.PutUint32(b[8:], button)
	le.PutUint16(b[12:], device)
	le.PutUint16(b[14:], 1)
	b[16] = grabButton
	le.PutUint32(b[20:], anyModifier)
	c.post(b)
}

// Ungrab ends the active grab of a device, if this client has it.
func (c *Conn) Ungrab(device uint16) {
	b := make([]byte, 12)
	b[0], b[1] = c.xinput, xiUngrabDevice
	le.PutUint16(b[2:], 3)
	le.PutUint16(b[8:], device)
	c.post(b)
}

// Uses of a device.
const (
	MasterPointer = 1
	SlavePointer  = 3
	FloatingSlave = 5
)

// Info is what the server says of a device.
type Info struct {
	ID, Use, Attachment uint16
	Name                string
	Buttons             int
	Down                uint64 // bit n: button n is down
	Scroll              bool   // the wheel is on an axis, too
	Vendor, Product     uint16
}

// AskDevices asks for a device, or for AllDevices, without what their properties
// say; the function that it returns waits for the answer. The sequence is the
// request's.
func (c *Conn) AskDevices(device uint16) func() (list []Info, sequence uint16, err error) {
	b := make([]byte, 8)
	b[0], b[1] = c.xinput, xiQueryDevice
	le.PutUint16(b[2:], 2)
	le.PutUint16(b[4:], device)
	answer := c.request(b)
	return func() (list []Info, sequence uint16, err error) {
		r, sequence, err := answer()
		if err == nil {
			list, err = parseDevices(r)
		}
		return list, sequence, err
	}
}

// Devices lists the devices.
func (c *Conn) Devices() ([]Info, error) {
	list, _, err := c.AskDevices(AllDevices)()
	if err != nil {
		return nil, err
	}
	atom, err := xproto.InternAtom(c.Conn, true, uint16(len("Device Product ID")), "Device Product ID").Reply()
	if err != nil || atom.Atom == 0 {
		return list, nil // no driver of this server says it
	}
	for i := range list {
		list[i].Vendor, list[i].Product = c.productID(list[i].ID, atom.Atom)
	}
	return list, nil
}

func (c *Conn) productID(device uint16, atom xproto.Atom) (vendor, product uint16) {
	p, ok := c.property(device, uint32(atom), 2)
	if !ok || p.Format != 32 || len(p.Data) < 8 {
		return 0, 0
	}
	return uint16(le.Uint32(p.Data)), uint16(le.Uint32(p.Data[4:]))
}

var errShort = errors.New("the device list is cut short")

func parseDevices(r []byte) ([]Info, error) {
	if len(r) < 32 {
		return nil, errShort
	}
	n, b := int(le.Uint16(r[8:])), r[32:]
	var out []Info
	for range n {
		if len(b) < 12 {
			return nil, errShort
		}
		d := Info{ID: le.Uint16(b), Use: le.Uint16(b[2:]), Attachment: le.Uint16(b[4:])}
		classes, name := int(le.Uint16(b[6:])), int(le.Uint16(b[8:]))
		b = b[12:]
		if len(b) < pad(name) {
			return nil, errShort
		}
		d.Name, b = string(b[:name]), b[pad(name):]
		for range classes {
			if len(b) < 8 {
				return nil, errShort
			}
			size := 4 * int(le.Uint16(b[2:]))
			if size < 8 || len(b) < size {
				return nil, fmt.Errorf("%w: class of %s", errShort, d.Name)
			}
			switch le.Uint16(b) {
			case 1: // buttons
				d.Buttons = int(le.Uint16(b[6:]))
				for i := range min(8, size-8, (d.Buttons+31)/32*4) {
					d.Down |= uint64(b[8+i]) << (8 * i)
				}
			case 3: // scroll
				d.Scroll = true
			}
			b = b[size:]
		}
		out = append(out, d)
	}
	return out, nil
}
