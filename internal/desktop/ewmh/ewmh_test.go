package ewmh

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/protocol"
)

func TestWindowsAreListedFrontFirstWithWhatTheySayOfThemselves(t *testing.T) {
	r := newRig(t)
	r.window("behind", 50, 60, 200, 100)
	r.window("naïve ⚡ 名前", 300, 200, 320, 240)
	bar := r.unmapped("a bar", 0, 0, 100, 20)
	r.atomList(bar, "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DOCK")
	r.show(bar)
	quiet := r.unmapped("not in task bars", 0, 0, 100, 20)
	r.atomList(quiet, "_NET_WM_STATE", "_NET_WM_STATE_SKIP_TASKBAR")
	r.show(quiet)

	for _, watching := range []bool{false, true} {
		if watching {
			r.watch()
		}
		require.Eventually(t, func() bool {
			f, ok, err := r.d.Focused(r.ctx())
			return err == nil && ok && f.Title != "" && f.Focused && f.PID == os.Getpid()
		}, patience, time.Millisecond)
		list := r.list()
		require.Equal(t, []string{"naïve ⚡ 名前", "behind"}, titlesOf(list), "watching %v", watching)
		w := list[0]
		assert.Equal(t, os.Getpid(), w.PID)
		assert.Equal(t, "flash-test", w.AppID)
		assert.NotEmpty(t, w.Workspace)
		assert.False(t, w.Minimized)
		// openbox puts the frame where the window wanted to be; the frame is
		// larger than the window by its edges.
		edges := r.numbers(xproto.Window(w.ID), "_NET_FRAME_EXTENTS")
		require.Len(t, edges, 4)
		width, height := 320+float64(edges[0]+edges[1]), 240+float64(edges[2]+edges[3])
		assert.Equal(t, protocol.Frame{X: 300, Y: 800 - 200 - height, Width: width, Height: height}, w.Frame)
	}
}

func TestWhatHappensToAWindowIsToldByItsMacOSName(t *testing.T) {
	r := newRig(t)
	r.watch()
	w := r.window("one", 100, 100, 200, 100)
	c := r.told("AXWindowCreated", w)
	assert.Equal(t, "one", c.Window.Title)
	assert.Equal(t, os.Getpid(), c.Window.PID)

	r.title(w, "two")
	assert.Equal(t, "two", r.told("AXTitleChanged", w).Window.Title)
	require.NoError(t, xproto.ConfigureWindowChecked(r.conn.Conn, w, xproto.ConfigWindowX|xproto.ConfigWindowY, []uint32{250, 150}).Check())
	r.told("AXWindowMoved", w)
	require.NoError(t, xproto.ConfigureWindowChecked(r.conn.Conn, w, xproto.ConfigWindowWidth, []uint32{333}).Check())
	assert.Greater(t, r.told("AXWindowResized", w).Window.Frame.Width, 332.0)
	r.request(w, "WM_CHANGE_STATE", 3)
	assert.True(t, r.told("AXWindowMiniaturized", w).Window.Minimized)
	require.NoError(t, r.d.Activate(r.ctx(), os.Getpid(), int64(w)))
	assert.False(t, r.told("AXWindowDeminiaturized", w).Window.Minimized)
	r.destroy(w)
	assert.Equal(t, "two", r.told("AXUIElementDestroyed", w).Window.Title)
	assert.Empty(t, r.list())
}

func TestTheFocusIsToldWithTheWindowThatHasIt(t *testing.T) {
	r := newRig(t)
	r.watch()
	one := r.window("one", 0, 0, 100, 100)
	r.focusOn(one)
	two := r.window("two", 200, 0, 100, 100)
	r.focusOn(two)
	require.NoError(t, r.d.Activate(r.ctx(), os.Getpid(), int64(one)))
	r.focusOn(one)
	require.Eventually(t, func() bool {
		f, ok, err := r.d.Focused(r.ctx())
		return err == nil && ok && f.Title == "one" && f.Focused
	}, patience, time.Millisecond)

	require.NoError(t, r.d.Activate(r.ctx(), 0, int64(two)))
	c := r.focusOn(two)
	assert.Equal(t, "AXFocusedWindowChanged", c.Notification)
	assert.Equal(t, "AXMainWindowChanged", (<-r.changes).Notification)

	late := make(chan window.Change, 16)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.NoError(t, r.d.Watch(ctx, func(c window.Change) { late <- c }))
	assert.Equal(t, "two", (<-late).Window.Title, "one who comes later is told who has it")

	r.destroy(two)
	r.destroy(one)
	r.focusOn(0)
	_, ok, err := r.d.Focused(r.ctx())
	require.NoError(t, err)
	assert.False(t, ok)
}

func TestActivatingFindsTheWindowByProcessOnOtherWorkspacesToo(t *testing.T) {
	r := newRig(t)
	w := r.window("far", 100, 100, 200, 100)
	r.cardinal(w, "_NET_WM_PID", 1) // not this test's
	near := r.window("near", 0, 0, 100, 100)
	r.request(w, "_NET_WM_DESKTOP", 2, 2)
	require.Eventually(t, func() bool { n := r.numbers(w, "_NET_WM_DESKTOP"); return len(n) > 0 && n[0] == 2 }, patience, time.Millisecond)

	require.NoError(t, r.d.Activate(r.ctx(), 1, int64(w)))
	active := func(id xproto.Window) func() bool {
		return func() bool {
			n := r.numbers(r.conn.Root, "_NET_ACTIVE_WINDOW")
			return len(n) > 0 && n[0] == uint32(id)
		}
	}
	require.Eventually(t, active(w), patience, time.Millisecond)
	assert.Equal(t, []uint32{2}, r.numbers(r.conn.Root, "_NET_CURRENT_DESKTOP"))
	require.NoError(t, r.d.Activate(r.ctx(), os.Getpid(), 0))
	require.Eventually(t, active(near), patience, time.Millisecond)

	err := r.d.Activate(r.ctx(), os.Getpid(), int64(w))
	require.ErrorIs(t, err, ErrGone)
	assert.ErrorContains(t, err, "another process")
	r.destroy(near)
	require.Eventually(t, func() bool { return !r.listed(near) }, patience, time.Millisecond)
	require.ErrorIs(t, r.d.Activate(r.ctx(), 0, int64(near)), ErrGone)
	require.ErrorIs(t, r.d.Activate(r.ctx(), os.Getpid(), 0), ErrGone)
}

func TestTheWindowManagerMayBeReplaced(t *testing.T) {
	r := newRig(t)
	r.watch()
	one, two := r.window("one", 0, 0, 100, 100), r.window("two", 200, 0, 100, 100)
	r.told("AXWindowCreated", one)
	r.told("AXWindowCreated", two)

	before := r.numbers(r.conn.Root, "_NET_SUPPORTING_WM_CHECK")
	r.s.Start("openbox", "--sm-disable", "--replace")
	r.managedAgain(before)
	r.title(one, "after it")
	for {
		c := r.until("the title", func(c window.Change) bool {
			return c.Notification != "" && c.Notification != "AXWindowMoved" && c.Notification != "AXWindowResized"
		})
		if c.Notification == "AXTitleChanged" {
			break
		}
		assert.NotContains(t, []string{"AXWindowCreated", "AXUIElementDestroyed"}, c.Notification, "no window came or went")
	}

	r.killManager()
	assert.ElementsMatch(t, []string{"after it", "two"}, titlesOf(r.list()), "the windows are there still")
	require.ErrorIs(t, r.d.Activate(r.ctx(), os.Getpid(), int64(one)), ErrNoManager)
	r.destroy(two)
	r.told("AXUIElementDestroyed", two)
	r.s.Start("openbox", "--sm-disable")
	r.managedAgain(nil)
	require.Eventually(t, func() bool { return r.listed(one) }, patience, time.Millisecond)
	require.NoError(t, r.d.Activate(r.ctx(), os.Getpid(), int64(one)))
	three := r.window("three", 0, 200, 100, 100)
	r.told("AXWindowCreated", three)
}

// managedAgain waits until a window manager that is not before has the session.
// Nothing of the root window says so: what a dead manager wrote there stays.
func (r *rig) managedAgain(before []uint32) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		c := r.numbers(r.conn.Root, "_NET_SUPPORTING_WM_CHECK")
		return len(c) == 1 && !slices.Equal(c, before) && slices.Equal(r.numbers(xproto.Window(c[0]), "_NET_SUPPORTING_WM_CHECK"), c)
	}, patience, time.Millisecond)
}

func TestAWithdrawnWindowIsGoneWhileItsManagerIsThere(t *testing.T) {
	r := newRig(t)
	r.watch()
	w := r.window("hides in a tray", 0, 0, 100, 100)
	r.told("AXWindowCreated", w)
	require.NoError(t, xproto.UnmapWindowChecked(r.conn.Conn, w).Check())
	r.told("AXUIElementDestroyed", w)
	r.show(w)
	r.told("AXWindowCreated", w)
}

func TestASessionWithoutAWindowManagerIsSaidToHaveNone(t *testing.T) {
	r := newRig(t)
	backend, remedy := r.d.Describe()
	assert.Equal(t, "X11 (Openbox)", backend)
	assert.Empty(t, remedy)
	r.killManager()
	_, err := r.d.List(r.ctx())
	require.ErrorIs(t, err, ErrNoManager)
	backend, remedy = r.d.Describe()
	assert.Empty(t, backend)
	assert.Contains(t, remedy, "EWMH")
	r.watch() // stands all the same
	r.s.Start("openbox", "--sm-disable")
	w := r.window("at last", 0, 0, 100, 100)
	r.told("AXWindowCreated", w)
}

func TestNothingIsSelectedBeforeSomebodyWatchesAndAfter(t *testing.T) {
	r := newRig(t)
	w := r.window("one", 0, 0, 100, 100)
	assert.Nil(t, r.d.session, "not even a connection")
	mask := func(id xproto.Window) (mask uint32) {
		require.NoError(t, r.d.ask(r.ctx(), func(s *session) {
			a, err := xproto.GetWindowAttributes(s.loop.Conn.Conn, id).Reply()
			assert.NoError(t, err)
			mask = a.YourEventMask
		}))
		return mask
	}
	r.list()
	assert.Zero(t, mask(r.conn.Root))
	assert.Zero(t, mask(w))
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, r.d.Watch(ctx, func(window.Change) {}))
	assert.Equal(t, uint32(xproto.EventMaskPropertyChange), mask(r.conn.Root))
	assert.Equal(t, uint32(clientMask), mask(w))
	cancel()
	require.Eventually(t, func() bool { return mask(r.conn.Root) == 0 && mask(w) == 0 }, patience, time.Millisecond)
}

func TestALostServerEndsNothingButTheFocus(t *testing.T) {
	r := newRig(t)
	r.watch()
	w := r.window("one", 0, 0, 100, 100)
	r.focusOn(w)
	r.s.X().Kill()
	r.focusOn(0)
	_, err := r.d.List(r.ctx())
	require.Error(t, err)
}

func TestRealProgramsShowTheirWindows(t *testing.T) {
	desktoptest.Need(t, "zenity", "xterm")
	r := newRig(t)
	r.watch()
	z := r.s.Start("zenity", "--info", "--title=Über 名前", "--text=x")
	c := r.until("zenity's window", func(c window.Change) bool { return c.Notification == "AXWindowCreated" && c.Window.PID == z.PID() })
	assert.Equal(t, "Über 名前", c.Window.Title)
	x := r.s.Start("xterm", "-T", "a shell")
	c = r.until("xterm's window", func(c window.Change) bool { return c.Notification == "AXWindowCreated" && c.Window.PID == x.PID() })
	assert.Equal(t, "a shell", c.Window.Title)
	assert.Equal(t, "xterm", c.Window.AppID)
	x.Stop()
	r.told("AXUIElementDestroyed", xproto.Window(c.Window.ID))
}
