package svg

import (
	"image"
	"math"
)

const (
	// maxWork and, for each pixel, pixelWork bound the steps of painting: those
	// of reading, of the sweeps, and the pixels. The largest icons of the usual
	// themes take a fifth.
	maxWork   = 2_000_000
	pixelWork = 40
	// maxPoints bounds the points of all lines.
	maxPoints = 200_000
	// maxLayers bounds the pictures that are made to be laid over others at once.
	maxLayers = 8
	// MaxSize bounds a picture's sides, in pixels.
	MaxSize = 512
)

// renderer paints one file.
type renderer struct {
	*tree
	w, h   int
	view   point // the size that percentages count of
	work   int
	points int
	depth  int
	layers int
	err    error
}

// layer is a picture, premultiplied, of 0 to 255.
type layer [][4]float32

// Decode paints a file into a square of size pixels, as large as its shape lets it.
func Decode(data []byte, size int) (*image.RGBA, error) {
	if size <= 0 || size > MaxSize {
		return nil, errTooLarge
	}
	t, err := read(data)
	if err != nil {
		return nil, err
	}
	r := &renderer{tree: t, points: maxPoints}
	view, ok := viewBox(t.root)
	if !ok {
		view = box{0, 0, length(t.root.get("width"), 0), length(t.root.get("height"), 0)}
	}
	if !(view.x1 > view.x0) || !(view.y1 > view.y0) || !finite(view.x1-view.x0) || !finite(view.y1-view.y0) {
		return nil, errNotSVG
	}
	w, h := view.x1-view.x0, view.y1-view.y0
	scale := float64(size) / max(w, h)
	r.w, r.h = max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale)))
	r.work = maxWork + pixelWork*r.w*r.h
	r.view = point{w, h}
	m := matrix{scale, 0, 0, scale, -view.x0 * scale, -view.y0 * scale}
	out := make(layer, r.w*r.h)
	st, o := r.styled(t.root, initial())
	r.group(out, t.root, st, o, m)
	if r.err != nil {
		return nil, r.err
	}
	im := image.NewRGBA(image.Rect(0, 0, r.w, r.h))
	empty := true
	for i, px := range out {
		empty = empty && px[3] < 1
		for c := range 4 {
			im.Pix[i*4+c] = uint8(min(max(px[c], 0), px[3], 255) + 0.5)
		}
	}
	if empty {
		return nil, errEmpty
	}
	return im, nil
}

// spend takes n steps of work, and says whether there is none left.
func (r *renderer) spend(n int) bool {
	if r.work -= n; (r.work < 0 || r.points < 0) && r.err == nil {
		r.err = errTooMuch
	}
	return r.err != nil
}

// styled is the tree's, for the work that it is: a file can have long texts, and
// have them read often.
func (r *renderer) styled(n *node, st style) (style, own) {
	if r.spend(cost(n) + len(r.rules) + r.ruleBytes/3) {
		return st, own{gone: true}
	}
	return r.tree.styled(n, st)
}

// cost is the work of reading what an element says.
func cost(n *node) int {
	bytes := 0
	for i := range n.attrs {
		bytes += len(n.attrs[i].value)
	}
	return 16 + bytes/3
}

func viewBox(n *node) (box, bool) {
	v := numbers(n.get("viewBox"))
	if len(v) != 4 || v[2] <= 0 || v[3] <= 0 {
		return box{}, false
	}
	return box{v[0], v[1], v[0] + v[2], v[1] + v[3]}, true
}

// element paints n, which stands in something of style st.
func (r *renderer) element(to layer, n *node, st style, m matrix) {
	switch n.name {
	case "g", "a", "svg", "switch", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon":
	default:
		return
	}
	st, o := r.styled(n, st)
	if o.gone || o.opacity == 0 {
		return
	}
	if r.depth++; r.depth > 2*maxDepth {
		r.err = errTooDeep
		return
	}
	defer func() { r.depth-- }()
	m = m.then(readTransform(o.transform))
	m, ok := r.placed(n, m)
	if !ok {
		return
	}
	r.group(to, n, st, o, m)
}

// placed is m for what is inside n, where that has coordinates of its own.
func (r *renderer) placed(n *node, m matrix) (matrix, bool) {
	if n.name != "svg" && n.name != "use" {
		return m, true
	}
	x, y := length(n.get("x"), r.view.x), length(n.get("y"), r.view.y)
	m = m.then(matrix{1, 0, 0, 1, x, y})
	in := n
	if n.name == "use" {
		if in = r.ref(n.get("href")); in == nil {
			return m, false
		}
	}
	view, ok := viewBox(in)
	if in.name != "symbol" && in.name != "svg" || !ok {
		return m, true
	}
	w, h := view.x1-view.x0, view.y1-view.y0
	size := func(key string, of float64) float64 {
		for _, from := range [...]*node{n, in} {
			if v := from.get(key); v != "" {
				return length(v, of)
			}
		}
		return of
	}
	dw, dh := size("width", r.view.x), size("height", r.view.y)
	scale := min(dw/w, dh/h)
	return m.then(matrix{scale, 0, 0, scale, (dw-w*scale)/2 - view.x0*scale, (dh-h*scale)/2 - view.y0*scale}), true
}

// inside paints what n consists of.
func (r *renderer) inside(to layer, n *node, st style, m matrix) {
	switch n.name {
	case "g", "a", "svg", "symbol":
		r.children(to, n, st, m)
	case "switch":
		for _, k := range n.kids {
			if k.name != "foreignObject" && k.get("requiredExtensions") == "" {
				r.element(to, k, st, m)
				return
			}
		}
	case "use":
		in := r.ref(n.get("href"))
		switch {
		case in == nil:
		case in.name == "symbol" || in.name == "svg":
			inner, o := r.styled(in, st)
			if r.depth++; r.depth > 2*maxDepth {
				r.err = errTooDeep
			}
			if !o.gone && r.err == nil {
				r.group(to, in, inner, o, m)
			}
			r.depth--
		default:
			r.element(to, in, st, m)
		}
	default:
		r.figure(to, n, st, m)
	}
}

func (r *renderer) children(to layer, n *node, st style, m matrix) {
	for _, k := range n.kids {
		r.element(to, k, st, m)
	}
}

// figure paints a shape.
func (r *renderer) figure(to layer, n *node, st style, m matrix) {
	s := r.shape(n, m)
	if s == nil || st.hidden || r.spend(0) {
		return
	}
	bounds := s.bounds
	if n.name != "line" {
		if src := r.source(st.fill, st, st.fillAlpha, m, bounds); src != nil {
			r.paint(to, r.pixels(s.lines, m), st.evenOdd, src)
		}
	}
	if st.pen.width <= 0 {
		return
	}
	if src := r.source(st.stroke, st, st.penAlpha, m, bounds); src != nil {
		r.paint(to, r.pixels(s.stroke(st.pen), m), false, src)
	}
}

// pixels are lines in pixels.
func (r *renderer) pixels(lines []line, m matrix) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		pts := make([]point, len(l.pts))
		for k, p := range l.pts {
			pts[k] = m.apply(p)
		}
		out[i] = line{pts, l.closed}
	}
	return out
}

func (r *renderer) paint(to layer, lines []line, evenOdd bool, src source) {
	r.fill(sides(lines, r.h, nil), evenOdd, func(y, x0, x1 int, cover []float32) {
		for x := x0; x < x1; x++ {
			if c := cover[x]; c > 0 {
				blend(&to[y*r.w+x], src(x, y), min(c, 1))
			}
		}
	})
}

// blend lays cover of a pixel over another.
func blend(p *[4]float32, c [4]float32, cover float32) {
	keep := 1 - c[3]*cover/255
	for i := range 4 {
		p[i] = p[i]*keep + c[i]*cover
	}
}
