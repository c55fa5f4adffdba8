package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/keys"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

func TestKeysAreTypedIntoARealProgram(t *testing.T) {
	d := newDesk(t, event.System())
	desktoptest.Need(t, "zenity")
	s := d.open()
	p := d.desk.Start("zenity", "--entry", "--text=x")
	const interval = 8 * time.Millisecond
	require.Eventually(t, func() bool {
		err := s.PostKeys(t.Context(), p.PID(), []broker.Key{{Code: 0x00}}, interval)
		var focus *keys.FocusError
		require.True(t, err == nil || errors.As(err, &focus), "%v", err)
		return err == nil
	}, patience, 10*time.Millisecond)
	require.NoError(t, s.PostKeys(t.Context(), p.PID(), []broker.Key{{Code: 0x0b, Modifiers: []string{"shift"}}, {Code: 0x12}, {Code: 0x24}}, interval))
	select {
	case <-p.Done():
	case <-time.After(patience):
		require.Fail(t, "the entry was not confirmed")
	}
	lines := strings.Split(strings.TrimSpace(p.Output()), "\n")
	require.Equal(t, "aB1", lines[len(lines)-1])
}

func TestADesktopsProgramWritesWhereThisCannot(t *testing.T) {
	d := newDesk(t, event.System())
	dir := t.TempDir()
	script := "#!/bin/sh\ncat > " + dir + "/written\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wl-copy"), []byte(script), 0o700))
	d.env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "WAYLAND_DISPLAY=" + dir + "/gone"}
	s := d.open()
	require.NoError(t, s.WriteText(t.Context(), "text"))
	data, err := os.ReadFile(filepath.Join(dir, "written"))
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	d.listen(protocol.EventClipboardChanged)
	require.NotEmpty(t, s.ClipboardState().Problem)
	for _, f := range s.Describe() {
		require.NotEqual(t, f.Backend == "", f.Remedy == "", "%+v", f)
	}
	for name, err := range map[string]error{
		"keys":        s.PostKeys(t.Context(), 2, []broker.Key{{}}, 0),
		"global keys": s.PostGlobalKey(t.Context(), broker.Key{Modifiers: []string{"shift"}}),
	} {
		require.ErrorIs(t, err, desktop.ErrUnavailable, name)
		require.ErrorContains(t, err, "X11", name)
	}
}

func TestTheHostsOwnCopyIsNotToldAndAnothersIs(t *testing.T) {
	d := newDesk(t, event.System())
	desktoptest.Need(t, "xclip")
	s := d.open()
	d.listen(protocol.EventClipboardChanged)
	require.Equal(t, ClipboardState{Watching: true}, s.ClipboardState())
	require.NoError(t, s.WriteText(t.Context(), "ours"))
	d.copy("theirs")
	require.Equal(t, "theirs", take(t, d.copied, "a copy"))
	d.listen()
	require.Equal(t, ClipboardState{}, s.ClipboardState())
	require.Empty(t, d.copied)
}

func TestTheClipboardIsFollowedForAPluginThatMayKnow(t *testing.T) {
	d := newDesk(t, event.System())
	desktoptest.Need(t, "xclip")
	listeners := event.NewBus()
	got := make(chan string, 8)
	s := d.open(func(o *Options) {
		o.Copied = func(text string) {
			listeners.Send(protocol.EventClipboardChanged, func() *event.Event { return event.Clipboard(text) })
		}
	})
	set := func(holds bool) {
		lacks := event.Withheld(func(string) bool { return holds })
		listeners.SetListeners([]event.Listener{{ID: "p", Patterns: []string{"core:*"}, Lacks: lacks, Deliver: func(e *event.Event) { got <- string(e.Payload) }}})
		s.Want(listeners.Wanted)
		s.works.Wait()
	}
	set(false)
	require.False(t, s.ClipboardState().Watching, "it listens, and may not know")
	set(true)
	d.copy("a text")
	require.Equal(t, `{"text":"a text"}`, take(t, got, "the event"))
	set(false)
	require.False(t, s.ClipboardState().Watching)
}
