package wlipc

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

// fakeHyprland answers on sockets as Hyprland does.
type fakeHyprland struct {
	t       *testing.T
	runtime string
	folder  string
	ask     net.Listener
	events  net.Listener
	working sync.WaitGroup

	mu         sync.Mutex
	answers    map[string]string
	dispatched []string
	listeners  []net.Conn
}

const signature = "v0.45_1700000000_1"

func newFakeHyprland(t *testing.T) *fakeHyprland {
	t.Helper()
	leaktest.Check(t)
	dir, err := os.MkdirTemp("/tmp", "flash-hypr-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &fakeHyprland{t: t, runtime: dir, folder: filepath.Join(dir, "hypr", signature), answers: map[string]string{
		"j/version": `{"branch":"main"}`, "j/clients": `[]`, "j/monitors": `[]`, "j/activewindow": `{}`,
	}}
	require.NoError(t, os.MkdirAll(h.folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(h.folder, hyprLock), []byte("123\nwayland-7\n"), 0o600))
	h.start()
	t.Cleanup(h.stop)
	return h
}

func (h *fakeHyprland) start() {
	h.t.Helper()
	var err error
	h.ask, err = net.Listen("unix", filepath.Join(h.folder, hyprAsk))
	require.NoError(h.t, err)
	h.events, err = net.Listen("unix", filepath.Join(h.folder, hyprEvents))
	require.NoError(h.t, err)
	ask, events := h.ask, h.events
	h.working.Go(func() { serve(ask, h.answer) })
	h.working.Go(func() {
		serve(events, func(c net.Conn) {
			h.mu.Lock()
			h.listeners = append(h.listeners, c)
			h.mu.Unlock()
		})
	})
}

func serve(l net.Listener, take func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		take(c)
	}
}

func (h *fakeHyprland) stop() {
	_ = h.ask.Close()
	_ = h.events.Close()
	h.working.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.listeners {
		_ = c.Close()
	}
	h.listeners = nil
}

func (h *fakeHyprland) answer(c net.Conn) {
	defer func() { _ = c.Close() }()
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	question := string(b[:n])
	answer, ok := h.answers[question]
	if !ok {
		h.dispatched = append(h.dispatched, question)
		answer = "ok"
		if !strings.HasSuffix(question, "0xa1") {
			answer = "No such window found"
		}
	}
	_, _ = io.WriteString(c, answer)
}

// say changes what it answers, and sends events.
func (h *fakeHyprland) say(answers map[string]string, events ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for q, a := range answers {
		h.answers[q] = a
	}
	for _, c := range h.listeners {
		_, _ = io.WriteString(c, strings.Join(append(events, ""), "\n"))
	}
}

func client(address string, pid, history int, workspace, class, title string) string {
	return fmt.Sprintf(`{"address":"%s","mapped":true,"hidden":false,"at":[10,20],"size":[300,200],"workspace":{"id":1,"name":"%s"},"floating":false,"pinned":false,"monitor":0,"class":"%s","title":"%s","initialClass":"%s","initialTitle":"x","pid":%d,"xwayland":false,"fullscreen":0,"focusHistoryID":%d}`,
		address, workspace, class, title, class, pid, history)
}

const monitors = `[{"id":1,"name":"DP-2","width":1000,"height":1000,"x":-1000,"y":0,"scale":1.0,"transform":0,"activeWorkspace":{"id":2,"name":"2"},"specialWorkspace":{"id":0,"name":""}},
{"id":0,"name":"DP-1","width":1440,"height":2880,"x":0,"y":0,"scale":2.0,"transform":1,"activeWorkspace":{"id":1,"name":"1"},"specialWorkspace":{"id":0,"name":""}}]`

func TestTheWindowsOfHyprlandAreFollowed(t *testing.T) {
	h := newFakeHyprland(t)
	h.say(map[string]string{
		"j/monitors": monitors, "j/activewindow": client("0xa1", 11, 0, "1", "kitty", "one"),
		"j/clients": "[" + client("0xb2", 12, 1, "3", "Firefox", "hidden workspace") + "," + client("0xc3", 13, 2, "special:magic", "notes", "away") + "," +
			client("0xd4", 14, 3, "2", "mpv", "other screen") + "," + client("0xa1", 11, 0, "1", "kitty", "one") + `,{"address":"0xe5","mapped":false}]`,
	})
	r := newRig(t, Options{Env: []string{"XDG_RUNTIME_DIR=" + h.runtime, "HYPRLAND_INSTANCE_SIGNATURE=" + signature}})
	backend, _ := r.d.Describe()
	require.Equal(t, "Hyprland", backend)
	require.Equal(t, "one,other screen,hidden workspace,away", r.titles())
	list := r.list()
	one := list[0]
	assert.Equal(t, int64(0xa1), one.ID)
	assert.Equal(t, 11, one.PID)
	assert.Equal(t, "app.kitty", one.AppID)
	assert.True(t, one.Focused)
	assert.Equal(t, "3", list[2].Workspace)
	assert.False(t, list[2].Minimized)
	assert.True(t, list[3].Minimized)
	// The screen is turned and shows two pixels for a point: 1440 by 720 points.
	assert.Equal(t, 10.0, one.Frame.X)
	assert.Equal(t, 720.0-20-200, one.Frame.Y)

	r.watch()
	r.focused("one")
	h.say(nil, "windowtitle>>a1", "windowtitlev2>>a1,new, with >> and , in it")
	r.told("AXTitleChanged", "new, with >> and , in it")

	h.say(map[string]string{
		"j/clients":      "[" + client("0xa1", 11, 1, "1", "kitty", "two") + "," + client("0xf6", 16, 0, "1", "foot", "fresh") + "]",
		"j/activewindow": client("0xf6", 16, 0, "1", "foot", "fresh"),
	}, "openwindow>>f6,1,foot,fresh", "activewindow>>foot,fresh", "activewindowv2>>f6")
	r.told("AXWindowCreated", "fresh")
	r.focused("fresh")
	r.told("AXTitleChanged", "two")
	r.told("AXUIElementDestroyed", "away")

	h.say(map[string]string{"j/activewindow": "{}"}, "workspacev2>>5,5", "activewindowv2>>")
	r.focused("")
	require.NoError(t, r.d.Activate(t.Context(), 11, 0xa1))
	require.ErrorIs(t, r.d.Activate(t.Context(), 16, 0), ErrGone, "the compositor refuses")
	h.mu.Lock()
	require.Equal(t, []string{"dispatch focuswindow address:0xa1", "dispatch focuswindow address:0xf6"}, h.dispatched)
	h.mu.Unlock()

	h.stop()
	h.answers["j/activewindow"] = client("0xa1", 11, 0, "1", "kitty", "two")
	h.start()
	r.focused("two")
}

func TestHyprlandIsFoundByItsDisplay(t *testing.T) {
	h := newFakeHyprland(t)
	_, ok := New(Options{Env: []string{"XDG_RUNTIME_DIR=" + h.runtime, "WAYLAND_DISPLAY=wayland-7"}})
	require.True(t, ok)
	for _, env := range [][]string{
		{"XDG_RUNTIME_DIR=" + h.runtime, "WAYLAND_DISPLAY=wayland-8"},
		{"XDG_RUNTIME_DIR=" + h.runtime},
		{"XDG_RUNTIME_DIR=" + h.runtime, "HYPRLAND_INSTANCE_SIGNATURE=../hypr/" + signature + "/.."},
		{"SWAYSOCK=/nowhere", "WAYLAND_DISPLAY=/nowhere/else"},
		nil,
	} {
		_, ok = New(Options{Env: env})
		require.False(t, ok, "%v", env)
	}
}

func TestASocketThatAnswersOtherwiseIsNoCompositor(t *testing.T) {
	h := newFakeHyprland(t)
	env := []string{"XDG_RUNTIME_DIR=" + h.runtime, "HYPRLAND_INSTANCE_SIGNATURE=" + signature, "SWAYSOCK=" + filepath.Join(h.folder, hyprAsk)}
	d, ok := New(Options{Env: env})
	require.True(t, ok)
	require.Equal(t, "Hyprland", d.name, "its socket does not speak sway's protocol")
	h.say(map[string]string{"j/version": "unknown request"})
	_, ok = New(Options{Env: env})
	require.False(t, ok)
	h.say(map[string]string{"j/clients": `[{"address":5}]`})
	_, err := d.List(t.Context())
	require.ErrorIs(t, err, errWire)
}
