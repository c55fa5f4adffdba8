package tap

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/x11"
)

func TestButtonsAreNumberedAsOnMacOS(t *testing.T) {
	for button, x := range map[int32]uint32{0: 1, 1: 3, 2: 2, 3: 8, 4: 9, 5: 10, 31: 36} {
		assert.Equal(t, x, toX(button))
		back, ok := fromX(x)
		assert.True(t, ok)
		assert.Equal(t, button, back)
	}
	for x := uint32(4); x <= 7; x++ {
		_, ok := fromX(x)
		assert.False(t, ok, "the wheel is no button")
		v, h := step(x)
		lines := v + h
		button, times := wheelButton(lines, 4, 5)
		if h != 0 {
			button, times = wheelButton(lines, 6, 7)
		}
		assert.EqualValues(t, x, button)
		assert.EqualValues(t, 1, times)
	}
}

func TestAtTheEdgeOfTheScreenTheDevicesOwnMovementCounts(t *testing.T) {
	var got []engine.Event
	x := &xtap{
		o:    Options{Settings: settings.Default(), Handle: func(e *engine.Event) engine.Decision { got = append(got, *e); return engine.Decision{} }},
		conn: &x11.Conn{Screen: &xproto.ScreenInfo{WidthInPixels: 1000, HeightInPixels: 800}},
	}
	x.table.Store(&table{devices: map[uint16]known{6: {}, 4: {xtest: true}}})
	x.device(&x11.DeviceEvent{Type: x11.ButtonPress, Source: 6, Detail: 10, X: 3, Y: 400})
	move := func(source uint16, rawX float64, at int32) int32 {
		x.rawEvent(&x11.DeviceEvent{Type: x11.RawMotion, Source: source, DX: rawX})
		x.device(&x11.DeviceEvent{Type: x11.Motion, Source: source, X: at, Y: 400})
		return got[len(got)-1].DX
	}
	assert.EqualValues(t, -2, move(6, -5, 1), "inside, where the pointer is counts, acceleration and all")
	assert.EqualValues(t, -30, move(6, -30, 0), "the pointer stops, the hand does not")
	assert.EqualValues(t, -30, move(6, -30, 0))
	assert.EqualValues(t, 4, move(6, 4, 4), "away from the edge")
	assert.EqualValues(t, -4, move(4, -700, 0), "test input has positions there, which are not believed")
	move(6, 40, 999)
	assert.EqualValues(t, 40, move(6, 40, 999), "the other edge")
}

func TestServerTimeGoesOnAfterItsCountBeginsAnew(t *testing.T) {
	var c clock
	c.at(1<<32 - 10)
	before := c.now
	assert.EqualValues(t, 30, c.at(20)-before)
	assert.EqualValues(t, -5, c.at(15)-c.at(20), "events of two devices may be out of order")
}

func TestTheKernelsListIsRead(t *testing.T) {
	list := parseInputDevices([]byte(`I: Bus=0003 Vendor=046d Product=c52b Version=0111
N: Name="Logitech MX Master 3"
H: Handlers=mouse0 event5
B: KEY=ffff0000 0 0 0 0

I: Bus=0011 Vendor=0001 Product=0001 Version=ab41
N: Name="AT keyboard"
H: Handlers=sysrq kbd event0
B: KEY=402000000 3803078f800d001 feffffdfffefffff fffffffffffffffe
`))
	require.Len(t, list, 1)
	assert.Equal(t, "Logitech MX Master 3", list[0].Name)
	assert.Equal(t, "046d:c52b", list[0].USB())
	assert.Equal(t, 8, list[0].Buttons)
	assert.Equal(t, engine.MX, list[0].Class)
}

func FuzzParseInputDevicesNeverPanics(f *testing.F) {
	f.Add([]byte("I: Vendor=1\nN: Name=\"x\"\nH: Handlers=mouse0\nB: KEY=1 2 3"))
	f.Fuzz(func(t *testing.T, data []byte) { parseInputDevices(data) })
}

func TestHandlingAnEventAllocatesNothing(t *testing.T) {
	var asleep time.Duration
	x, _, _ := fakeTap(&asleep)
	x.o.Handle = func(*engine.Event) engine.Decision { return engine.Decision{} }
	ev := make([]byte, 32+26*4)
	ev[0], ev[8], ev[52] = 35, x11.Motion, 6
	at := byte(0)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		at++
		ev[34] = at
		x.handle(ev)
		x.pause()
	}))
	assert.NotZero(t, x.pointer.x)
}

// message is an event as the server sends it: axes holds the bits of those that
// it names, in two words as Xorg does, and buttons are the words of its buttons.
func message(kind uint16, source byte, buttons int, axes byte) []byte {
	const raw, device = 32, 80
	ev := make([]byte, raw+8+4*8)
	ev[20], ev[22] = source, 2
	at := raw
	if kind == x11.Motion {
		at = device + 4*buttons
		ev = make([]byte, at+8+4*8)
		ev[48], ev[50], ev[52] = byte(buttons), 2, source
		for i := range 4 * buttons {
			ev[device+i] = 0xff // none of which is an axis
		}
	}
	ev[0], ev[8], ev[at] = 35, byte(kind), axes
	return ev
}

func TestAStepOfAWheelOnAnAxisIsNoMovement(t *testing.T) {
	var asleep time.Duration
	for _, mode := range []Mode{Gate, Full, Watch} {
		x, kinds, _ := fakeTap(&asleep)
		x.o.Mode = mode
		kind := uint16(x11.RawMotion)
		if mode == Gate {
			kind = x11.Motion
			x.device(&x11.DeviceEvent{Type: x11.ButtonPress, Source: 6, Detail: 10, X: 500, Y: 400})
		}
		before := len(*kinds)
		for _, axes := range []byte{1 << 2, 1 << 3, 1<<2 | 1<<3} {
			ev := message(kind, 6, 2, axes)
			ev[10] = 6
			x.handle(ev)
		}
		assert.Len(t, *kinds, before, "mode %d", mode)
		for _, axes := range []byte{1, 2, 3, 1 | 1<<3, 0} {
			ev := message(kind, 6, 2, axes)
			ev[10] = 6
			x.handle(ev)
		}
		assert.Len(t, *kinds, before+5, "mode %d", mode)
	}
}

func TestAMessageCutShortIsReadToItsEndAndNoFurther(t *testing.T) {
	for _, ev := range [][]byte{message(x11.Motion, 6, 2, 8), message(x11.RawMotion, 6, 0, 8)} {
		for n := 9; n <= len(ev); n++ {
			travels(deviceAxes(ev[:n]))
			travels(rawAxes(ev[:n]))
		}
	}
}
