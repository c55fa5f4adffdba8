package host

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/ax"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

func TestOnlyWhatSomebodyNeedsIsAskedOfAccessibility(t *testing.T) {
	listening := func(official bool) *slot {
		def := manifest.Definition{Official: official, Manifest: &protocol.Manifest{ID: "x", Listen: []string{"core:ax.changed"}}}
		return &slot{def: def, live: supervisor.New(def, supervisor.Options{})}
	}
	own, other := listening(true), listening(false)
	defer closed(t, own, other)
	slots := map[string]*slot{"own": own}
	assert.Empty(t, notifications(slots, true), "the window system tells it all")
	windows := notifications(slots, false)
	assert.Contains(t, windows, ax.TitleChanged)
	assert.NotContains(t, windows, ax.ValueChanged)
	slots["other"] = other
	assert.ElementsMatch(t, ax.All(), notifications(slots, false))
	rest := notifications(slots, true)
	assert.Contains(t, rest, ax.ValueChanged)
	assert.NotContains(t, rest, ax.TitleChanged)
}

func TestTextIsPastedByTheChordOfTheWindow(t *testing.T) {
	for id, want := range map[string][]string{"firefox": {"control"}, "org.gnome.Terminal": {"control", "shift"}, "kitty": {"control", "shift"}, "": {"control"}} {
		assert.Equal(t, want, pasteKey("linux", desktop.Window{AppID: id}).Modifiers, id)
	}
	assert.Equal(t, []string{"command"}, pasteKey("darwin", desktop.Window{AppID: "com.apple.Terminal"}).Modifiers)
}

func TestProgramsThatOwnAWindowRun(t *testing.T) {
	running := []protocol.Application{{BundleID: "firefox", PID: 7, LocalizedName: "Firefox"}}
	me := os.Getpid()
	require.NotEmpty(t, programName(me))
	got := withWindows(running, []desktop.Window{{PID: 7, Title: "Tab"}, {PID: me, Title: "Mine"}, {PID: me, Title: "Mine too"}, {Title: "of nobody"}, {PID: 8, AppID: "xterm", Title: "~"}})
	assert.Equal(t, []protocol.Application{running[0], {PID: me, LocalizedName: programName(me)}, {BundleID: "xterm", PID: 8, LocalizedName: "xterm"}}, got)
}

func closed(t *testing.T, slots ...*slot) {
	for _, s := range slots {
		assert.NoError(t, s.live.Close(t.Context()))
	}
}
