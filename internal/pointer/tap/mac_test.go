package tap

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

// hidList has the form of what hidutil prints.
const hidList = `Services:
VendorID ProductID LocationID UsagePage Usage RegistryID  Transport            Class                       Product
0x46d    0xb034    0x0        1         2     0x100000a10 Bluetooth Low Energy AppleUserHIDEventService    MX Master 3S
0x5ac    0x342     0x80500000 1         2     0x100000b20 FIFO                 AppleMultitouchTrackpad     Apple Internal Keyboard / Trackpad
0x5ac    0x342     0x80500000 1         6     0x100000b30 FIFO                 AppleHIDKeyboardEvent       Apple Internal Keyboard / Trackpad
Devices:
VendorID ProductID LocationID UsagePage Usage RegistryID  Transport            Class                       Product
0x1234   0x1       0x0        1         2     0x100000c40 USB                  AppleUserUSBHostHIDDevice   Plain Mouse
`

func TestTheDeviceListOfMacOSIsRead(t *testing.T) {
	list := parseHIDList(hidList)
	require.Len(t, list, 3, "the keyboard is none")
	assert.Equal(t, "MX Master 3S", list[0].Name)
	assert.Equal(t, "046d:b034", list[0].USB())
	assert.Equal(t, engine.MX, list[0].Class)
	assert.EqualValues(t, 0x100000a10, list[0].registry)
	assert.Equal(t, engine.Trackpad, list[1].Class)
	assert.Equal(t, "Plain Mouse", list[2].Name)
}

func TestFieldsOfAnEventBecomeAnEngineEvent(t *testing.T) {
	s := settings.Default()
	s.Devices = map[string]settings.Device{"MX Master 3S": {SkipFirstReport: true}}
	table := newMacTable(s, parseHIDList(hidList), 1e9)
	var e engine.Event
	require.True(t, table.event(&macFields{kind: macScroll, stamp: 12_345_678_901, now: 12_346_000_000, sender: 0x100000a10, line1: -2, fixed1: -1.5, point1: -15, line2: 1, continuous: 1, phase: 2, mom: 3}, &e))
	assert.Equal(t, engine.Event{
		T: 12345, Kind: engine.Scroll, Dev: e.Dev, Class: engine.MX, SkipFirst: true,
		Vertical: engine.Axis{Line: -2, Fixed: -1.5, Point: -15}, Horizontal: engine.Axis{Line: 1}, Continuous: true, Phase: 2, Momentum: 3,
	}, e)
	assert.NotZero(t, e.Dev)
	require.True(t, table.event(&macFields{kind: macOtherDown, button: 5, userData: macTag}, &e))
	assert.Equal(t, engine.Event{Kind: engine.Down, Button: 5, Tagged: true}, e)
	require.True(t, table.event(&macFields{kind: macMouseMoved, dx: math.MaxInt64, dy: math.MinInt64}, &e))
	assert.Equal(t, engine.Event{Kind: engine.Move, DX: math.MaxInt32, DY: math.MinInt32}, e)
}

func TestTheTimeOfAnEventIsThatRightBeforeNowInWhicheverUnit(t *testing.T) {
	const now, apple = 100_000_000_000_000, 24_000_000 // a day after the start
	for _, c := range []struct {
		name         string
		stamp, ticks uint64
		want         int64
	}{
		{"nanoseconds on Intel", now - 5_000_000, 1e9, now/1e6 - 5},
		{"nanoseconds on Apple's", now - 5_000_000, apple, now/1e6 - 5},
		{"ticks on Apple's", (now - 5_000_000) / 1000 * 24, apple, now/1e6 - 5},
		{"a little ahead", now + 900_000, apple, now / 1e6},
		{"of long ago", 12_345, apple, now / 1e6},
		{"of the future", now * 2, apple, now / 1e6},
		{"none, for a notice", 0, apple, now / 1e6},
		{"ticks of an unknown clock", now / 1000 * 24, 0, now / 1e6},
	} {
		assert.Equal(t, c.want, happened(c.stamp, now, c.ticks), c.name)
	}
}

func TestANoticeAboutATapThatIsMeantToBeOffIsNone(t *testing.T) {
	table := newMacTable(settings.Default(), nil, 1e9)
	var e engine.Event
	assert.False(t, table.event(&macFields{kind: macDisabledByUser, movementTap: true}, &e))
	assert.True(t, table.event(&macFields{kind: macDisabledByTimeout, movementTap: true, meantToMove: true}, &e))
	assert.True(t, table.event(&macFields{kind: macDisabledByTimeout}, &e))
	assert.Equal(t, engine.TapDisabled, e.Kind)
	assert.False(t, table.event(&macFields{kind: 1}, &e))
}

func FuzzParseHIDListNeverPanics(f *testing.F) {
	f.Add(hidList)
	f.Add("VendorID\n1")
	f.Fuzz(func(t *testing.T, text string) { parseHIDList(text) })
}
