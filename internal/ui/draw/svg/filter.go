package svg

import "math"

// filter does to a layer what a filter says, where that is of the few kinds
// that follow each other in icons; what others draw is better left as it is.
func (r *renderer) filter(l layer, n *node, m matrix) {
	for _, k := range n.kids {
		switch k.name {
		case "feGaussianBlur", "feOffset":
		case "feColorMatrix":
			if kind := k.get("type"); kind != "" && kind != "matrix" {
				return
			}
		default:
			return
		}
	}
	for _, k := range n.kids {
		if r.spend(len(l)) {
			return
		}
		switch k.name {
		case "feGaussianBlur":
			v := numbers(k.get("stdDeviation"))
			if len(v) == 0 {
				continue
			}
			r.blur(l, v[0]*math.Hypot(m.a, m.b), v[len(v)-1]*math.Hypot(m.c, m.d))
		case "feOffset":
			dx, dy := length(k.get("dx"), 0), length(k.get("dy"), 0)
			r.offset(l, int(math.Round(min(max(m.a*dx+m.c*dy, -MaxSize), MaxSize))), int(math.Round(min(max(m.b*dx+m.d*dy, -MaxSize), MaxSize))))
		case "feColorMatrix":
			if v := numbers(k.get("values")); len(v) == 20 {
				recolour(l, v)
			}
		}
	}
}

func recolour(l layer, v []float64) {
	for i, px := range l {
		a := float64(px[3]) / 255
		in := [5]float64{4: 1}
		if a > 0 {
			in = [5]float64{float64(px[0]) / 255 / a, float64(px[1]) / 255 / a, float64(px[2]) / 255 / a, a, 1}
		}
		var out [4]float64
		for row := range out {
			for c, x := range in {
				out[row] += v[row*5+c] * x
			}
			out[row] = min(max(out[row], 0), 1)
		}
		l[i] = solid(rgba{out[0], out[1], out[2], out[3]}, 1)(0, 0)
	}
}

func (r *renderer) offset(l layer, dx, dy int) {
	out := make(layer, len(l))
	for y := max(0, dy); y < min(r.h, r.h+dy); y++ {
		for x := max(0, dx); x < min(r.w, r.w+dx); x++ {
			out[y*r.w+x] = l[(y-dy)*r.w+x-dx]
		}
	}
	copy(l, out)
}

// blur blurs by three averages, which is close to Gauss.
func (r *renderer) blur(l layer, sx, sy float64) {
	if !(sx >= 0) || !(sy >= 0) {
		return
	}
	lines := make([][4]float32, max(r.w, r.h))
	for range 3 {
		if d := radius(sx); d > 0 {
			for y := range r.h {
				average(lines, l[y*r.w:], 1, r.w, d)
			}
		}
		if d := radius(sy); d > 0 {
			for x := range r.w {
				average(lines, l[x:], r.w, r.h, d)
			}
		}
		if r.spend(2 * len(l)) {
			return
		}
	}
}

// radius is that of the averages that a deviation takes, 0 for none.
func radius(s float64) int {
	return int(min(s*3*math.Sqrt(2*math.Pi)/4+0.5, MaxSize) / 2)
}

// average replaces n pixels, step apart, by the averages of those within d.
func average(old [][4]float32, l [][4]float32, step, n, d int) {
	var sum [4]float32
	for i := range n {
		old[i] = l[i*step]
	}
	add := func(i int, sign float32) {
		if i >= 0 && i < n {
			for c := range 4 {
				sum[c] += sign * old[i][c]
			}
		}
	}
	for i := 0; i < min(d, n); i++ {
		add(i, 1)
	}
	for i := range n {
		add(i+d, 1)
		for c := range 4 {
			l[i*step][c] = max(0, sum[c]/float32(2*d+1))
		}
		add(i-d, -1)
	}
}
