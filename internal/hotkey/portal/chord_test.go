package portal

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/hotkey"
)

func TestAChordIsWrittenAsEachCompositorReadsIt(t *testing.T) {
	for _, c := range []struct{ chord, portal, sway, hypr string }{
		{"super+space", "LOGO+space", "bindsym Mod4+space exec", "bind = SUPER, space, exec"},
		{"ctrl+shift+k", "CTRL+SHIFT+k", "bindsym Ctrl+Shift+k exec", "bind = CTRL SHIFT, k, exec"},
		{"alt+f12", "ALT+F12", "bindsym Mod1+F12 exec", "bind = ALT, F12, exec"},
		{"volumeup", "XF86AudioRaiseVolume", "bindsym XF86AudioRaiseVolume exec", "bind = , XF86AudioRaiseVolume, exec"},
		{"f", "f", "bindsym f exec", "bind = , f, exec"},
		{"", "", "bindsym Mod4+space exec", "bind = SUPER, space, exec"},
	} {
		chord := hotkey.Chord(c.chord)
		assert.Equal(t, c.portal, trigger(chord))
		assert.Contains(t, Advice([]string{"SWAYSOCK=/x"}, chord), "~/.config/sway/config: "+c.sway+" flash open --toggle")
		assert.Contains(t, Advice([]string{"HYPRLAND_INSTANCE_SIGNATURE=x"}, chord), "hyprland.conf: "+c.hypr+", flash open --toggle")
	}
	assert.Contains(t, Advice([]string{"XDG_CURRENT_DESKTOP=ubuntu:GNOME"}, "super+space"), "Custom Shortcuts")
	assert.Contains(t, Advice([]string{"XDG_CURRENT_DESKTOP=KDE"}, "super+space"), "System Settings")
	assert.Contains(t, Advice(nil, "super+space"), "in the compositor to the command: flash open --toggle")
}
