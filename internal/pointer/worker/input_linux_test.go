package worker_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/x11"
)

// X buttons of the default configuration.
const (
	xBack    = 8
	xForward = 9
	xGesture = 10
)

func TestTwoHundredMovesBelowTheThresholdReachTheWorkerAndFireNothing(t *testing.T) {
	r := newRig(t, "click = \"none\"\n")
	w := r.run("--summary")
	r.hand.MoveTo(500, 400)
	for range 50 { // not held: none of these may arrive
		r.hand.MoveTo(501, 400)
		r.hand.MoveTo(500, 400)
	}
	r.hand.Press(xGesture)
	for i := range 200 {
		r.hand.MoveTo(int16(501-i%2), 400)
	}
	r.hand.Release(xGesture)
	require.NoError(t, r.hand.Sync())
	out := w.stop()
	assert.Equal(t, "down 1\nup 1\nmove 200\nactions 0\nactions_dropped 0\n", out)
	desktop, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP")
	assert.Zero(t, desktop)
}

func TestAFlickSwitchesTheWorkspaceAndTheOppositeOneGoesBack(t *testing.T) {
	r := newRig(t, "")
	w := r.run()
	flick := func(to int16) {
		r.hand.MoveTo(500, 400)
		r.hand.Press(xGesture)
		r.hand.MoveTo(to, 400)
		r.hand.Release(xGesture)
	}
	is := func(want uint32) func() bool {
		return func() bool { d, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP"); return d == want }
	}
	flick(250) // the desktop follows the hand: to the left brings the right one
	r.eventually("the workspace on the right", is(1))
	flick(750)
	r.eventually("the workspace on the left", is(0))
	w.stop()
}

func TestAPassedClickReachesTheWindowBelow(t *testing.T) {
	r := newRig(t, "click = \"pass\"\n")
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	w := r.run()
	r.hand.MoveTo(500, 400)
	const clicks = 5
	for i := range clicks {
		r.hand.Click(xGesture)
		require.NoError(t, r.hand.Sync())
		r.eventually("the click", func() bool {
			return win.Presses(xGesture) == int64(i+1) && win.Releases(xGesture) == int64(i+1)
		})
	}
	// A flick is none: its button stays the worker's.
	r.hand.Press(xGesture)
	r.hand.MoveTo(100, 400)
	r.hand.Release(xGesture)
	r.eventually("the workspace", func() bool { d, _ := r.hand.Cardinal("_NET_CURRENT_DESKTOP"); return d == 1 })
	w.stop()
	assert.EqualValues(t, clicks, win.Presses(xGesture))
	assert.EqualValues(t, clicks, win.Releases(xGesture))
}

func TestBackAndForwardAreKeysAndEveryKeyThatGoesDownComesUp(t *testing.T) {
	r := newRig(t, "")
	win, err := r.server.Window()
	require.NoError(t, err)
	defer win.Close()
	w := r.run()
	r.hand.MoveTo(500, 400)
	for _, b := range []byte{xBack, xForward} {
		r.hand.Click(b)
		require.NoError(t, r.hand.Sync())
		var got []string
		down := map[byte]bool{}
		for len(got) < 4 {
			select {
			case k := <-win.Keys():
				require.NotEqual(t, k.Down, down[k.Code])
				down[k.Code] = k.Down
				got = append(got, fmt.Sprint(k.Down))
			case <-time.After(patience):
				t.Fatalf("button %d: keys %v", b, got)
			}
		}
		assert.Equal(t, []string{"true", "true", "false", "false"}, got, "alt down, arrow down, arrow up, alt up")
	}
	w.stop()
	assert.Zero(t, win.Presses(xBack)+win.Presses(xForward)+win.Releases(xBack)+win.Releases(xForward), "the buttons themselves are swallowed")
}

const chosen = "Virtual core XTEST pointer"

func TestTheWheelOfTheChosenDeviceIsInvertedAndOfNoOther(t *testing.T) {
	for _, c := range []struct {
		name, table string
		up, down    int64
	}{
		{"chosen", "[pointer.devices.\"" + chosen + "\"]\nclass = \"mx_master\"\n", 0, 3},
		{"not chosen", "", 3, 0},
		{"switched off", "transform = \"off\"\n[pointer.devices.\"" + chosen + "\"]\nclass = \"mx_master\"\n", 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.table)
			win, err := r.server.Window()
			require.NoError(t, err)
			defer win.Close()
			w := r.run()
			r.hand.MoveTo(500, 400)
			for i := range 3 {
				r.hand.Click(4)
				require.NoError(t, r.hand.Sync())
				r.eventually("the step", func() bool { return win.Releases(4)+win.Releases(5) == int64(i+1) })
			}
			w.stop()
			assert.Equal(t, c.up, win.Presses(4))
			assert.Equal(t, c.down, win.Presses(5))
		})
	}
}

func TestASecondGrabberIsNamed(t *testing.T) {
	r := newRig(t, "")
	require.NoError(t, r.hand.GrabButton(x11.AllMasterDevices, xGesture, x11.Mask(x11.ButtonPress, x11.ButtonRelease)))
	out, code := r.flash("pointer", "on")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "gesture button 5 (X button 10) on display "+r.display+": another program has grabbed it")
	assert.Contains(t, out, fmt.Sprintf("(pid %d)", os.Getpid()), "this test is the grabber")
	assert.Contains(t, out, "close that program, or set pointer.gesture to another button")
	_, code = r.flash("pointer", "status")
	assert.Equal(t, 3, code, "nothing is left")
}

func TestAWorkerEndsWithItsDisplayAndLeavesNothing(t *testing.T) {
	r := newRig(t, "")
	w := r.run()
	r.server.Kill()
	err := w.cmd.Wait()
	require.Error(t, err)
	assert.Equal(t, 1, w.cmd.ProcessState.ExitCode())
	assert.Contains(t, w.out.String(), "the X server closed the connection")
	assert.NoFileExists(t, worker.PIDFile(r.state()))
}

// refusingDisplay is an X server that lets nobody in.
func refusingDisplay(t *testing.T) string {
	t.Helper()
	require.NoError(t, os.MkdirAll("/tmp/.X11-unix", 0o1777))
	for n := 600; n < 700; n++ {
		path := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
		l, err := net.Listen("unix", path)
		if err != nil {
			continue
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				var hello [12]byte
				_, _ = c.Read(hello[:])
				const reason = "No entry"
				_, _ = c.Write(append([]byte{0, byte(len(reason)), 11, 0, 0, 0, byte(len(reason) / 4), 0}, reason...))
				c.Close()
			}
		}()
		return fmt.Sprintf(":%d", n)
	}
	t.Skip("no free display number for a server that refuses")
	return ""
}

func TestWithoutPermissionStatusAndOnSaySo(t *testing.T) {
	r := bareRig(t, refusingDisplay(t), "")
	out, code := r.flash("pointer", "status", "--json")
	assert.Equal(t, 9, code, out)
	assert.Contains(t, out, `"state": "no-permission"`)
	assert.Contains(t, out, "XAUTHORITY")
	out, code = r.flash("pointer", "on")
	assert.Equal(t, 9, code, out)
	assert.Contains(t, out, "No entry")
	assert.NoFileExists(t, worker.PIDFile(r.state()))
}

func TestDebugShowsEveryMovementWithItsReason(t *testing.T) {
	r := newRig(t, "[pointer.devices.\""+chosen+"\"]\nclass = \"mx_master\"\n")
	w := r.run("--debug", "--summary")
	const moves, steps = 400, 40
	r.hand.MoveTo(500, 400)
	for i := range moves {
		r.hand.MoveTo(int16(500+i%7), 400)
		if i%(moves/steps) == 0 {
			r.hand.Click(4)
		}
	}
	require.NoError(t, r.hand.Sync())
	out := w.stop()
	assert.Contains(t, out, fmt.Sprintf("move %d\n", moves+1))
	assert.Contains(t, out, fmt.Sprintf("scroll %d\n", steps))
	assert.Equal(t, moves+1, strings.Count(out, "→ pass"))
	assert.Equal(t, steps, strings.Count(out, "→ mod"))
	assert.Contains(t, out, "(no hold)")
}

func TestARecordingReplaysToTheDecisionsThatInspectShows(t *testing.T) {
	r := newRig(t, "")
	file := filepath.Join(r.dir, "trace.jsonl")
	w := r.run() // a recording works beside a worker
	done := make(chan string)
	go func() {
		out, _ := r.flash("pointer", "record", "--for", "4s", file)
		done <- out
	}()
	deadline := time.Now().Add(patience)
	for recorded := false; !recorded; {
		require.True(t, time.Now().Before(deadline))
		r.hand.MoveTo(500, 400)
		r.hand.Press(xGesture)
		r.hand.MoveTo(200, 400)
		r.hand.Release(xGesture)
		require.NoError(t, r.hand.Sync())
		select {
		case out := <-done:
			recorded = true
			assert.Contains(t, out, "events in")
		case <-time.After(50 * time.Millisecond):
		}
	}
	w.stop()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(data), `"ev":"down","btn":5`)
	out, code := r.flash("pointer", "replay", file)
	assert.Zero(t, code)
	assert.Contains(t, out, "workspace_right")
	out, code = r.flash("pointer", "calibrate", "--flicks", file, "--clicks", clickFile(t))
	assert.Zero(t, code, out)
	assert.Contains(t, out, "threshold = ")
}

func clickFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clicks.jsonl")
	var b bytes.Buffer
	for i := range 5 {
		fmt.Fprintf(&b, "{\"t\":%d,\"ev\":\"down\",\"btn\":5}\n{\"t\":%d,\"ev\":\"move\",\"dx\":4}\n{\"t\":%d,\"ev\":\"up\",\"btn\":5}\n", i*100, i*100+5, i*100+50)
	}
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

func TestCheckListsDevicesAndWhatWouldBeChanged(t *testing.T) {
	r := newRig(t, "[pointer.devices.\""+chosen+"\"]\nclass = \"mx_master\"\n")
	out, code := r.flash("pointer", "check")
	assert.Zero(t, code)
	assert.Contains(t, out, chosen+"\t-\tmouse\t10\tgesture 5, back 3, forward 4, wheel vertical inverted smoothed at most 5 a step\tX11")
	assert.Contains(t, out, "Xvfb mouse\t-\tmouse\t3\tnothing\tX11")
}

func TestCheckNamesActionsThatCannotBeDone(t *testing.T) {
	r := newRig(t, "[pointer.actions]\nup = { command = [\"flash-no-such-program\"] }\nback = { command = [\"true\"] }\n")
	out, code := r.flash("pointer", "check")
	assert.Zero(t, code)
	missing := "flash: pointer.actions.up does nothing: exec: \"flash-no-such-program\": executable file not found in $PATH; install it or write its full path\n"
	assert.Contains(t, out, missing)
	assert.Contains(t, out, "flash: without an action: click, since the window manager \"Openbox\" has no overview; bind another in [pointer.actions]\n")
	assert.Contains(t, out, "without an action: down, since the window manager \"Openbox\" has no app_windows;")
	assert.Equal(t, 3, strings.Count(out, "flash: "), out)
	out, code = r.flash("pointer", "on")
	assert.Zero(t, code)
	assert.Contains(t, out, missing, "the worker runs, and says so now, since it says nothing later")
	_, code = r.flash("pointer", "off")
	assert.Zero(t, code)
}

// maxThreads is what the documentation states: eight, and two that the runtime may
// take when threads have to wait for a processor, as beside other tests.
const maxThreads = 10

func TestNoHoldActionOrCommandAddsAThread(t *testing.T) {
	r := newRig(t, "[pointer.actions]\nup = { command = [\"true\"] }\nclick = \"show_desktop\"\n")
	w := r.run("--summary")
	threads := func() int {
		e, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", w.cmd.Process.Pid))
		require.NoError(t, err)
		return len(e)
	}
	use := func(n int) {
		for i := range n {
			r.hand.MoveTo(500, 400)
			r.hand.Press(xGesture)
			r.hand.MoveTo(int16(500-i%2*300), int16(400-i%3*150))
			r.hand.Release(xGesture)
			r.hand.Click(byte(xBack + i%2))
			require.NoError(t, r.hand.Sync())
		}
	}
	use(100)
	assert.LessOrEqual(t, threads(), maxThreads)
	use(300)
	assert.LessOrEqual(t, threads(), maxThreads)
	assert.Equal(t, 800, count(t, w.stop(), "down"))
}
