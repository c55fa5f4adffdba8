package hotkey

import (
	"fmt"
	"strings"
)

// Chord is a key and what is held with it, as the configuration writes it:
// "ctrl+shift+k", "super+space", "volumeup".
type Chord string

// mods are the modifiers of a chord, whatever their place in a keyboard's map.
type mods uint8

const (
	shift mods = 1 << iota
	ctrl
	alt
	super
)

func (c Chord) parse() (held mods, sym uint32, err error) {
	parts := strings.Split(string(c), "+")
	for _, p := range parts[:len(parts)-1] {
		switch p {
		case "ctrl":
			held |= ctrl
		case "alt":
			held |= alt
		case "shift":
			held |= shift
		case "super":
			held |= super
		default:
			return 0, 0, fmt.Errorf("%q is no modifier", p)
		}
	}
	name := parts[len(parts)-1]
	if sym = keysym(name); sym == 0 {
		return 0, 0, fmt.Errorf("%q is no key", name)
	}
	return held, sym, nil
}

// keysym is the X keysym of a key's name, 0 for none. The numbers are those of
// keysymdef.h and XF86keysym.h.
func keysym(name string) uint32 {
	if len(name) == 1 && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= '0' && name[0] <= '9') {
		return uint32(name[0])
	}
	var n uint32
	if _, err := fmt.Sscanf(name, "f%d", &n); err == nil && n >= 1 && n <= 24 && name == fmt.Sprintf("f%d", n) {
		return symF1 + n - 1
	}
	switch name {
	case "space":
		return 0x20
	case "tab":
		return 0xff09
	case "enter":
		return 0xff0d
	case "escape":
		return 0xff1b
	case "backspace":
		return 0xff08
	case "delete":
		return 0xffff
	case "insert":
		return 0xff63
	case "home":
		return 0xff50
	case "end":
		return 0xff57
	case "pageup":
		return 0xff55
	case "pagedown":
		return 0xff56
	case "up":
		return 0xff52
	case "down":
		return 0xff54
	case "left":
		return 0xff51
	case "right":
		return 0xff53
	case "plus":
		return '+'
	case "minus":
		return '-'
	case "comma":
		return ','
	case "period":
		return '.'
	case "slash":
		return '/'
	case "backslash":
		return '\\'
	case "semicolon":
		return ';'
	case "quote":
		return '\''
	case "backquote":
		return '`'
	case "equal":
		return '='
	case "bracketleft":
		return '['
	case "bracketright":
		return ']'
	case "print":
		return 0xff61
	case "volumeup":
		return 0x1008ff13
	case "volumedown":
		return 0x1008ff11
	case "mute":
		return 0x1008ff12
	case "micmute":
		return 0x1008ffb2
	case "play":
		return 0x1008ff14
	case "pause":
		return 0x1008ff31
	case "stop":
		return 0x1008ff15
	case "next":
		return 0x1008ff17
	case "previous":
		return 0x1008ff16
	case "brightnessup":
		return 0x1008ff02
	case "brightnessdown":
		return 0x1008ff03
	case "search":
		return 0x1008ff1b
	case "homepage":
		return 0x1008ff18
	case "mail":
		return 0x1008ff19
	case "calculator":
		return 0x1008ff1d
	case "eject":
		return 0x1008ff2c
	}
	return 0
}

const symF1 = 0xffbe
