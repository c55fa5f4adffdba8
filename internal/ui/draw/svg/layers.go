package svg

// group paints n with what is done to it as a whole: filter, clip, mask, opacity.
func (r *renderer) group(to layer, n *node, st style, o own, m matrix) {
	clip, mask, filter := r.named(o.clip, "clipPath"), r.named(o.mask, "mask"), r.named(o.filter, "filter")
	if clip == nil && mask == nil && filter == nil && o.opacity == 1 {
		r.inside(to, n, st, m)
		return
	}
	over := r.layer()
	if over == nil {
		return
	}
	defer r.drop()
	r.inside(over, n, st, m)
	if filter != nil {
		r.filter(over, filter, m)
	}
	if clip != nil {
		if with := r.layer(); with != nil {
			r.clip(with, clip, n, m)
			r.cut(over, with, false)
			r.drop()
		}
	}
	if mask != nil {
		if with := r.layer(); with != nil {
			mm := m
			if mask.get("maskContentUnits") == "objectBoundingBox" {
				mm = r.boxed(n, m)
			}
			r.children(with, mask, initial(), mm)
			r.cut(over, with, true)
			r.drop()
		}
	}
	if r.spend(len(over)) {
		return
	}
	a := float32(o.opacity)
	for i, px := range over {
		blend(&to[i], px, a)
	}
}

func (r *renderer) named(ref, name string) *node {
	if ref == "" || ref == "none" {
		return nil
	}
	if n := r.ref(ref); n != nil && n.name == name {
		return n
	}
	return nil
}

func (r *renderer) layer() layer {
	if r.layers++; r.layers > maxLayers {
		r.err = errTooDeep
	}
	if r.spend(r.w * r.h) {
		r.layers--
		return nil
	}
	return make(layer, r.w*r.h)
}

func (r *renderer) drop() { r.layers-- }

// cut keeps of a layer what another has: how opaque it is, or how light as well.
func (r *renderer) cut(l, with layer, light bool) {
	if r.spend(len(l)) {
		return
	}
	for i, px := range with {
		a := px[3] / 255
		if light {
			a = (0.2126*px[0] + 0.7152*px[1] + 0.0722*px[2]) / 255
		}
		for c := range 4 {
			l[i][c] *= a
		}
	}
}

// clip paints what a clip lets through of n.
func (r *renderer) clip(to layer, clip, n *node, m matrix) {
	if r.depth++; r.depth > 2*maxDepth {
		r.err = errTooDeep
		return
	}
	defer func() { r.depth-- }()
	st, o := r.styled(clip, initial())
	m2 := m.then(readTransform(o.transform))
	if clip.get("clipPathUnits") == "objectBoundingBox" {
		m2 = r.boxed(n, m2)
	}
	for _, k := range clip.kids {
		ks, ko := r.styled(k, st)
		if ko.gone {
			continue
		}
		km := m2.then(readTransform(ko.transform))
		km, ok := r.placed(k, km)
		if !ok {
			continue
		}
		if k.name == "use" {
			if k = r.ref(k.get("href")); k == nil {
				continue
			}
			ks, ko = r.styled(k, ks)
			km = km.then(readTransform(ko.transform))
		}
		s := r.shape(k, km)
		if s == nil || ks.hidden {
			continue
		}
		r.paint(to, r.pixels(s.lines, km), ks.clipOdd, solid(rgba{1, 1, 1, 1}, 1))
	}
	if inner := r.named(o.clip, "clipPath"); inner != nil {
		if with := r.layer(); with != nil {
			r.clip(with, inner, n, m)
			r.cut(to, with, false)
			r.drop()
		}
	}
}

// boxed is m for coordinates that are parts of n's box.
func (r *renderer) boxed(n *node, m matrix) matrix {
	b := nowhere
	r.bounds(n, unit, &b, 0)
	in, ok := b.matrix()
	if !ok {
		return m
	}
	return m.then(in)
}

func (r *renderer) bounds(n *node, m matrix, to *box, depth int) {
	if depth > maxDepth || r.spend(cost(n)) {
		return
	}
	if s := r.shape(n, m); s != nil {
		for _, l := range s.lines {
			for _, p := range l.pts {
				to.add(m.apply(p))
			}
		}
		return
	}
	for _, k := range n.kids {
		r.bounds(k, m.then(readTransform(k.get("transform"))), to, depth+1)
	}
}
