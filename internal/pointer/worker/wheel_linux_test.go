package worker_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

// plain turns each step round and changes nothing else of it, so that steps can
// be counted.
const plain = "smoothing = \"none\"\nreverse_guard_ms = 0\nclick = \"none\"\n[pointer.devices.\"" + chosen + "\"]\nclass = \"mx_master\"\n"

func count(t *testing.T, summary, kind string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + kind + ` (\d+)$`).FindStringSubmatch(summary)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	return n
}

func TestEachStepOfADeviceThatTheWorkerItselfPostsFromIsCountedOnce(t *testing.T) {
	r := newRig(t, plain)
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	second, err := r.server.Hand()
	require.NoError(t, err)
	defer second.Close()
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	up, down, steps := 0, 0, 0
	turn := func(h *xvfb.Hand, button byte) {
		h.Click(button)
		steps++
		if button == 4 {
			down++
		} else {
			up++
		}
	}
	arrived := func() bool {
		return win.Releases(4) == int64(up) && win.Releases(5) == int64(down)
	}
	for burst := range 40 {
		for i := range 50 {
			turn(r.hand, byte(4+i%7/4))
			if i%5 == 0 {
				r.hand.MoveTo(int16(500+i), 400)
			}
		}
		if burst%4 == 0 {
			// Another program posts from the same device, too, and keeps a
			// button of the wheel down meanwhile.
			require.NoError(t, r.hand.Sync())
			second.Press(5)
			require.NoError(t, second.Sync())
			for range 5 {
				turn(r.hand, 4)
			}
			require.NoError(t, r.hand.Sync())
			second.Release(5)
			steps++
			up++
			turn(second, 4)
		}
		require.NoError(t, r.hand.Sync())
		require.NoError(t, second.Sync())
		r.eventually(fmt.Sprintf("the steps of burst %d", burst), arrived)
	}
	out := w.stop()
	assert.Equal(t, steps, count(t, out, "scroll"), "steps that the worker saw")
	assert.True(t, arrived(), "and no more came")
}

func TestStepsDuringAHoldOfTheSameDeviceDoNotComeBackToTheWorker(t *testing.T) {
	r := newRig(t, plain)
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	const holds, steps = 20, 10
	for range holds {
		r.hand.Press(xGesture)
		for range steps {
			r.hand.Click(4)
		}
		require.NoError(t, r.hand.Sync())
		r.hand.Release(xGesture)
	}
	require.NoError(t, r.hand.Sync())
	out := w.stop()
	assert.LessOrEqual(t, count(t, out, "scroll"), holds*steps)
	assert.Equal(t, holds, count(t, out, "down"))
	assert.Equal(t, holds, count(t, out, "up"))
}

func TestAPassedClickComesOnceHoweverFastTheNextOneIs(t *testing.T) {
	r := newRig(t, "click = \"pass\"\n")
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	const clicks = 200
	for i := range clicks {
		r.hand.Click(xGesture)
		if i%8 == 7 {
			require.NoError(t, r.hand.Sync())
			r.eventually("the clicks", func() bool { return win.Releases(xGesture) == int64(i+1) })
		}
	}
	r.eventually("the last clicks", func() bool { return win.Releases(xGesture) == clicks })
	out := w.stop()
	assert.Equal(t, clicks, count(t, out, "down"), "the worker does not take its own clicks for the hand's")
	assert.EqualValues(t, clicks, win.Presses(xGesture))
}

// natural gives the device of test input the property by which libinput's
// driver inverts a wheel.
const natural = "libinput Natural Scrolling Enabled"

type wheelDriver struct {
	t    *testing.T
	hand *xvfb.Hand
	id   uint16
}

func (r *rig) driver(name string, value byte) wheelDriver {
	d := wheelDriver{r.t, r.hand, r.device(name)}
	const integer = xproto.AtomInteger
	require.NoError(r.t, r.hand.SetDeviceProperty(d.id, r.hand.Atom(natural, true), x11.Property{Type: integer, Format: 8, Data: []byte{value}}))
	return d
}

func (r *rig) device(name string) uint16 {
	r.t.Helper()
	infos, err := r.hand.Devices()
	require.NoError(r.t, err)
	for _, i := range infos {
		if i.Name == name {
			return i.ID
		}
	}
	r.t.Fatalf("no device %q", name)
	return 0
}

func (d wheelDriver) value() byte {
	p, ok := d.hand.DeviceProperty(d.id, d.hand.Atom(natural, false))
	require.True(d.t, ok)
	require.Len(d.t, p.Data, 1)
	return p.Data[0]
}

const inverted = "[pointer.devices.\"" + chosen + "\"]\nclass = \"mx_master\"\n"

func TestAWheelOnAnAxisIsInvertedByItsDriverAndPutBack(t *testing.T) {
	r := newRig(t, inverted)
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	for _, was := range []byte{0, 1} {
		d := r.driver(chosen, was)
		out, _ := r.flash("pointer", "check")
		assert.Contains(t, out, "wheel inverted by its driver, libinput")
		i := r.inspect()
		r.hand.Click(4)
		shown := i.until("scroll")
		assert.Contains(t, shown[len(shown)-1], "→ pass  (this wheel cannot be changed on its way", "as the worker leaves it")
		i.interrupt()
		w := r.run("--summary")
		assert.Equal(t, 1-was, d.value())
		before := win.Releases(4)
		r.hand.MoveTo(500, 400)
		r.hand.Click(4)
		require.NoError(t, r.hand.Sync())
		r.eventually("the step, as the driver made it", func() bool { return win.Releases(4) == before+1 })
		assert.Zero(t, count(t, w.stop(), "scroll"), "no event of it costs anything")
		assert.Equal(t, was, d.value(), "put back")
	}
}

func TestAKilledWorkersInversionIsPutBackByItsSuccessorOrByOff(t *testing.T) {
	r := newRig(t, inverted)
	d := r.driver(chosen, 0)
	for range 2 {
		pid, _, err := r.on()
		require.NoError(t, err)
		require.EqualValues(t, 1, d.value())
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		r.eventually("stale", func() bool { return r.look().State == worker.Stale })
		require.EqualValues(t, 1, d.value(), "the driver keeps it")
	}
	// A successor took it over without turning it round again.
	_, _, err := r.on()
	require.NoError(t, err)
	require.EqualValues(t, 1, d.value())
	_, err = worker.Off(context.Background(), r.state())
	require.NoError(t, err)
	assert.EqualValues(t, 0, d.value())

	pid, _, err := r.on()
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	r.eventually("stale", func() bool { return r.look().State == worker.Stale })
	_, code := r.flash("pointer", "off")
	assert.Zero(t, code)
	assert.EqualValues(t, 0, d.value())
}

func TestAKilledWorkersInversionIsPutBackWhenItIsWantedNoLonger(t *testing.T) {
	r := newRig(t, inverted)
	d := r.driver(chosen, 0)
	pid, _, err := r.on()
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	r.eventually("stale", func() bool { return r.look().State == worker.Stale })
	require.NoError(t, os.WriteFile(r.dir+"/config.toml", []byte("[pointer]\ntransform = \"off\"\n"), 0o600))
	w := r.run()
	assert.EqualValues(t, 0, d.value())
	w.stop()
}
