package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
)

func TestAnEmptyTableIsTheDefaults(t *testing.T) {
	for _, in := range []string{"", "{}", " { } "} {
		s, err := settings.Parse([]byte(in))
		require.NoError(t, err)
		assert.Equal(t, settings.Default(), s)
	}
}

func TestAFaultNamesKeyValueAndRemedy(t *testing.T) {
	for in, want := range map[string]string{
		`{"gesture":1}`:                          `pointer.gesture = 1: is the left or right button, which stays as it is; use 2 to 31`,
		`{"gesture":32}`:                         `pointer.gesture = 32: is not a whole number in range; use 2 to 31`,
		`{"gesture":3}`:                          `pointer.gesture = 3: is one button for both gesture and back; give each its own; ` + "`flash pointer inspect`" + ` shows the numbers of yours`,
		`{"threshold":"220"}`:                    `pointer.threshold = "220": is not a whole number in range; use 10 to 5000`,
		`{"alpha":0}`:                            `pointer.alpha = 0: is not a number in range; use 0.01 to 1`,
		`{"spike_ratio":0.5}`:                    `pointer.spike_ratio = 0.5: is below 1, which would damp every step; use 0 for none, or 1 to 100`,
		`{"transform":"mice"}`:                   `pointer.transform = "mice": is not one of its values; use off, mx_master_only or all_mice`,
		`{"inertia":1}`:                          `pointer.inertia = 1: is not a boolean; use true or false`,
		`{"speed":1}`:                            `pointer.speed = 1: is not a key of [pointer]; remove it; the keys are gesture`,
		`{"actions":{"north":"back"}}`:           `pointer.actions.north = "back": is not a stroke or button; use left`,
		`{"actions":{"up":"fly"}}`:               `pointer.actions.up = "fly": is not an action; use workspace_left`,
		`{"actions":{"up":{"keys":"ctrl+x+y"}}}`: `pointer.actions.up = {"keys":"ctrl+x+y"}: names two keys, "x" and "y"; use modifiers`,
		`{"actions":{"up":{"command":[]}}}`:      `pointer.actions.up = {"command":[]}: has no command that could run; use command =`,
		`{"actions":3}`:                          `pointer.actions = 3: is not a table; write [pointer.actions]`,
		`{"devices":{"A B":{"class":"cat"}}}`:    `pointer.devices."A B".class = "cat": is not one of its values; use mx_master, mouse or trackpad`,
	} {
		_, err := settings.Parse([]byte(in))
		require.Error(t, err, in)
		var faults settings.Faults
		require.ErrorAs(t, err, &faults, in)
		assert.Contains(t, err.Error(), want, in)
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	_, err := settings.Parse([]byte(`{"threshold":1,"alpha":2,"x":0}`))
	var faults settings.Faults
	require.ErrorAs(t, err, &faults)
	assert.Len(t, faults, 3)
}

func TestActionsAndDevicesAreRead(t *testing.T) {
	s, err := settings.Parse([]byte(`{
		"gesture":2,"click":"pass","action_backend":"cg_event","transform":"all_mice",
		"actions":{"left":{"keys":"Shift+Ctrl+Left"},"up":"show_desktop","down":"none","forward":{"command":["xterm","-e","top"]}},
		"devices":{"Pad":{"class":"mx_master","skip_first_report":true},"Old":{"ignore":true}}}`))
	require.NoError(t, err)
	assert.Equal(t, int32(2), s.Engine.Gesture)
	assert.Equal(t, settings.ClickPass, s.Click)
	assert.Equal(t, settings.CGEvent, s.Backend)
	assert.Equal(t, map[string]settings.Action{
		"left":    {Kind: settings.Chord, Keys: []string{"ctrl", "shift", "left"}},
		"up":      {Kind: settings.Named, Name: "show_desktop"},
		"down":    {},
		"forward": {Kind: settings.Command, Argv: []string{"xterm", "-e", "top"}},
	}, s.Actions)
	assert.Equal(t, engine.MX, s.ClassOf("Pad", engine.Mouse))
	assert.Equal(t, engine.Trackpad, s.ClassOf("Old", engine.Mouse))
	assert.Equal(t, engine.Mouse, s.ClassOf("Other", engine.Mouse))
}

func FuzzParseNeverPanics(f *testing.F) {
	f.Add([]byte(`{"gesture":2,"actions":{"up":{"keys":"ctrl+x"}},"devices":{"a":{"class":"mouse"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := settings.Parse(data)
		if err == nil && s.Engine.Gesture == s.Engine.Back {
			t.Fatal("one button for two things")
		}
	})
}
