// Package keys owns the pressing of keys in an X session, and what the key codes
// of the wire, which are those of macOS, are there.
package keys

// keysym is one key: its macOS virtual key code and its X keysym, from
// keysymdef.h. Codes of letters, digits and signs stand for what the key writes
// on an American keyboard, so that a chord means the same on every layout.
type keysym struct {
	code byte
	sym  uint32
}

// table is ordered by code.
var table = [...]keysym{
	{0x00, 'a'}, {0x01, 's'}, {0x02, 'd'}, {0x03, 'f'}, {0x04, 'h'}, {0x05, 'g'}, {0x06, 'z'}, {0x07, 'x'},
	{0x08, 'c'}, {0x09, 'v'},
	{0x0a, 0x3c}, // the key between left Shift and Z of ISO keyboards: less
	{0x0b, 'b'}, {0x0c, 'q'}, {0x0d, 'w'}, {0x0e, 'e'}, {0x0f, 'r'}, {0x10, 'y'}, {0x11, 't'},
	{0x12, '1'}, {0x13, '2'}, {0x14, '3'}, {0x15, '4'}, {0x16, '6'}, {0x17, '5'}, {0x18, '='}, {0x19, '9'},
	{0x1a, '7'}, {0x1b, '-'}, {0x1c, '8'}, {0x1d, '0'}, {0x1e, ']'}, {0x1f, 'o'}, {0x20, 'u'}, {0x21, '['},
	{0x22, 'i'}, {0x23, 'p'}, {0x24, symReturn}, {0x25, 'l'}, {0x26, 'j'}, {0x27, '\''}, {0x28, 'k'}, {0x29, ';'},
	{0x2a, '\\'}, {0x2b, ','}, {0x2c, '/'}, {0x2d, 'n'}, {0x2e, 'm'}, {0x2f, '.'}, {0x30, 0xff09 /* Tab */}, {0x31, ' '},
	{0x32, '`'}, {0x33, 0xff08 /* BackSpace */}, {0x35, 0xff1b /* Escape */},
	{0x36, 0xffec /* Super_R */}, {0x37, symSuper}, {0x38, symShift}, {0x39, 0xffe5 /* Caps_Lock */},
	{0x3a, symAlt}, {0x3b, symControl}, {0x3c, 0xffe2 /* Shift_R */}, {0x3d, 0xffea /* Alt_R */}, {0x3e, 0xffe4 /* Control_R */},
	{0x40, symF1 + 16}, {0x41, 0xffae /* KP_Decimal */}, {0x43, 0xffaa /* KP_Multiply */}, {0x45, 0xffab /* KP_Add */},
	{0x47, 0xff0b /* Clear */}, {0x48, 0x1008ff13 /* XF86AudioRaiseVolume */}, {0x49, 0x1008ff11 /* XF86AudioLowerVolume */},
	{0x4a, 0x1008ff12 /* XF86AudioMute */}, {0x4b, 0xffaf /* KP_Divide */}, {0x4c, 0xff8d /* KP_Enter */},
	{0x4e, 0xffad /* KP_Subtract */}, {0x4f, symF1 + 17}, {0x50, symF1 + 18}, {0x51, 0xffbd /* KP_Equal */},
	{0x52, symKP0}, {0x53, symKP0 + 1}, {0x54, symKP0 + 2}, {0x55, symKP0 + 3}, {0x56, symKP0 + 4}, {0x57, symKP0 + 5},
	{0x58, symKP0 + 6}, {0x59, symKP0 + 7}, {0x5a, symF1 + 19}, {0x5b, symKP0 + 8}, {0x5c, symKP0 + 9},
	{0x60, symF1 + 4}, {0x61, symF1 + 5}, {0x62, symF1 + 6}, {0x63, symF1 + 2}, {0x64, symF1 + 7}, {0x65, symF1 + 8},
	{0x67, symF1 + 10}, {0x69, symF1 + 12}, {0x6a, symF1 + 15}, {0x6b, symF1 + 13}, {0x6d, symF1 + 9},
	{0x6e, 0xff67 /* Menu */}, {0x6f, symF1 + 11}, {0x71, symF1 + 14},
	{0x72, 0xff63 /* Insert, where macOS has Help */}, {0x73, 0xff50 /* Home */}, {0x74, 0xff55 /* Prior */},
	{0x75, 0xffff /* Delete */}, {0x76, symF1 + 3}, {0x77, 0xff57 /* End */}, {0x78, symF1 + 1}, {0x79, 0xff56 /* Next */},
	{0x7a, symF1}, {0x7b, 0xff51 /* Left */}, {0x7c, 0xff53 /* Right */}, {0x7d, 0xff54 /* Down */}, {0x7e, 0xff52 /* Up */},
}

const (
	symReturn  = 0xff0d
	symShift   = 0xffe1
	symControl = 0xffe3
	symAlt     = 0xffe9
	symSuper   = 0xffeb
	symLevel3  = 0xfe03 // ISO_Level3_Shift
	symF1      = 0xffbe
	symKP0     = 0xffb0
)

// Sym is the X keysym of a macOS key code.
func Sym(code int) (uint32, bool) {
	for _, k := range table {
		if int(k.code) == code {
			return k.sym, true
		}
	}
	return 0, false
}

// held is what a modifier's name is on an X keyboard. The function key is none:
// an X server never hears of it.
func held(modifier string) (uint32, bool) {
	switch modifier {
	case "command":
		return symSuper, true
	case "control":
		return symControl, true
	case "option":
		return symAlt, true
	case "shift":
		return symShift, true
	}
	return 0, false
}
