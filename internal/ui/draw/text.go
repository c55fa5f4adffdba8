package draw

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Style is how text is set. Size is that of an em in pixels.
type Style struct {
	Size float32
	Bold bool
	Mono bool
}

// Text is one line of text as it will stand, with its glyphs from left to right.
// It belongs to the Fonts that made it, until their Drop.
type Text struct {
	Source  string
	Style   Style
	Width   float32
	Ascent  float32 // of the style's own font, whatever else stands in the line
	Descent float32
	// RTL says that the text begins at the right.
	RTL bool

	glyphs   []glyph
	clusters []cluster // in the order of the text
}

type glyph struct {
	face *face
	id   uint32
	x, y float32 // of the pen, y down from the baseline
	at   int     // byte of the text that it stands for
}

// cluster is a grapheme, or several that share a glyph, and its place.
type cluster struct {
	from, to int
	x0, x1   float32
	rtl      bool
}

type textKey struct {
	text  string
	style Style
}

// maxText bounds one line in bytes; no panel is as wide as that.
const maxText = 8192

// Text shapes one line.
func (f *Fonts) Text(s string, style Style) *Text {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	key := textKey{s, style}
	if t, ok := f.texts[key]; ok {
		return t
	}
	t, ok := f.oldTexts[key]
	if !ok {
		t = f.shape(s, style)
	}
	if f.texts == nil || len(f.texts) >= cachedTexts/2 {
		f.texts, f.oldTexts = make(map[textKey]*Text, 64), f.texts
	}
	f.texts[key] = t
	return t
}

// ellipsis ends a text that was cut.
const ellipsis = "…"

// Fit shapes one line of at most that width. What has no room is cut off between
// graphemes, and an ellipsis says so.
func (f *Fonts) Fit(s string, style Style, width float32) *Text {
	t := f.Text(s, style)
	if t.Width <= width {
		return t
	}
	room := width - f.Text(ellipsis, style).Width
	if room <= 0 {
		return f.Text("", style)
	}
	// The clusters in the order of reading, as many as have room. Letters that
	// join may grow at the cut, so the result is measured again.
	n := 0
	var used float32
	for n < len(t.clusters) {
		w := t.clusters[n].x1 - t.clusters[n].x0
		if used+w > room {
			break
		}
		used += w
		n++
	}
	for ; n > 0; n-- {
		cut := f.Text(strings.TrimRight(s[:t.clusters[n-1].to], " ")+ellipsis, style)
		if cut.Width <= width {
			return cut
		}
	}
	return f.Text(ellipsis, style)
}

// Line is a piece of a text that was broken into lines.
type Line struct{ From, To int }

// Wrap breaks s into at most that many lines of at most that width: at line ends,
// else where the text may be broken, else anywhere.
func (f *Fonts) Wrap(s string, style Style, width float32, lines int) []Line {
	var out []Line
	start, at, state := 0, 0, -1
	rest := s
	var used float32
	flush := func(to int) {
		if len(out) < lines {
			out = append(out, Line{start, to})
		}
		start, used = to, 0
	}
	for rest != "" && len(out) < lines {
		segment, next, must, st := uniseg.FirstLineSegmentInString(rest, state)
		rest, state = next, st
		visible := strings.TrimRight(segment, " \t\r\n")
		w := f.measure(visible, style)
		if used > 0 && used+w > width {
			flush(at)
		}
		for w > width && len(out) < lines {
			n := f.breakInside(visible, style, width)
			at += n
			flush(at)
			visible, segment = visible[n:], segment[n:]
			w = f.measure(visible, style)
		}
		used += f.measure(strings.TrimRight(segment, "\r\n"), style)
		at += len(segment)
		if must && (rest != "" || strings.HasSuffix(segment, "\n")) {
			flush(at)
		}
	}
	if start < len(s) {
		flush(len(s))
	}
	for i := range out {
		for out[i].To > out[i].From && strings.IndexByte(" \t\r\n", s[out[i].To-1]) >= 0 {
			out[i].To--
		}
	}
	return out
}

// measure shapes without keeping the result: the words of a long text would
// push out what is painted again and again.
func (f *Fonts) measure(s string, style Style) float32 {
	if s == "" {
		return 0
	}
	return f.shape(s, style).Width
}

func (f *Fonts) breakInside(s string, style Style, width float32) int {
	t := f.shape(s[:min(len(s), maxText)], style)
	var used float32
	for i, c := range t.clusters {
		if used += c.x1 - c.x0; used > width && i > 0 {
			return c.from
		}
	}
	return len(t.Source)
}

// Caret is where a caret before that byte of the text stands.
func (t *Text) Caret(at int) float32 {
	for i := range t.clusters {
		c := &t.clusters[i]
		if at >= c.from && at < c.to {
			// Inside a ligature the letters are taken to be equally wide.
			part := (c.x1 - c.x0) * t.inside(c, at)
			if c.rtl {
				return c.x1 - part
			}
			return c.x0 + part
		}
	}
	if n := len(t.clusters); n > 0 {
		if c := &t.clusters[n-1]; c.rtl {
			return c.x0
		}
		return t.clusters[n-1].x1
	}
	return 0
}

// inside is how much of a cluster lies before that byte.
func (t *Text) inside(c *cluster, at int) float32 {
	if at == c.from {
		return 0
	}
	all := uniseg.GraphemeClusterCount(t.Source[c.from:c.to])
	if all < 2 {
		return 0
	}
	return float32(uniseg.GraphemeClusterCount(t.Source[c.from:at])) / float32(all)
}

// Offset is the byte of the text that a click at x means, always between
// graphemes.
func (t *Text) Offset(x float32) int {
	best, at := float32(-1), 0
	try := func(o int) {
		if d := abs(t.Caret(o) - x); best < 0 || d < best {
			best, at = d, o
		}
	}
	for i := range t.clusters {
		c := &t.clusters[i]
		state, rest, o := -1, t.Source[c.from:c.to], c.from
		for rest != "" {
			try(o)
			var g string
			g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			o += len(g)
		}
	}
	try(len(t.Source))
	return at
}

// Span is a stretch of a line, in pixels from its left.
type Span struct{ X0, X1 float32 }

// Spans are the stretches that part of a text takes, which are several where
// directions meet.
func (t *Text) Spans(from, to int) []Span {
	var out []Span
	for i := range t.clusters {
		c := &t.clusters[i]
		if c.to <= from || c.from >= to {
			continue
		}
		a, b := c.x0, c.x1
		if from > c.from || to < c.to {
			p, q := t.inside(c, max(from, c.from)), float32(1)
			if to < c.to {
				q = t.inside(c, to)
			}
			w := c.x1 - c.x0
			if a, b = c.x0+w*p, c.x0+w*q; c.rtl {
				a, b = c.x1-w*q, c.x1-w*p
			}
		}
		if n := len(out); n > 0 && out[n-1].X1 == a {
			out[n-1].X1 = b
		} else if n > 0 && out[n-1].X0 == b {
			out[n-1].X0 = a
		} else {
			out = append(out, Span{a, b})
		}
	}
	return out
}
