package wlipc

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/ewmh"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

func TestTheWindowsOfI3HaveTheirProcessesFromX(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "i3", "xterm")
	s := desktoptest.New(t)
	socket := filepath.Join(s.Dir(), "i3.sock")
	config := filepath.Join(s.Dir(), "i3.conf")
	require.NoError(t, os.WriteFile(config, []byte("# i3 config file (v4)\nfont pango:monospace 8\nipc-socket "+socket+"\n"), 0o600))
	wm := s.Start("i3", "--replace", "-c", config)
	x := ewmh.New(ewmh.Options{Display: s.X().Display})
	defer func() { _ = x.Close() }()
	o := Options{Env: []string{"I3SOCK=" + socket}, XOwners: func(ctx context.Context) map[int64]int {
		all, err := x.List(ctx)
		if err != nil {
			return nil
		}
		out := map[int64]int{}
		for _, w := range all {
			out[w.ID] = w.PID
		}
		return out
	}}
	require.Eventually(t, func() bool {
		d, ok := New(o)
		if ok {
			_ = d.Close()
		}
		return ok
	}, patience, 10*time.Millisecond, "i3 answers")
	r := newRig(t, o)
	backend, _ := r.d.Describe()
	require.Equal(t, "i3 IPC", backend)
	r.watch()
	one := s.Start("xterm", "-T", "one")
	w := r.told("AXWindowCreated", "one")
	assert.Equal(t, one.PID(), w.PID)
	assert.Equal(t, "app.XTerm", w.AppID)
	r.focused("one")
	s.Start("xterm", "-T", "two")
	r.focused("two")
	require.Equal(t, "two,one", r.titles())
	require.NoError(t, r.d.Activate(t.Context(), one.PID(), w.ID))
	r.focused("one")
	s.Run("xdotool", "set_window", "--name", "renamed", s.Window("^two$"))
	r.told("AXTitleChanged", "renamed")
	s.Run("i3-msg", "-s", socket, "move scratchpad")
	r.told("AXWindowMiniaturized", "one")
	require.NoError(t, r.d.Activate(t.Context(), 0, w.ID))
	r.told("AXWindowDeminiaturized", "one")

	r.kept = nil
	s.Run("i3-msg", "-s", socket, "restart")
	r.told("AXWindowCreated", "one")
	require.Len(t, r.list(), 2)
	select {
	case <-wm.Done():
		t.Fatal("i3 ended: " + wm.Output())
	default:
	}
}
