package portal

import (
	"cmp"
	"strings"

	"github.com/flash-launcher/flash/internal/environ"
	"github.com/flash-launcher/flash/internal/hotkey"
)

// command is what a compositor runs for the key where it is bound there.
const command = "flash open --toggle"

// split takes a chord apart: what is held, as the configuration names it, and the
// key, as xkb does.
func split(c hotkey.Chord) (held []string, key string) {
	parts := strings.Split(string(c), "+")
	return parts[:len(parts)-1], keysym(parts[len(parts)-1])
}

// write puts a chord together, with the modifiers called what another program
// calls them.
func write(c hotkey.Chord, names map[string]string, join string) string {
	held, key := split(c)
	var b strings.Builder
	for _, m := range held {
		b.WriteString(cmp.Or(names[m], m) + join)
	}
	return b.String() + key
}

// trigger is a chord in the form of the portal, the shortcuts specification's.
func trigger(c hotkey.Chord) string {
	return write(c, map[string]string{"ctrl": "CTRL", "alt": "ALT", "shift": "SHIFT", "super": "LOGO"}, "+")
}

// Advice says how a key opens the flashlight in a session without the portal. env
// is in the form of os.Environ.
func Advice(env []string, c hotkey.Chord) string {
	c = cmp.Or(c, "super+space")
	switch {
	case runs(env, "sway"):
		return "add to ~/.config/sway/config: bindsym " +
			write(c, map[string]string{"ctrl": "Ctrl", "alt": "Mod1", "shift": "Shift", "super": "Mod4"}, "+") + " exec " + command
	case runs(env, "hyprland"):
		held, key := split(c)
		return "add to ~/.config/hypr/hyprland.conf: bind = " + strings.ToUpper(strings.Join(held, " ")) + ", " + key + ", exec, " + command
	case runs(env, "gnome"):
		return "in Settings, Keyboard, Custom Shortcuts, add one with the command: " + command
	case runs(env, "kde"):
		return "in System Settings, Keyboard, Shortcuts, add a command: " + command
	}
	return "bind a key in the compositor to the command: " + command
}

// runs reports whether a desktop is the one that an environment is of.
func runs(env []string, desktop string) bool {
	for _, name := range strings.Split(environ.Lookup(env, "XDG_CURRENT_DESKTOP"), ":") {
		if strings.EqualFold(name, desktop) {
			return true
		}
	}
	return desktop == "sway" && environ.Lookup(env, "SWAYSOCK") != "" || desktop == "hyprland" && environ.Lookup(env, "HYPRLAND_INSTANCE_SIGNATURE") != ""
}

// keysym is what xkb calls a key of the configuration. Those that are not here
// have the same name in both.
func keysym(name string) string {
	switch name {
	case "tab":
		return "Tab"
	case "enter":
		return "Return"
	case "escape":
		return "Escape"
	case "backspace":
		return "BackSpace"
	case "delete":
		return "Delete"
	case "insert":
		return "Insert"
	case "home":
		return "Home"
	case "end":
		return "End"
	case "pageup":
		return "Page_Up"
	case "pagedown":
		return "Page_Down"
	case "up":
		return "Up"
	case "down":
		return "Down"
	case "left":
		return "Left"
	case "right":
		return "Right"
	case "quote":
		return "apostrophe"
	case "backquote":
		return "grave"
	case "print":
		return "Print"
	case "volumeup":
		return "XF86AudioRaiseVolume"
	case "volumedown":
		return "XF86AudioLowerVolume"
	case "mute":
		return "XF86AudioMute"
	case "micmute":
		return "XF86AudioMicMute"
	case "play":
		return "XF86AudioPlay"
	case "pause":
		return "XF86AudioPause"
	case "stop":
		return "XF86AudioStop"
	case "next":
		return "XF86AudioNext"
	case "previous":
		return "XF86AudioPrev"
	case "brightnessup":
		return "XF86MonBrightnessUp"
	case "brightnessdown":
		return "XF86MonBrightnessDown"
	case "search":
		return "XF86Search"
	case "homepage":
		return "XF86HomePage"
	case "mail":
		return "XF86Mail"
	case "calculator":
		return "XF86Calculator"
	case "eject":
		return "XF86Eject"
	}
	if rest, ok := strings.CutPrefix(name, "f"); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
		return "F" + rest
	}
	return name
}
