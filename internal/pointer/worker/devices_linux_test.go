package worker_test

import (
	"testing"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mouse is a device of the server's own, by which a second hand can press.
const mouse = "Xvfb mouse"

// press presses or releases an X button of one device.
func (r *rig) press(device uint16, button byte, down bool) {
	r.t.Helper()
	q, err := xproto.QueryExtension(r.hand.Conn.Conn, uint16(len("XInputExtension")), "XInputExtension").Reply()
	require.NoError(r.t, err)
	const deviceButtonPress, deviceButtonRelease = 3, 4 // counted from the extension's first event
	kind := q.FirstEvent + deviceButtonRelease
	if down {
		kind = q.FirstEvent + deviceButtonPress
	}
	xtest.FakeInput(r.hand.Conn.Conn, kind, button, 0, 0, 0, 0, byte(device))
	require.NoError(r.t, r.hand.Sync())
}

// enable switches a device on or off, as another session on the screen does.
func (r *rig) enable(device uint16, value byte) {
	r.t.Helper()
	enabled := r.hand.Atom("Device Enabled", false)
	p, ok := r.hand.DeviceProperty(device, enabled)
	require.True(r.t, ok)
	p.Data = []byte{value}
	require.NoError(r.t, r.hand.SetDeviceProperty(device, enabled, p))
}

const xMiddle = 2

func TestAHoldOfADeviceThatIsSwitchedOffDoesNothing(t *testing.T) {
	r := newRig(t, "gesture = 2\n[pointer.actions]\nclick = \"workspace_right\"\n")
	id := r.device(mouse)
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	r.press(id, xMiddle, true)
	r.hand.MoveTo(510, 400)
	require.NoError(t, r.hand.Sync())
	r.enable(id, 0)
	r.enable(id, 1)
	// The device's next click is one.
	r.press(id, xMiddle, true)
	r.press(id, xMiddle, false)
	r.eventually("the click", func() bool { d, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP"); return d == 1 })
	out := w.stop()
	assert.Equal(t, 1, count(t, out, "actions"), out)
	assert.Equal(t, 1, count(t, out, "dev_remove"), out)
	assert.Equal(t, 2, count(t, out, "up"), out)
}

func TestTheFirstOfTwoMiceThatPressesTheGestureButtonOwnsIt(t *testing.T) {
	r := newRig(t, "gesture = 2\n[pointer.actions]\nclick = \"workspace_right\"\n")
	id := r.device(mouse)
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	r.press(id, xMiddle, true)
	r.hand.Click(xMiddle) // the other's, while the first holds
	require.NoError(t, r.hand.Sync())
	r.hand.MoveTo(100, 400) // and its movement, which is no part of the hold
	require.NoError(t, r.hand.Sync())
	r.press(id, xMiddle, false)
	r.eventually("the click of the first", func() bool { d, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP"); return d == 1 })
	out := w.stop()
	assert.Equal(t, 1, count(t, out, "actions"), out)
}
