package svg

import (
	"math"
	"strconv"
)

// line is points that are joined, in the coordinates of their element.
type line struct {
	pts    []point
	closed bool
}

// shape is lines that are filled or stroked together.
type shape struct {
	lines []line
	step  float64 // how far a curve may be from the lines that stand for it
	start point
	most  *int // points that may still be made
}

func (s *shape) bounds() box {
	b := nowhere
	for _, l := range s.lines {
		for _, p := range l.pts {
			b.add(p)
		}
	}
	return b
}

func (s *shape) move(p point) {
	s.start = p
	if *s.most--; *s.most < 0 {
		return
	}
	s.lines = append(s.lines, line{pts: []point{p}})
}

func (s *shape) to(p point) {
	if len(s.lines) == 0 || s.lines[len(s.lines)-1].closed {
		s.lines = append(s.lines, line{pts: []point{s.start}})
	}
	if *s.most--; *s.most < 0 {
		return
	}
	l := &s.lines[len(s.lines)-1]
	l.pts = append(l.pts, p)
}

func (s *shape) close() {
	if len(s.lines) > 0 {
		s.lines[len(s.lines)-1].closed = true
	}
}

func (s *shape) cubic(a, b, c, d point) {
	// The farther the handles are from the chord, the more lines it takes.
	bend := math.Hypot(a.x-2*b.x+c.x, a.y-2*b.y+c.y) + math.Hypot(b.x-2*c.x+d.x, b.y-2*c.y+d.y)
	n := int(min(math.Ceil(math.Sqrt(bend/s.step)), 64))
	for i := 1; i <= max(n, 1); i++ {
		t := float64(i) / float64(max(n, 1))
		u := 1 - t
		w0, w1, w2, w3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		s.to(point{w0*a.x + w1*b.x + w2*c.x + w3*d.x, w0*a.y + w1*b.y + w2*c.y + w3*d.y})
	}
}

func (s *shape) quad(a, b, c point) {
	s.cubic(a, point{a.x + 2*(b.x-a.x)/3, a.y + 2*(b.y-a.y)/3}, point{c.x + 2*(b.x-c.x)/3, c.y + 2*(b.y-c.y)/3}, c)
}

// arc goes from p to q along an ellipse, as the appendix of SVG says.
func (s *shape) arc(p point, rx, ry, angle float64, large, sweep bool, q point) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx == 0 || ry == 0 || p == q {
		s.to(q)
		return
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	dx, dy := (p.x-q.x)/2, (p.y-q.y)/2
	x, y := cos*dx+sin*dy, -sin*dx+cos*dy
	if l := x*x/(rx*rx) + y*y/(ry*ry); l > 1 {
		rx, ry = rx*math.Sqrt(l), ry*math.Sqrt(l)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*y*y-ry*ry*x*x)/(rx*rx*y*y+ry*ry*x*x)))
	if large == sweep {
		k = -k
	}
	mx, my := k*rx*y/ry, -k*ry*x/rx
	cx, cy := cos*mx-sin*my+(p.x+q.x)/2, sin*mx+cos*my+(p.y+q.y)/2
	from := math.Atan2((y-my)/ry, (x-mx)/rx)
	turn := math.Atan2((-y-my)/ry, (-x-mx)/rx) - from
	if sweep && turn < 0 {
		turn += 2 * math.Pi
	} else if !sweep && turn > 0 {
		turn -= 2 * math.Pi
	}
	s.sweep(point{cx, cy}, rx, ry, sin, cos, from, turn)
	s.to(q)
}

// sweep adds the inner points of a part of an ellipse.
func (s *shape) sweep(c point, rx, ry, sin, cos, from, turn float64) {
	r := max(rx, ry)
	n := int(math.Ceil(math.Abs(turn) / math.Acos(max(1-s.step/r, 0.5))))
	if !finite(r) || !finite(turn) {
		return
	}
	n = min(max(n, 4), 256)
	for i := 1; i < n; i++ {
		sa, ca := math.Sincos(from + turn*float64(i)/float64(n))
		s.to(point{c.x + cos*rx*ca - sin*ry*sa, c.y + sin*rx*ca + cos*ry*sa})
	}
}

func (s *shape) ellipse(cx, cy, rx, ry float64) {
	if rx <= 0 || ry <= 0 {
		return
	}
	s.move(point{cx + rx, cy})
	s.sweep(point{cx, cy}, rx, ry, 0, 1, 0, 2*math.Pi)
	s.close()
}

func (s *shape) rect(x, y, w, h, rx, ry float64) {
	if w <= 0 || h <= 0 {
		return
	}
	rx, ry = min(rx, w/2), min(ry, h/2)
	if rx <= 0 || ry <= 0 {
		s.move(point{x, y})
		s.to(point{x + w, y})
		s.to(point{x + w, y + h})
		s.to(point{x, y + h})
		s.close()
		return
	}
	s.move(point{x + rx, y})
	s.to(point{x + w - rx, y})
	s.arc(point{x + w - rx, y}, rx, ry, 0, false, true, point{x + w, y + ry})
	s.to(point{x + w, y + h - ry})
	s.arc(point{x + w, y + h - ry}, rx, ry, 0, false, true, point{x + w - rx, y + h})
	s.to(point{x + rx, y + h})
	s.arc(point{x + rx, y + h}, rx, ry, 0, false, true, point{x, y + h - ry})
	s.to(point{x, y + ry})
	s.arc(point{x, y + ry}, rx, ry, 0, false, true, point{x + rx, y})
	s.close()
}

// path reads the data of a path, as far as it is one.
func (s *shape) path(data string) {
	in := scanner{s: data}
	var at, handle point
	var command, last byte
	for *s.most >= 0 {
		if c := in.letter(); c != 0 {
			command = c
		} else if command == 0 || !in.more() {
			return
		}
		origin := point{}
		if command >= 'a' {
			origin = at
		}
		ok := true
		num := func() float64 {
			v, good := in.number()
			ok = ok && good
			return v
		}
		next := func() point { x, y := num(), num(); return point{origin.x + x, origin.y + y} }
		mirror := func(a, b byte) point {
			if last == a || last == b {
				return point{2*at.x - handle.x, 2*at.y - handle.y}
			}
			return at
		}
		kind := command | 0x20
		switch kind {
		case 'm':
			p := next()
			if !ok {
				return
			}
			s.move(p)
			at = p
			command -= 'm' - 'l' // further pairs are lines
		case 'z':
			s.close()
			at = s.start
			command = 0
		case 'l', 'h', 'v':
			p := at
			switch kind {
			case 'l':
				p = next()
			case 'h':
				p.x = origin.x + num()
			case 'v':
				p.y = origin.y + num()
			}
			if !ok {
				return
			}
			s.to(p)
			at = p
		case 'c', 's':
			b := mirror('c', 's')
			if kind == 'c' {
				b = next()
			}
			c, d := next(), next()
			if !ok {
				return
			}
			s.cubic(at, b, c, d)
			handle, at = c, d
		case 'q', 't':
			b := mirror('q', 't')
			if kind == 'q' {
				b = next()
			}
			c := next()
			if !ok {
				return
			}
			s.quad(at, b, c)
			handle, at = b, c
		case 'a':
			rx, ry, angle := num(), num(), num()
			large, good1 := in.flag()
			sweep, good2 := in.flag()
			p := next()
			if !ok || !good1 || !good2 {
				return
			}
			s.arc(at, rx, ry, angle, large, sweep, p)
			at = p
		default:
			return
		}
		last = kind
	}
}

// scanner reads numbers that stand as close as SVG lets them.
type scanner struct {
	s string
	i int
}

func (n *scanner) more() bool {
	for n.i < len(n.s) && (n.s[n.i] <= ' ' || n.s[n.i] == ',') {
		n.i++
	}
	return n.i < len(n.s)
}

func (n *scanner) letter() byte {
	if n.more() && (n.s[n.i]|0x20) >= 'a' && (n.s[n.i]|0x20) <= 'z' {
		n.i++
		return n.s[n.i-1]
	}
	return 0
}

func (n *scanner) flag() (value, ok bool) {
	if !n.more() || n.s[n.i] != '0' && n.s[n.i] != '1' {
		return false, false
	}
	n.i++
	return n.s[n.i-1] == '1', true
}

func (n *scanner) number() (float64, bool) {
	if !n.more() {
		return 0, false
	}
	from := n.i
	digits := func() {
		for n.i < len(n.s) && n.s[n.i] >= '0' && n.s[n.i] <= '9' {
			n.i++
		}
	}
	sign := func() {
		if n.i < len(n.s) && (n.s[n.i] == '-' || n.s[n.i] == '+') {
			n.i++
		}
	}
	sign()
	digits()
	if n.i < len(n.s) && n.s[n.i] == '.' {
		n.i++
		digits()
	}
	if n.i < len(n.s) && n.s[n.i]|0x20 == 'e' {
		mark := n.i
		n.i++
		sign()
		if was := n.i; true {
			if digits(); n.i == was {
				n.i = mark // the letter is the beginning of a unit
			}
		}
	}
	v, err := strconv.ParseFloat(n.s[from:n.i], 64)
	if err != nil || math.Abs(v) > 1e9 {
		return 0, false
	}
	return v, true
}

// numbers are those at the beginning of s.
func numbers(s string) (out []float64) {
	in := scanner{s: s}
	for len(out) < 64 {
		v, ok := in.number()
		if !ok {
			break
		}
		out = append(out, v)
		for in.i < len(s) && (s[in.i]|0x20 >= 'a' && s[in.i]|0x20 <= 'z' || s[in.i] == '%') {
			in.i++ // a unit
		}
	}
	return out
}
