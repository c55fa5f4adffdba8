package svg

import (
	"math"
	"strings"
)

// shape is what n is drawn as, nil where it is no shape.
func (r *renderer) shape(n *node, m matrix) *shape {
	s := &shape{step: 0.1 / max(m.scale(), 1e-6), most: &r.points}
	get := func(key string, of float64) float64 { return length(n.get(key), of) }
	w, h := r.view.x, r.view.y
	switch n.name {
	case "path":
		s.path(n.get("d"))
	case "rect":
		rx, ry := get("rx", w), get("ry", h)
		if n.get("rx") == "" {
			rx = ry
		}
		if n.get("ry") == "" {
			ry = rx
		}
		s.rect(get("x", w), get("y", h), get("width", w), get("height", h), rx, ry)
	case "circle":
		rad := get("r", math.Sqrt((w*w+h*h)/2))
		s.ellipse(get("cx", w), get("cy", h), rad, rad)
	case "ellipse":
		s.ellipse(get("cx", w), get("cy", h), get("rx", w), get("ry", h))
	case "line":
		s.move(point{get("x1", w), get("y1", h)})
		s.to(point{get("x2", w), get("y2", h)})
	case "polyline", "polygon":
		in := scanner{s: strings.TrimSpace(n.get("points"))}
		for i := 0; r.points >= 0; i++ {
			x, ok := in.number()
			y, ok2 := in.number()
			if !ok || !ok2 {
				break
			}
			if i == 0 {
				s.move(point{x, y})
			} else {
				s.to(point{x, y})
			}
		}
		if n.name == "polygon" {
			s.close()
		}
	default:
		return nil
	}
	return s
}
