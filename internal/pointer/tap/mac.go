package tap

import (
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/device"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// What a macOS event tap reports and what it must do with it is decided here,
// where it can be tested anywhere; the tap itself only copies fields.

// macFields are the fields of a CGEvent that decisions depend on.
type macFields struct {
	kind                     uint32 // CGEventType
	stamp                    uint64 // when it happened, as macOS has it; 0 for a notice
	now                      uint64 // nanoseconds since the machine started, asleep ones left out
	button                   int64
	dx, dy                   int64
	line1, line2             int64
	fixed1, fixed2           float64
	point1, point2           int64
	continuous, phase, mom   int64
	userData, sender         int64
	movementTap, meantToMove bool
}

// CGEventType, from CGEventTypes.h.
const (
	macMouseMoved        = 5
	macLeftDragged       = 6
	macRightDragged      = 7
	macScroll            = 22
	macOtherDown         = 25
	macOtherUp           = 26
	macOtherDragged      = 27
	macDisabledByTimeout = 0xFFFFFFFE
	macDisabledByUser    = 0xFFFFFFFF
)

// macTag marks events that this program posts, in the field for user data.
const macTag = 0x464c5348

// macTable knows the devices by the number of their event service, which
// events carry as their sender.
type macTable struct {
	devices  map[int64]known
	settings settings.Settings
	ticks    uint64 // of the processor's clock, in a second
}

func newMacTable(s settings.Settings, list []macDevice, ticks uint64) *macTable {
	t := &macTable{devices: map[int64]known{}, settings: s, ticks: ticks}
	for _, d := range list {
		k := known{Device: d.Device, class: s.ClassOf(d.Name, d.Class), skipFirst: s.Devices[d.Name].SkipFirstReport}
		t.devices[d.registry] = k
	}
	return t
}

// event turns the fields into an engine event; false for one that is no
// business of the engine's: the notice that the movement tap is off while it
// is meant to be.
func (t *macTable) event(f *macFields, e *engine.Event) bool {
	*e = engine.Event{T: happened(f.stamp, f.now, t.ticks), Tagged: f.userData == macTag}
	if k, ok := t.devices[f.sender]; ok && f.sender != 0 {
		e.Dev, e.Class, e.SkipFirst = k.ID, k.class, k.skipFirst
	}
	switch f.kind {
	case macOtherDown:
		e.Kind, e.Button = engine.Down, int32(f.button)
	case macOtherUp:
		e.Kind, e.Button = engine.Up, int32(f.button)
	case macMouseMoved, macLeftDragged, macRightDragged, macOtherDragged:
		e.Kind, e.DX, e.DY = engine.Move, narrow(f.dx), narrow(f.dy)
	case macScroll:
		e.Kind = engine.Scroll
		e.Vertical = engine.Axis{Line: narrow(f.line1), Fixed: f.fixed1, Point: narrow(f.point1)}
		e.Horizontal = engine.Axis{Line: narrow(f.line2), Fixed: f.fixed2, Point: narrow(f.point2)}
		e.Continuous, e.Phase, e.Momentum = f.continuous != 0, narrow(f.phase), narrow(f.mom)
	case macDisabledByTimeout, macDisabledByUser:
		e.Kind = engine.TapDisabled
		return !f.movementTap || f.meantToMove
	default:
		return false
	}
	return true
}

// happened is when an event did, in milliseconds since the machine started. macOS
// documents nanoseconds. On Apple's own processors it was seen to give some
// events ticks of their clock, of which each takes longer. What lies right before
// now is meant; a stamp that does not in either unit, such as one that a program
// made up, is taken for now.
func happened(stamp, now, ticks uint64) int64 {
	const perMS, perSecond = 1e6, 1e9
	const late = perSecond // a callback that comes later than this was disabled before
	near := func(t uint64) bool { return t <= now+perMS && t+late >= now }
	if !near(stamp) && ticks > 0 {
		stamp = stamp/ticks*perSecond + stamp%ticks*perSecond/ticks
	}
	if !near(stamp) {
		stamp = now
	}
	return int64(stamp / perMS)
}

func narrow(v int64) int32 {
	const low, high = -1 << 31, 1<<31 - 1
	return int32(max(low, min(high, v)))
}

// macDevice is a device with the number of its event service.
type macDevice struct {
	device.Device
	registry int64
}

// parseHIDList reads what `hidutil list` prints: tables whose cells begin
// where their headings do. Only pointing devices are kept: usage page 1,
// usage 1 or 2.
func parseHIDList(text string) []macDevice {
	var out []macDevice
	var columns map[string][2]int
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "VendorID") {
			columns = headings(line)
			continue
		}
		if columns == nil {
			continue
		}
		cell := func(name string) string {
			c, ok := columns[name]
			if !ok || c[0] >= len(line) {
				return ""
			}
			return strings.TrimSpace(line[c[0]:min(c[1], len(line))])
		}
		number := func(name string) int64 {
			n, _ := strconv.ParseInt(cell(name), 0, 64)
			return n
		}
		registry := number("RegistryID")
		if number("UsagePage") != 1 || (number("Usage") != 1 && number("Usage") != 2) || registry == 0 {
			continue
		}
		d := macDevice{registry: registry, Device: device.Device{
			ID: engine.Device(registry), Name: cell("Product"),
			Vendor: uint16(number("VendorID")), Product: uint16(number("ProductID")), Source: "hidutil",
		}}
		d.Guess()
		out = append(out, d)
	}
	return out
}

// headings are the columns of a table, from each heading to the next.
func headings(line string) map[string][2]int {
	out := map[string][2]int{}
	at := 0
	last := ""
	for at < len(line) {
		start := at + len(line[at:]) - len(strings.TrimLeft(line[at:], " "))
		if start == len(line) {
			break
		}
		end := start + strings.IndexByte(line[start:]+" ", ' ')
		if last != "" {
			out[last] = [2]int{out[last][0], start}
		}
		last = line[start:end]
		out[last] = [2]int{start, 1 << 20}
		at = end
	}
	return out
}
