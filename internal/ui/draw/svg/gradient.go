package svg

import (
	"math"
	"strings"
)

// source says which colour a pixel has, premultiplied, of 0 to 255.
type source func(x, y int) [4]float32

func solid(c rgba, alpha float64) source {
	a := c.a * alpha
	px := [4]float32{float32(c.r * a * 255), float32(c.g * a * 255), float32(c.b * a * 255), float32(a * 255)}
	return func(int, int) [4]float32 { return px }
}

// maxChain bounds how many gradients a gradient may stand on.
const maxChain = 16

// gradient is what a gradient says, with what those say that it stands on.
type gradient []*node

func (t *tree) gradient(n *node) (g gradient) {
	for ; n != nil && len(g) < maxChain; n = t.ref(n.get("href")) {
		g = append(g, n)
	}
	return g
}

func (g gradient) get(key string) string {
	for _, n := range g {
		if v := n.get(key); v != "" {
			return v
		}
	}
	return ""
}

// steps bounds the colours of a gradient.
const steps = 256

// ramp are the colours of a gradient from its beginning to its end; false where
// it has none.
func (r *renderer) ramp(g gradient, st style, alpha float64) (out [steps][4]float32, ok bool) {
	type stop struct {
		at float64
		c  rgba
	}
	var stops []stop
	for _, n := range g {
		for _, k := range n.kids {
			if k.name != "stop" {
				continue
			}
			// Stops inherit little, and icons let them inherit nothing.
			s, o := r.styled(k, st)
			at := length(k.get("offset"), 1)
			if len(stops) > 0 {
				at = max(at, stops[len(stops)-1].at)
			}
			c := o.stop.c
			if o.stop.kind == 'C' {
				c = s.color
			}
			c.a *= o.stopAlpha * alpha
			stops = append(stops, stop{min(max(at, 0), 1), c})
		}
		if len(stops) > 0 {
			break
		}
	}
	if len(stops) == 0 {
		return out, false
	}
	next := 0
	for i := range out {
		at := float64(i) / (steps - 1)
		for next < len(stops) && stops[next].at <= at {
			next++
		}
		c := stops[min(next, len(stops)-1)].c
		if next > 0 && next < len(stops) {
			a, b := stops[next-1], stops[next]
			k := (at - a.at) / (b.at - a.at)
			c = rgba{a.c.r + (b.c.r-a.c.r)*k, a.c.g + (b.c.g-a.c.g)*k, a.c.b + (b.c.b-a.c.b)*k, a.c.a + (b.c.a-a.c.a)*k}
		}
		out[i] = solid(c, 1)(0, 0)
	}
	return out, true
}

// source is the paint of something whose coordinates m maps to pixels; nil
// where nothing is painted.
func (r *renderer) source(p paint, st style, alpha float64, m matrix, bounds func() box) source {
	switch p.kind {
	case 'c':
		return solid(p.c, alpha)
	case 'C':
		return solid(st.color, alpha)
	case 'u':
		n := r.ref(p.ref)
		if n == nil || n.name != "linearGradient" && n.name != "radialGradient" {
			if p.c.a > 0 {
				return solid(p.c, alpha)
			}
			return nil
		}
		return r.gradientSource(r.gradient(n), st, alpha, m, bounds)
	}
	return nil
}

func (r *renderer) gradientSource(g gradient, st style, alpha float64, m matrix, bounds func() box) source {
	ramp, ok := r.ramp(g, st, alpha)
	if !ok {
		return nil
	}
	last := func(int, int) [4]float32 { return ramp[steps-1] }
	width, height := r.view.x, r.view.y
	if g.get("gradientUnits") != "userSpaceOnUse" {
		unit, ok := bounds().matrix()
		if !ok {
			return last
		}
		m, width, height = m.then(unit), 1, 1
	}
	m = m.then(readTransform(g.get("gradientTransform")))
	back, ok := m.inverse()
	if !ok {
		return last
	}
	get := func(key, otherwise string, of float64) float64 {
		if v := g.get(key); v != "" {
			return length(v, of)
		}
		return length(otherwise, of)
	}
	var at func(p point) float64
	if g[0].name == "linearGradient" {
		x1, y1 := get("x1", "0", width), get("y1", "0", height)
		dx, dy := get("x2", "100%", width)-x1, get("y2", "0", height)-y1
		long := dx*dx + dy*dy
		if long == 0 {
			return last
		}
		at = func(p point) float64 { return ((p.x-x1)*dx + (p.y-y1)*dy) / long }
	} else {
		cx, cy, rad := get("cx", "50%", width), get("cy", "50%", height), get("r", "50%", math.Sqrt((width*width+height*height)/2))
		fx, fy := cx, cy
		if v := g.get("fx"); v != "" {
			fx = length(v, width)
		}
		if v := g.get("fy"); v != "" {
			fy = length(v, height)
		}
		if rad <= 0 {
			return last
		}
		// A focus on or beyond the edge is moved inside.
		if d := math.Hypot(fx-cx, fy-cy); d > rad*0.99 {
			fx, fy = cx+(fx-cx)*rad*0.99/d, cy+(fy-cy)*rad*0.99/d
		}
		ex, ey := fx-cx, fy-cy
		c := ex*ex + ey*ey - rad*rad
		at = func(p point) float64 {
			// How far from the focus the circle is in the direction of p.
			dx, dy := p.x-fx, p.y-fy
			a := dx*dx + dy*dy
			if a == 0 {
				return 0
			}
			b := dx*ex + dy*ey
			return a / (-b + math.Sqrt(max(0, b*b-a*c)))
		}
	}
	spread := strings.TrimSpace(g.get("spreadMethod"))
	return func(x, y int) [4]float32 {
		t := at(back.apply(point{float64(x) + 0.5, float64(y) + 0.5}))
		if !finite(t) {
			t = 1
		}
		switch spread {
		case "repeat":
			t -= math.Floor(t)
		case "reflect":
			t = math.Abs(t - 2*math.Floor((t+1)/2))
		}
		return ramp[int(min(max(t, 0), 1)*(steps-1)+0.5)]
	}
}
