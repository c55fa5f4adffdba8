package svg

import "math"

// pen is how lines are drawn.
type pen struct {
	width, miter float64
	cap, join    byte // the first letter of its name
	dash         []float64
	offset       float64
}

// outline is what a pen leaves along lines: pieces that overlap, all turning the
// same way, so that together they are filled as one.
type outline struct {
	pen
	half  float64
	step  float64
	lines []line
	most  *int
}

func (s *shape) stroke(p pen) []line {
	o := &outline{pen: p, half: p.width / 2, step: s.step, most: s.most}
	for _, l := range s.lines {
		if *o.most < 0 {
			break
		}
		for _, part := range dashed(l, p) {
			o.line(part)
		}
	}
	return o.lines
}

func (o *outline) piece(pts ...point) {
	if *o.most -= len(pts); *o.most < 0 {
		return
	}
	area := 0.0
	for i, p := range pts {
		q := pts[(i+1)%len(pts)]
		area += p.x*q.y - q.x*p.y
	}
	if area < 0 {
		for i, j := 0, len(pts)-1; i < j; i, j = i+1, j-1 {
			pts[i], pts[j] = pts[j], pts[i]
		}
	}
	o.lines = append(o.lines, line{pts: pts, closed: true})
}

func (o *outline) disc(c point) {
	n := min(max(int(math.Ceil(math.Pi/math.Acos(max(1-o.step/o.half, 0.5)))), 8), 64)
	pts := make([]point, n)
	for i := range pts {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		pts[i] = point{c.x + o.half*cos, c.y + o.half*sin}
	}
	o.piece(pts...)
}

// direction is from p to q, one long.
func direction(p, q point) point {
	d := math.Hypot(q.x-p.x, q.y-p.y)
	return point{(q.x - p.x) / d, (q.y - p.y) / d}
}

func (o *outline) line(l line) {
	pts := l.pts[:0:0]
	for _, p := range l.pts {
		if len(pts) == 0 || pts[len(pts)-1] != p {
			pts = append(pts, p)
		}
	}
	closed := l.closed
	if closed && len(pts) > 1 && pts[0] == pts[len(pts)-1] {
		pts = pts[:len(pts)-1]
	}
	if len(pts) == 1 {
		o.dot(pts[0])
		return
	}
	n := len(pts)
	last := n - 1
	if closed {
		last = n
	}
	for i := range last {
		p, q := pts[i], pts[(i+1)%n]
		d := direction(p, q)
		a, b := p, q
		if !closed && o.cap == 's' {
			if i == 0 {
				a = point{p.x - d.x*o.half, p.y - d.y*o.half}
			}
			if i == last-1 {
				b = point{q.x + d.x*o.half, q.y + d.y*o.half}
			}
		}
		x, y := -d.y*o.half, d.x*o.half
		o.piece(point{a.x + x, a.y + y}, point{b.x + x, b.y + y}, point{b.x - x, b.y - y}, point{a.x - x, a.y - y})
		if closed || i+1 < last {
			o.corner(q, d, direction(q, pts[(i+2)%n]))
		}
	}
	if !closed && o.cap == 'r' {
		o.disc(pts[0])
		o.disc(pts[n-1])
	}
}

// dot is a line without length, of which only the caps show.
func (o *outline) dot(p point) {
	switch h := o.half; o.cap {
	case 'r':
		o.disc(p)
	case 's':
		o.piece(point{p.x - h, p.y - h}, point{p.x + h, p.y - h}, point{p.x + h, p.y + h}, point{p.x - h, p.y + h})
	}
}

// corner fills the gap at p between lines in the directions d and e.
func (o *outline) corner(p, d, e point) {
	cross, dot := d.x*e.y-d.y*e.x, d.x*e.x+d.y*e.y
	if math.Abs(cross) < 1e-6 && dot > 0 {
		return
	}
	if o.join == 'r' {
		if dot < 0.98 {
			o.disc(p)
			return
		}
	}
	h := o.half
	if cross > 0 {
		h = -h // the gap is on the other side
	}
	a, b := point{p.x - d.y*h, p.y + d.x*h}, point{p.x - e.y*h, p.y + e.x*h}
	// How long the point would be, in widths, is one over the sine of half the angle.
	if half := math.Sqrt(max(0, (1+dot)/2)); o.join == 'm' && half > 1e-6 && 1/half <= o.miter {
		k := h / (1 + dot)
		o.piece(p, a, point{p.x + (-d.y-e.y)*k, p.y + (d.x+e.x)*k}, b)
		return
	}
	o.piece(p, a, b)
}

// dashed cuts a line as its pen is dashed.
func dashed(l line, p pen) []line {
	total := 0.0
	for _, d := range p.dash {
		if d < 0 {
			return []line{l}
		}
		total += d
	}
	pts := l.pts
	if l.closed && len(pts) > 0 {
		pts = append(pts[:len(pts):len(pts)], pts[0])
	}
	length := 0.0
	for i := 1; i < len(pts); i++ {
		length += math.Hypot(pts[i].x-pts[i-1].x, pts[i].y-pts[i-1].y)
	}
	const mostDashes = 2000 // finer ones cannot be told from a line
	if total <= 0 || !finite(length) || length/total*float64(len(p.dash)) > mostDashes {
		return []line{l}
	}
	left := math.Mod(p.offset, total*2)
	if left < 0 {
		left += total * 2
	}
	i, on := 0, true
	for left >= p.dash[i] {
		left -= p.dash[i]
		i, on = (i+1)%len(p.dash), !on
	}
	left = p.dash[i] - left
	var out []line
	start := func(p point) {
		if on {
			out = append(out, line{pts: []point{p}})
		}
	}
	if len(pts) > 0 {
		start(pts[0])
	}
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		d := math.Hypot(b.x-a.x, b.y-a.y)
		if d == 0 {
			continue
		}
		gone := 0.0
		for d-gone > left {
			gone += left
			m := point{a.x + (b.x-a.x)*gone/d, a.y + (b.y-a.y)*gone/d}
			if on {
				o := &out[len(out)-1]
				o.pts = append(o.pts, m)
			}
			i, on = (i+1)%len(p.dash), !on
			left = p.dash[i]
			start(m)
		}
		left -= d - gone
		if on {
			o := &out[len(out)-1]
			o.pts = append(o.pts, b)
		}
	}
	return out
}
