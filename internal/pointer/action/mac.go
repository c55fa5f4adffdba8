package action

import (
	"fmt"
	"strings"
)

// How actions are keys on macOS is decided here, where it can be tested
// anywhere; sending them is the backend's.

// macChords are the named actions as macOS binds them by default.
var macChords = [...]struct{ action, chord string }{
	{"workspace_left", "ctrl+left"},
	{"workspace_right", "ctrl+right"},
	{"overview", "ctrl+up"},
	{"app_windows", "ctrl+down"},
	{"show_desktop", "f11"},
	{"back", "super+left_bracket"},
	{"forward", "super+right_bracket"},
}

// macKeys are virtual key codes, from HIToolbox's Events.h.
var macKeys = [...]struct {
	name string
	code uint16
}{
	{"left", 123}, {"right", 124}, {"down", 125}, {"up", 126}, {"left_bracket", 33}, {"right_bracket", 30},
	{"home", 115}, {"end", 119}, {"page_up", 116}, {"page_down", 121},
	{"escape", 53}, {"return", 36}, {"tab", 48}, {"space", 49}, {"backspace", 51}, {"delete", 117},
	{"f1", 122}, {"f2", 120}, {"f3", 99}, {"f4", 118}, {"f5", 96}, {"f6", 97}, {"f7", 98}, {"f8", 100}, {"f9", 101}, {"f10", 109}, {"f11", 103}, {"f12", 111},
	{"a", 0}, {"s", 1}, {"d", 2}, {"f", 3}, {"h", 4}, {"g", 5}, {"z", 6}, {"x", 7}, {"c", 8}, {"v", 9}, {"b", 11}, {"q", 12}, {"w", 13},
	{"e", 14}, {"r", 15}, {"y", 16}, {"t", 17}, {"1", 18}, {"2", 19}, {"3", 20}, {"4", 21}, {"6", 22}, {"5", 23}, {"9", 25}, {"7", 26}, {"8", 28}, {"0", 29},
	{"o", 31}, {"u", 32}, {"i", 34}, {"p", 35}, {"l", 37}, {"j", 38}, {"k", 40}, {"n", 45}, {"m", 46},
}

// macModifiers have a key, a flag of Core Graphics and a word of AppleScript.
var macModifiers = [...]struct {
	name string
	code uint16
	flag uint64
	word string
}{
	{"ctrl", 59, 1 << 18, "control down"},
	{"alt", 58, 1 << 19, "option down"},
	{"shift", 56, 1 << 17, "shift down"},
	{"super", 55, 1 << 20, "command down"},
}

// macFn is the secondary-fn flag. Arrows and function keys carry it when they
// come from a keyboard; without it a key reaches the application but moves no
// Space.
const macFn = 1 << 23

func macKey(name string) (uint16, error) {
	for _, k := range macKeys {
		if k.name == name {
			return k.code, nil
		}
	}
	return 0, fmt.Errorf("macOS has no key %q", name)
}

func macChord(action string) ([]string, error) {
	for _, c := range macChords {
		if c.action == action {
			return strings.Split(c.chord, "+"), nil
		}
	}
	return nil, fmt.Errorf("%s is not an action of macOS", action)
}

// appleScript is a chord as a sentence for System Events, which presses and
// releases the key itself.
func appleScript(keys []string) (string, error) {
	code, err := macKey(keys[len(keys)-1])
	if err != nil {
		return "", err
	}
	var words []string
	for _, k := range keys[:len(keys)-1] {
		for _, m := range macModifiers {
			if m.name == k {
				words = append(words, m.word)
			}
		}
	}
	using := ""
	if len(words) > 0 {
		using = " using {" + strings.Join(words, ", ") + "}"
	}
	return fmt.Sprintf("tell application \"System Events\" to key code %d%s", code, using), nil
}

// macStep is one event of a chord. A modifier changes flags, a key goes down
// or up under them.
type macStep struct {
	flagsOnly bool
	code      uint16
	down      bool
	flags     uint64
}

// macSteps is a chord as events: flags on, key down, key up, flags off. Every
// key that goes down comes up.
func macSteps(keys []string) ([]macStep, error) {
	name := keys[len(keys)-1]
	code, err := macKey(name)
	if err != nil {
		return nil, err
	}
	var steps []macStep
	var flags uint64
	for _, k := range keys[:len(keys)-1] {
		for _, m := range macModifiers {
			if m.name == k {
				flags |= m.flag
				steps = append(steps, macStep{flagsOnly: true, code: m.code, down: true, flags: flags})
			}
		}
	}
	ups := len(steps)
	held := flags
	if len(name) > 1 && !strings.HasSuffix(name, "bracket") {
		held |= macFn
	}
	steps = append(steps, macStep{code: code, down: true, flags: held}, macStep{code: code, flags: held})
	for i := ups - 1; i >= 0; i-- {
		before := uint64(0)
		if i > 0 {
			before = steps[i-1].flags
		}
		steps = append(steps, macStep{flagsOnly: true, code: steps[i].code, flags: before})
	}
	return steps, nil
}
