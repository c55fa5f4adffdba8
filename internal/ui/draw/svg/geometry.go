package svg

import (
	"math"
	"strings"
)

type point struct{ x, y float64 }

// matrix maps x, y to a*x+c*y+e, b*x+d*y+f.
type matrix struct{ a, b, c, d, e, f float64 }

var unit = matrix{a: 1, d: 1}

func (m matrix) apply(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// then is n first, m after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (m matrix) inverse() (matrix, bool) {
	det := m.a*m.d - m.b*m.c
	if math.Abs(det) < 1e-12 || !finite(det) {
		return unit, false
	}
	return matrix{
		m.d / det, -m.b / det, -m.c / det, m.a / det,
		(m.c*m.f - m.d*m.e) / det, (m.b*m.e - m.a*m.f) / det,
	}, true
}

// scale is how much larger m makes things, on average.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func readTransform(s string) matrix {
	m := unit
	for {
		name, rest, ok := strings.Cut(s, "(")
		if !ok {
			return m
		}
		args, after, ok := strings.Cut(rest, ")")
		if !ok {
			return m
		}
		s = after
		v := numbers(args)
		at := func(i int) float64 {
			if i < len(v) {
				return v[i]
			}
			return 0
		}
		var n matrix
		switch strings.Trim(name, ", \t\r\n") {
		case "matrix":
			if len(v) != 6 {
				continue
			}
			n = matrix{v[0], v[1], v[2], v[3], v[4], v[5]}
		case "translate":
			n = matrix{1, 0, 0, 1, at(0), at(1)}
		case "scale":
			n = matrix{a: at(0), d: at(0)}
			if len(v) > 1 {
				n.d = v[1]
			}
		case "rotate":
			sin, cos := math.Sincos(at(0) * math.Pi / 180)
			n = matrix{1, 0, 0, 1, at(1), at(2)}.then(matrix{cos, sin, -sin, cos, 0, 0}).then(matrix{1, 0, 0, 1, -at(1), -at(2)})
		case "skewX":
			n = matrix{1, 0, math.Tan(at(0) * math.Pi / 180), 1, 0, 0}
		case "skewY":
			n = matrix{1, math.Tan(at(0) * math.Pi / 180), 0, 1, 0, 0}
		default:
			continue
		}
		m = m.then(n)
	}
}

// box is a rectangle; empty where x1 < x0.
type box struct{ x0, y0, x1, y1 float64 }

var nowhere = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func (b *box) add(p point) {
	b.x0, b.y0 = min(b.x0, p.x), min(b.y0, p.y)
	b.x1, b.y1 = max(b.x1, p.x), max(b.y1, p.y)
}

// matrix maps the unit square to the box.
func (b box) matrix() (matrix, bool) {
	if !(b.x1 > b.x0) || !(b.y1 > b.y0) {
		return unit, false
	}
	return matrix{b.x1 - b.x0, 0, 0, b.y1 - b.y0, b.x0, b.y0}, true
}
