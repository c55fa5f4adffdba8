package x11

import "github.com/jezek/xgb/xproto"

// Property is the value of a device's property.
type Property struct {
	Type   uint32
	Format byte // bits of an item
	Data   []byte
}

// propertyWords is the most that is read of a property.
const propertyWords = 64

// Atom is the number of a name; 0 when make is not set and nobody has used it.
func (c *Conn) Atom(name string, make bool) uint32 {
	r, err := xproto.InternAtom(c.Conn, !make, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	return uint32(r.Atom)
}

// DeviceProperty reads a property; false when the device has none of this name.
func (c *Conn) DeviceProperty(device uint16, atom uint32) (Property, bool) {
	if atom == 0 {
		return Property{}, false
	}
	return c.property(device, atom, propertyWords)
}

func (c *Conn) property(device uint16, atom, words uint32) (Property, bool) {
	b := make([]byte, 24)
	b[0], b[1] = c.xinput, xiGetProperty
	le.PutUint16(b[2:], 6)
	le.PutUint16(b[4:], device)
	le.PutUint32(b[8:], atom)
	le.PutUint32(b[20:], words)
	r, err := c.ask(b)
	if err != nil || len(r) < 32 {
		return Property{}, false
	}
	p := Property{Type: le.Uint32(r[8:]), Format: r[20]}
	size := int(le.Uint32(r[16:])) * int(p.Format) / 8
	if p.Type == 0 || size > len(r)-32 {
		return Property{}, false
	}
	p.Data = r[32 : 32+size]
	return p, true
}

// SetDeviceProperty writes a property. A driver may refuse a value.
func (c *Conn) SetDeviceProperty(device uint16, atom uint32, p Property) error {
	b := make([]byte, 20+pad(len(p.Data)))
	b[0], b[1] = c.xinput, xiChangeProperty
	le.PutUint16(b[2:], uint16(len(b)/4))
	le.PutUint16(b[4:], device)
	b[7] = p.Format // mode 0 replaces
	le.PutUint32(b[8:], atom)
	le.PutUint32(b[12:], p.Type)
	le.PutUint32(b[16:], uint32(len(p.Data)*8/int(p.Format)))
	copy(b[20:], p.Data)
	return c.tell(b)
}

// DeleteDeviceProperty removes a property.
func (c *Conn) DeleteDeviceProperty(device uint16, atom uint32) error {
	b := make([]byte, 12)
	b[0], b[1] = c.xinput, xiDeleteProperty
	le.PutUint16(b[2:], 3)
	le.PutUint16(b[4:], device)
	le.PutUint32(b[8:], atom)
	return c.tell(b)
}
