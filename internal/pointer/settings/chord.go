package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Modifiers are the names of modifiers in a chord, in the order in which they
// are pressed.
var Modifiers = [...]string{"ctrl", "alt", "shift", "super"}

// aliases are other names that people know them by.
var aliases = [...][2]string{{"control", "ctrl"}, {"option", "alt"}, {"cmd", "super"}, {"command", "super"}, {"win", "super"}, {"meta", "super"}}

// keyNames are the keys that have no letter or digit.
var keyNames = [...]string{
	"left", "right", "up", "down", "home", "end", "page_up", "page_down",
	"escape", "return", "tab", "space", "backspace", "delete",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// ParseChord splits "ctrl+alt+left" into its modifiers, in the order in which
// they are pressed, and the key.
func ParseChord(s string) ([]string, error) {
	var held [len(Modifiers)]bool
	key := ""
	for _, w := range strings.Split(strings.ToLower(s), "+") {
		w = strings.TrimSpace(w)
		for _, a := range aliases {
			if w == a[0] {
				w = a[1]
			}
		}
		if i := slices.Index(Modifiers[:], w); i >= 0 {
			held[i] = true
			continue
		}
		known := slices.Contains(keyNames[:], w) || (len(w) == 1 && (w[0] >= 'a' && w[0] <= 'z' || w[0] >= '0' && w[0] <= '9'))
		switch {
		case !known:
			return nil, fmt.Errorf("names a key %q that is not known", w)
		case key != "":
			return nil, fmt.Errorf("names two keys, %q and %q", key, w)
		}
		key = w
	}
	if key == "" {
		return nil, fmt.Errorf("names no key")
	}
	var out []string
	for i, m := range Modifiers {
		if held[i] {
			out = append(out, m)
		}
	}
	return append(out, key), nil
}
