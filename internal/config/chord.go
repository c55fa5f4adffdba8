package config

import (
	"slices"
	"strings"
)

const chordRemedy = `write modifiers and one key joined by '+', like "alt+space" or "ctrl+shift+k"`

// modifierNames maps what people write to the one name kept, in the order in
// which a chord lists them.
var modifierNames = [...]struct{ written, kept string }{
	{"ctrl", "ctrl"}, {"control", "ctrl"},
	{"alt", "alt"}, {"option", "alt"}, {"opt", "alt"},
	{"shift", "shift"},
	{"super", "super"}, {"cmd", "super"}, {"command", "super"}, {"meta", "super"}, {"win", "super"},
}

var keyNames = [...]string{
	"space", "tab", "enter", "escape", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown",
	"up", "down", "left", "right", "plus", "minus", "comma", "period", "slash", "backslash", "semicolon",
	"quote", "backquote", "equal", "bracketleft", "bracketright",
}

// loneKeys write no text, so they may be bound without a modifier.
var loneKeys = [...]string{
	"print", "volumeup", "volumedown", "mute", "micmute", "play", "pause", "stop", "next", "previous",
	"brightnessup", "brightnessdown", "search", "homepage", "mail", "calculator", "eject",
}

// parseChord returns the one spelling of a chord, so that two spellings of one
// chord are seen as the same. A chord without a modifier is refused, function
// and media keys apart: it would take the key away from every app.
func parseChord(s string) (chord, problem string) {
	parts := strings.Split(strings.ToLower(s), "+")
	var mods []string
	for _, p := range parts[:len(parts)-1] {
		p = strings.TrimSpace(p)
		kept := ""
		for _, m := range modifierNames {
			if m.written == p {
				kept = m.kept
			}
		}
		if kept == "" {
			return "", quote(p) + " is no modifier"
		}
		if slices.Contains(mods, kept) {
			return "", quote(p) + " is given twice"
		}
		mods = append(mods, kept)
	}
	key := strings.TrimSpace(parts[len(parts)-1])
	alone := len(key) > 1 && key[0] == 'f' && isFunctionKey(key[1:]) || slices.Contains(loneKeys[:], key)
	if !alone && !slices.Contains(keyNames[:], key) && !singleKey(key) {
		return "", quote(key) + " is no key"
	}
	if len(mods) == 0 && !alone {
		return "", "has no modifier"
	}
	if len(mods) == 1 && mods[0] == "shift" && !alone {
		return "", "has shift alone, which is how text is typed"
	}
	var out []string
	for _, m := range modifierNames {
		if slices.Contains(mods, m.kept) && !slices.Contains(out, m.kept) {
			out = append(out, m.kept)
		}
	}
	return strings.Join(append(out, key), "+"), ""
}

func singleKey(s string) bool {
	return len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= '0' && s[0] <= '9')
}

func isFunctionKey(digits string) bool {
	switch len(digits) {
	case 1:
		return digits[0] >= '1' && digits[0] <= '9'
	case 2:
		return digits[0] == '1' && digits[1] >= '0' && digits[1] <= '9' || digits == "20"
	}
	return false
}
