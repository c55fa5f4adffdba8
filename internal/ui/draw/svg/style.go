package svg

import (
	"slices"
	"strings"
)

// style is what an element says of how it looks, and hands down.
type style struct {
	fill, stroke        paint
	fillAlpha, penAlpha float64
	pen                 pen
	color               rgba
	evenOdd, clipOdd    bool
	hidden              bool
}

// own is what an element says for itself alone.
type own struct {
	opacity            float64
	gone               bool
	clip, mask, filter string
	stop               paint
	stopAlpha          float64
	transform          string
}

// paint is a colour, or where one comes from.
type paint struct {
	kind byte // 'n'one, 'c'olour, 'u'rl, current 'C'olour
	c    rgba
	ref  string
}

// rgba is a colour of 0 to 1, not premultiplied.
type rgba struct{ r, g, b, a float64 }

func initial() style {
	return style{
		fill: paint{kind: 'c', c: rgba{a: 1}}, stroke: paint{kind: 'n'}, fillAlpha: 1, penAlpha: 1, color: rgba{a: 1},
		pen: pen{width: 1, miter: 4, cap: 'b', join: 'm'},
	}
}

// rule is one of a style sheet, for a simple selector.
type rule struct {
	tag, class, id string
	weight         int
	text           string
}

func (r *rule) fits(n *node) bool {
	return (r.tag == "" || r.tag == n.name) && (r.id == "" || r.id == n.get("id")) &&
		(r.class == "" || slices.Contains(strings.Fields(n.get("class")), r.class))
}

// readSheet reads rules whose selectors are a name, a class, an id or those
// together; others, which icons have not, are left out.
func readSheet(s string) (out []rule) {
	for {
		a, rest, ok := strings.Cut(s, "/*")
		if !ok {
			break
		}
		_, rest, _ = strings.Cut(rest, "*/")
		s = a + rest
	}
	for len(out) < maxRules {
		selectors, rest, ok := strings.Cut(s, "{")
		if !ok {
			break
		}
		text, after, _ := strings.Cut(rest, "}")
		s = after
		for sel := range strings.SplitSeq(selectors, ",") {
			sel = strings.TrimSpace(sel)
			if sel == "" || strings.ContainsAny(sel, " >+~:[@\n\t") {
				continue
			}
			r := rule{text: text}
			i := strings.IndexAny(sel, ".#")
			if i < 0 {
				i = len(sel)
			}
			if r.tag = sel[:i]; r.tag == "*" {
				r.tag = ""
			}
			if r.tag != "" {
				r.weight++
			}
			for sel = sel[i:]; sel != ""; {
				end := strings.IndexAny(sel[1:], ".#") + 1
				if end == 0 {
					end = len(sel)
				}
				if sel[0] == '#' {
					r.id, r.weight = sel[1:end], r.weight+100
				} else {
					r.class, r.weight = sel[1:end], r.weight+10
				}
				sel = sel[end:]
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b rule) int { return a.weight - b.weight })
	return out
}

// styled is the style of n, which stands in one of style st.
func (t *tree) styled(n *node, st style) (style, own) {
	o := own{opacity: 1, stop: paint{kind: 'c', c: rgba{a: 1}}, stopAlpha: 1}
	// The colour first: others may name it.
	each := func(use func(key, value string)) {
		for _, a := range n.attrs {
			if a.key != "style" && a.key != "class" {
				use(a.key, a.value)
			}
		}
		for i := range t.rules {
			if t.rules[i].fits(n) {
				declarations(t.rules[i].text, use)
			}
		}
		declarations(n.get("style"), use)
	}
	each(func(key, value string) {
		if key == "color" {
			if c, ok := readColor(value); ok {
				st.color = c
			}
		}
	})
	each(func(key, value string) {
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		if value != "inherit" {
			apply(&st, &o, key, value)
		}
	})
	return st, o
}

func declarations(s string, use func(key, value string)) {
	for d := range strings.SplitSeq(s, ";") {
		if key, value, ok := strings.Cut(d, ":"); ok {
			use(strings.TrimSpace(key), value)
		}
	}
}

func apply(st *style, o *own, key, value string) {
	switch key {
	case "fill":
		readPaint(value, &st.fill)
	case "stroke":
		readPaint(value, &st.stroke)
	case "fill-opacity":
		readAlpha(value, &st.fillAlpha)
	case "stroke-opacity":
		readAlpha(value, &st.penAlpha)
	case "fill-rule":
		st.evenOdd = value == "evenodd"
	case "clip-rule":
		st.clipOdd = value == "evenodd"
	case "stroke-width":
		if v := length(value, 0); v >= 0 {
			st.pen.width = v
		}
	case "stroke-miterlimit":
		st.pen.miter = max(length(value, 0), 1)
	case "stroke-linecap":
		st.pen.cap = first(value)
	case "stroke-linejoin":
		st.pen.join = first(value)
	case "stroke-dasharray":
		st.pen.dash = nil
		if v := numbers(value); len(v) > 0 {
			if len(v)%2 == 1 {
				v = append(v, v...)
			}
			st.pen.dash = v
		}
	case "stroke-dashoffset":
		st.pen.offset = length(value, 0)
	case "visibility":
		st.hidden = value == "hidden" || value == "collapse"
	case "opacity":
		readAlpha(value, &o.opacity)
	case "display":
		o.gone = value == "none"
	case "clip-path":
		o.clip = value
	case "mask":
		o.mask = value
	case "filter":
		o.filter = value
	case "stop-color":
		readPaint(value, &o.stop)
	case "stop-opacity":
		readAlpha(value, &o.stopAlpha)
	case "transform":
		o.transform = value
	}
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

func readAlpha(s string, to *float64) {
	if v := numbers(s); len(v) > 0 {
		if strings.HasSuffix(s, "%") {
			v[0] /= 100
		}
		*to = min(max(v[0], 0), 1)
	}
}

// length is one in pixels; of is what a percentage counts of.
func length(s string, of float64) float64 {
	v := numbers(s)
	if len(v) == 0 {
		return 0
	}
	s = strings.TrimSpace(s)
	for _, u := range [...]struct {
		name string
		size float64
	}{{"%", of / 100}, {"pt", 96.0 / 72}, {"pc", 16}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"em", 16}, {"ex", 8}} {
		if strings.HasSuffix(s, u.name) {
			return v[0] * u.size
		}
	}
	return v[0]
}
