package wlipc

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/window"
	"github.com/flash-launcher/flash/internal/desktop/wlipc/swaytest"
	"github.com/flash-launcher/flash/internal/procid"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const patience = 30 * time.Second

// rig is the windows of a session under test, and what was told of them.
type rig struct {
	t       *testing.T
	d       *Desktop
	changes chan window.Change
	kept    []window.Change // told, and not yet waited for
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	o.Identify = func(_ int, _, class string) string { return "app." + class }
	o.Parent = procid.Parent
	d, ok := New(o)
	require.True(t, ok, "no compositor answers")
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return &rig{t: t, d: d, changes: make(chan window.Change, 4096)}
}

func (r *rig) watch() {
	r.t.Helper()
	require.NoError(r.t, r.d.Watch(r.t.Context(), func(c window.Change) { r.changes <- c }))
}

func (r *rig) list() []window.Window {
	r.t.Helper()
	list, err := r.d.List(r.t.Context())
	require.NoError(r.t, err)
	return list
}

func (r *rig) titles() string {
	var out []string
	for _, w := range r.list() {
		out = append(out, w.Title)
	}
	return strings.Join(out, ",")
}

// next waits for a change that is as wanted. Others keep, as the order of what
// one command does is the compositor's.
func (r *rig) next(what string, want func(window.Change) bool) window.Change {
	r.t.Helper()
	if i := slices.IndexFunc(r.kept, want); i >= 0 {
		c := r.kept[i]
		r.kept = slices.Delete(r.kept, i, i+1)
		return c
	}
	late := time.After(patience)
	for {
		select {
		case c := <-r.changes:
			if want(c) {
				return c
			}
			r.kept = append(r.kept, c)
		case <-late:
			require.Fail(r.t, "it is not told that "+what, "told were %+v", r.kept)
		}
	}
}

// told waits for a notification about a window with a title.
func (r *rig) told(notification, title string) window.Window {
	r.t.Helper()
	return r.next(notification+" "+title, func(c window.Change) bool {
		return c.Notification == notification && c.Window.Title == title
	}).Window
}

// focused waits until a window, or none with "", is told to have the focus.
func (r *rig) focused(title string) {
	r.t.Helper()
	r.next("the focus is at "+title, func(c window.Change) bool {
		return c.Focus && c.Window.Title == title && c.Window.Focused == (title != "")
	})
}

func TestTheWindowsOfSwayAreFollowed(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "foot")
	s := swaytest.New(t, "xwayland disable")
	r := newRig(t, Options{Env: s.Env()})
	backend, remedy := r.d.Describe()
	require.Equal(t, "sway IPC", backend)
	require.Empty(t, remedy)
	require.Empty(t, r.list())
	_, ok, err := r.d.Focused(t.Context())
	require.NoError(t, err)
	require.False(t, ok)
	r.watch()

	one := s.Terminal("one", "first")
	w1 := r.told("AXWindowCreated", "first")
	assert.Equal(t, one.PID(), w1.PID)
	assert.Equal(t, "app.one", w1.AppID)
	assert.Equal(t, "1", w1.Workspace)
	assert.Equal(t, 1280.0, w1.Frame.Width)
	assert.Zero(t, w1.Frame.X)
	assert.Zero(t, w1.Frame.Y, "it reaches the bottom of the screen")
	r.focused("first")

	s.Terminal("two", "second")
	w2 := r.told("AXWindowCreated", "second")
	r.focused("second")
	require.Equal(t, "second,first", r.titles())
	w, ok, err := r.d.Focused(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, w2.ID, w.ID)

	one.Title("renamed é")
	w = r.told("AXTitleChanged", "renamed é")
	assert.Equal(t, w1.ID, w.ID)
	assert.Equal(t, one.PID(), w.PID)
	assert.False(t, w.Focused)

	require.NoError(t, r.d.Activate(t.Context(), one.PID(), 0))
	r.focused("renamed é")
	require.Equal(t, "renamed é,second", r.titles())

	s.Message("[app_id=one]", "move", "scratchpad")
	assert.True(t, r.told("AXWindowMiniaturized", "renamed é").Minimized)
	r.focused("second")
	list := r.list()
	require.Len(t, list, 2)
	assert.True(t, list[1].Minimized)
	assert.Equal(t, scratchpad, list[1].Workspace)
	require.NoError(t, r.d.Activate(t.Context(), 0, w1.ID))
	r.told("AXWindowDeminiaturized", "renamed é")
	r.focused("renamed é")

	s.Message("workspace", "other place")
	r.focused("")
	require.NoError(t, r.d.Activate(t.Context(), 0, w2.ID))
	r.focused("second")
	s.Message("[app_id=one]", "move", "workspace", "other place")
	require.Equal(t, "other place", r.list()[1].Workspace)

	require.ErrorIs(t, r.d.Activate(t.Context(), 1<<30, w2.ID), ErrGone)
	require.ErrorIs(t, r.d.Activate(t.Context(), 1<<30, 0), ErrGone)
	require.ErrorIs(t, r.d.Activate(t.Context(), 0, 1<<40), ErrGone)
	one.Close()
	assert.Equal(t, w1.ID, r.told("AXUIElementDestroyed", "renamed é").ID)
	require.Equal(t, "second", r.titles())
}

func TestASwayThatIsStartedAnewIsFoundByItsDisplay(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "foot")
	s := swaytest.New(t, "xwayland disable")
	var env []string
	for _, e := range s.Env() {
		if !strings.HasPrefix(e, "SWAYSOCK=") {
			env = append(env, e)
		}
	}
	r := newRig(t, Options{Env: env})
	r.watch()
	s.Terminal("one", "first")
	r.focused("first")
	s.Kill()
	r.focused("")
	_, err := r.d.List(t.Context())
	require.Error(t, err)
	backend, remedy := r.d.Describe()
	require.Empty(t, backend)
	require.Contains(t, remedy, "sway IPC does not answer")
	s.Start()
	s.Terminal("two", "second")
	r.told("AXUIElementDestroyed", "first")
	r.focused("second")
	require.Equal(t, "second", r.titles())
}

func TestAWatchEndsWithItsContextOrItsDesktop(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "foot")
	s := swaytest.New(t, "xwayland disable")
	r := newRig(t, Options{Env: s.Env()})
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, r.d.Watch(ctx, func(window.Change) { t.Error("told after the end") }))
	cancel()
	r.watch()
	s.Terminal("one", "first")
	r.focused("first")
	require.NoError(t, r.d.Close())
	require.Error(t, r.d.Watch(t.Context(), func(window.Change) {}))
	_, err := r.d.List(t.Context())
	require.Error(t, err)
}
