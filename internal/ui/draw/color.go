package draw

// Color is a colour with straight alpha.
type Color struct{ R, G, B, A uint8 }

// RGB is an opaque colour written like 0x336699.
func RGB(v uint32) Color { return Color{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

// Alpha returns c with another alpha.
func (c Color) Alpha(a uint8) Color { c.A = a; return c }

// Mix returns the colour that is part of the way from c to d; part is 0 to 255.
func (c Color) Mix(d Color, part uint8) Color {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*(255-int(part)) + int(b)*int(part)) / 255) }
	return Color{mix(c.R, d.R), mix(c.G, d.G), mix(c.B, d.B), mix(c.A, d.A)}
}

// Luma is how bright c looks, 0 to 255.
func (c Color) Luma() int { return (int(c.R)*299 + int(c.G)*587 + int(c.B)*114) / 1000 }

// Hex writes c as #rrggbb, or #rrggbbaa where it is not opaque.
func (c Color) Hex() string {
	const digits = "0123456789abcdef"
	out := []byte{'#'}
	for i, v := range [...]uint8{c.R, c.G, c.B, c.A} {
		if i < 3 || v != 255 {
			out = append(out, digits[v>>4], digits[v&15])
		}
	}
	return string(out)
}

// ParseColor reads #rgb, #rrggbb or #rrggbbaa.
func ParseColor(s string) (Color, bool) {
	if len(s) == 0 || s[0] != '#' {
		return Color{}, false
	}
	s = s[1:]
	var d [8]uint8
	if len(s) > len(d) {
		return Color{}, false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			d[i] = c - '0'
		case c >= 'a' && c <= 'f':
			d[i] = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			d[i] = c - 'A' + 10
		default:
			return Color{}, false
		}
	}
	switch len(s) {
	case 3:
		return Color{d[0] * 17, d[1] * 17, d[2] * 17, 255}, true
	case 6:
		return Color{d[0]<<4 | d[1], d[2]<<4 | d[3], d[4]<<4 | d[5], 255}, true
	case 8:
		return Color{d[0]<<4 | d[1], d[2]<<4 | d[3], d[4]<<4 | d[5], d[6]<<4 | d[7]}, true
	}
	return Color{}, false
}
