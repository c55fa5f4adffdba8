package svg

import (
	"math"
	"slices"
)

// edge is one side of what is filled, downwards.
type edge struct {
	x, y0, y1 float64 // x at y0
	dx        float64 // of x a unit of y
	turn      int8    // 1 where the side was drawn downwards
}

// crossing is where an edge meets a line of the sweep.
type crossing struct {
	x    float64
	turn int8
}

// far bounds coordinates, in pixels: what is beyond is as good as there.
const far = 1 << 20

// sides turns lines in pixels into edges within a picture of height h.
func sides(lines []line, h int, to []edge) []edge {
	for _, l := range lines {
		for i, p := range l.pts {
			q := l.pts[(i+1)%len(l.pts)]
			if !finite(p.x + p.y + q.x + q.y) {
				continue
			}
			turn := int8(1)
			if p.y > q.y {
				p, q, turn = q, p, -1
			}
			if p.y == q.y || q.y <= 0 || p.y >= float64(h) {
				continue
			}
			p.x, q.x = min(max(p.x, -far), far), min(max(q.x, -far), far)
			dx := (q.x - p.x) / (q.y - p.y)
			if p.y < 0 {
				p.x, p.y = p.x-p.y*dx, 0
			}
			to = append(to, edge{p.x, p.y, min(q.y, float64(h)), dx, turn})
		}
	}
	return to
}

// fill sweeps over edges and gives each row's cover, 0 to 1 a pixel. A row is
// cut into lines, the more the smaller the picture is.
func (r *renderer) fill(edges []edge, evenOdd bool, emit func(y, x0, x1 int, cover []float32)) {
	if r.spend(4 * len(edges)) {
		return
	}
	parts := 4
	if r.h <= 64 {
		parts = 8
	}
	slices.SortFunc(edges, func(a, b edge) int {
		switch {
		case a.y0 < b.y0:
			return -1
		case a.y0 > b.y0:
			return 1
		}
		return 0
	})
	cover := make([]float32, r.w+1)
	var active []edge
	var cross []crossing
	next := 0
	for y := 0; y < r.h; y++ {
		if len(active) == 0 {
			if next >= len(edges) {
				return
			}
			y = max(y, int(edges[next].y0))
		}
		x0, x1 := r.w, 0
		for part := range parts {
			at := float64(y) + (float64(part)+0.5)/float64(parts)
			for next < len(edges) && edges[next].y0 <= at {
				active = append(active, edges[next])
				next++
			}
			active = slices.DeleteFunc(active, func(e edge) bool { return e.y1 <= at })
			if r.spend(2*len(active) + 1) {
				return
			}
			cross = cross[:0]
			for _, e := range active {
				cross = append(cross, crossing{e.x + (at-e.y0)*e.dx, e.turn})
			}
			slices.SortFunc(cross, func(a, b crossing) int {
				switch {
				case a.x < b.x:
					return -1
				case a.x > b.x:
					return 1
				}
				return 0
			})
			turns := 0
			for i, c := range cross[:max(len(cross)-1, 0)] {
				turns += int(c.turn)
				if evenOdd && i%2 == 0 || !evenOdd && turns != 0 {
					a, b := span(cover, c.x, cross[i+1].x, 1/float32(parts))
					x0, x1 = min(x0, a), max(x1, b)
				}
			}
		}
		if x0 < x1 {
			if r.spend(x1 - x0) {
				return
			}
			emit(y, x0, x1, cover)
			clear(cover[x0:x1])
		}
	}
}

// span adds what lies between a and b to the cover, and says which pixels it is.
func span(cover []float32, a, b float64, part float32) (x0, x1 int) {
	a, b = max(a, 0), min(b, float64(len(cover)-1))
	if !(a < b) {
		return len(cover), 0
	}
	x0, x1 = int(a), int(math.Ceil(b))
	if x1-x0 == 1 {
		cover[x0] += float32(b-a) * part
		return x0, x1
	}
	cover[x0] += float32(float64(x0+1)-a) * part
	for i := x0 + 1; i < x1-1; i++ {
		cover[i] += part
	}
	cover[x1-1] += float32(b-float64(x1-1)) * part
	return x0, x1
}
