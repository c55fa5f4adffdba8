package x11

// DeviceEvent is a button or motion event, raw or not.
type DeviceEvent struct {
	Type           uint16
	Device, Source uint16
	Time           uint32
	Detail         uint32
	X, Y           int32 // where the pointer is on the root window, not for raw ones
	DX, DY         float64
	Emulated       bool // a button made from a scroll axis
}

// HierarchyChange is one device that came or went. A device that is switched
// off, as all are while another session has the screen, is gone for that time.
type HierarchyChange struct {
	Device         uint16
	Added, Removed bool
}

// Sequence is the number of the last request of this connection that the server
// had taken up when it made the event.
func Sequence(ev []byte) uint16 { return le.Uint16(ev[2:]) }

const (
	flagPointerEmulated = 1 << 16
	rawHeader           = 32
	deviceHeader        = 80
	flagSlaveAdded      = 1 << 2
	flagSlaveRemoved    = 1 << 3
	flagEnabled         = 1 << 6
	flagDisabled        = 1 << 7
)

// Type is the XInput 2 type of an event, or 0 for one of another kind.
func (c *Conn) Type(ev []byte) uint16 {
	if ev[0]&127 != genericEvent || ev[1] != c.xinput || len(ev) < 32 {
		return 0
	}
	return le.Uint16(ev[8:])
}

// ParseDevice reads a button or motion event; false if it is cut short.
func ParseDevice(ev []byte, e *DeviceEvent) bool {
	if len(ev) < deviceHeader {
		return false
	}
	*e = DeviceEvent{
		Type: le.Uint16(ev[8:]), Device: le.Uint16(ev[10:]), Time: le.Uint32(ev[12:]), Detail: le.Uint32(ev[16:]),
		X: int32(le.Uint32(ev[32:])) >> 16, Y: int32(le.Uint32(ev[36:])) >> 16,
		Source: le.Uint16(ev[52:]), Emulated: le.Uint32(ev[56:])&flagPointerEmulated != 0,
	}
	return true
}

// ParseRaw reads a raw event; its deltas are what the device sent, before the
// edge of the screen stops the pointer.
func ParseRaw(ev []byte, e *DeviceEvent) bool {
	if len(ev) < rawHeader {
		return false
	}
	*e = DeviceEvent{
		Type: le.Uint16(ev[8:]), Device: le.Uint16(ev[10:]), Time: le.Uint32(ev[12:]), Detail: le.Uint32(ev[16:]),
		Source: le.Uint16(ev[20:]), Emulated: le.Uint32(ev[24:])&flagPointerEmulated != 0,
	}
	words := int(le.Uint16(ev[22:]))
	if words == 0 {
		return true
	}
	b := ev[rawHeader:]
	if len(b) < 4*words {
		return false
	}
	mask, values := b[0], b[4*words:]
	for bit, to := range [...]*float64{&e.DX, &e.DY} {
		if mask&(1<<bit) == 0 {
			continue
		}
		if len(values) < 8 {
			return false
		}
		*to = float64(int32(le.Uint32(values))) + float64(le.Uint32(values[4:]))/(1<<32)
		values = values[8:]
	}
	return true
}

// ParseHierarchy calls got for each device that came or went.
func ParseHierarchy(ev []byte, got func(HierarchyChange)) {
	if len(ev) < 32 {
		return
	}
	n, b := int(le.Uint16(ev[20:])), ev[32:]
	for ; n > 0 && len(b) >= 12; n, b = n-1, b[12:] {
		flags := le.Uint32(b[8:])
		c := HierarchyChange{Device: le.Uint16(b), Added: flags&(flagSlaveAdded|flagEnabled) != 0, Removed: flags&(flagSlaveRemoved|flagDisabled) != 0}
		if c.Added || c.Removed {
			got(c)
		}
	}
}
