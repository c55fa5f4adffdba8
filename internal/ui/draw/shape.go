package draw

import (
	"slices"
	"unicode/utf8"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
	"github.com/rivo/uniseg"
)

// run is a stretch of a text in one direction, script and font.
type run struct {
	from, to int // runes
	level    int8
	script   language.Script
	face     *face
}

// shape sets one line anew.
func (f *Fonts) shape(s string, style Style) *Text {
	base := f.primary(style)
	t := &Text{Source: s, Style: style, Ascent: base.ascent * style.Size, Descent: base.descent * style.Size}
	if s == "" {
		return t
	}
	runes := make([]rune, 0, len(s))
	at := make([]int, 0, len(s)+1) // byte of each rune
	for i, r := range s {
		runes, at = append(runes, r), append(at, i)
	}
	at = append(at, len(s))
	runs := f.faces(s, runes, f.scripts(runes, f.levels(t, runes)), base)
	reorder(runs)
	var x float32
	for _, r := range runs {
		x = f.shapeRun(t, r, runes, at, x)
	}
	t.Width = x
	slices.SortFunc(t.clusters, func(a, b cluster) int { return a.from - b.from })
	return t
}

// levels splits a text by direction.
func (f *Fonts) levels(t *Text, runes []rune) []run {
	right := slices.ContainsFunc(runes, func(r rune) bool { return r >= 0x590 })
	if !right {
		return []run{{to: len(runes)}}
	}
	t.RTL = beginsRight(runes)
	base := bidi.LeftToRight
	if t.RTL {
		base = bidi.RightToLeft
	}
	got := f.bidi.Segment(runes, base)
	out := make([]run, 0, got.NumRuns())
	for i := range got.NumRuns() {
		r := got.Run(i)
		out = append(out, run{from: r.Start, to: r.End, level: int8(r.Level)})
	}
	return out
}

// beginsRight says whether the first letter is of a script written to the left.
func beginsRight(runes []rune) bool {
	for _, r := range runes {
		switch script := language.LookupScript(r); script {
		case language.Common, language.Inherited, language.Unknown:
		default:
			return toTheLeft(script)
		}
	}
	return false
}

func toTheLeft(s language.Script) bool {
	switch s {
	case language.Arabic, language.Hebrew, language.Syriac, language.Thaana, language.Nko, language.Samaritan, language.Mandaic, language.Adlam:
		return true
	}
	return false
}

// scripts splits runs by script. What is common to scripts goes with what stands
// before it, at the start with what follows.
func (f *Fonts) scripts(runes []rune, runs []run) []run {
	var out []run
	for _, r := range runs {
		cur := r
		cur.script = language.Common
		for i := r.from; i < r.to; i++ {
			s := language.LookupScript(runes[i])
			if s == language.Common || s == language.Inherited || s == language.Unknown || s == cur.script {
				continue
			}
			if cur.script != language.Common {
				cur.to = i
				out = append(out, cur)
				cur.from, cur.to = i, r.to
			}
			cur.script = s
		}
		out = append(out, cur)
	}
	return out
}

// faces splits runs by the font that has their letters; the graphemes stay whole.
func (f *Fonts) faces(s string, runes []rune, runs []run, base *face) []run {
	var out []run
	for _, r := range runs {
		rest := string(runes[r.from:r.to])
		i, state := r.from, -1
		for rest != "" {
			var g string
			g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			n := utf8.RuneCountInString(g)
			face := f.clusterFace(runes[i:i+n], base)
			if k := len(out) - 1; k >= 0 && out[k].to == i && out[k].face == face && out[k].level == r.level && out[k].script == r.script {
				out[k].to = i + n
			} else {
				out = append(out, run{from: i, to: i + n, level: r.level, script: r.script, face: face})
			}
			i += n
		}
	}
	return out
}

func (f *Fonts) clusterFace(g []rune, base *face) *face {
	r := g[0]
	if r < 0x80 && len(g) == 1 {
		return base
	}
	coloured := isEmoji(r)
	for _, m := range g[1:] {
		switch m {
		case 0xfe0f:
			coloured = true
		case 0xfe0e:
			coloured = false
		}
	}
	if coloured {
		if e := f.emojiFace(); e != nil {
			if _, ok := e.glyph(r); ok {
				return e
			}
		}
	}
	if out := f.faceFor(r, base); out != nil {
		return out
	}
	if e := f.emojiFace(); e != nil {
		if _, ok := e.glyph(r); ok {
			return e
		}
	}
	return base
}

// reorder puts runs from left to right, by rule L2 of the bidirectional algorithm.
func reorder(runs []run) {
	high, low := int8(0), int8(127)
	for _, r := range runs {
		high = max(high, r.level)
		if r.level&1 == 1 {
			low = min(low, r.level)
		}
	}
	for level := high; level >= low; level-- {
		for i := 0; i < len(runs); i++ {
			if runs[i].level < level {
				continue
			}
			j := i
			for j < len(runs) && runs[j].level >= level {
				j++
			}
			slices.Reverse(runs[i:j])
			i = j
		}
	}
}

// shapeRun appends a run's glyphs at x and returns where it ends.
func (f *Fonts) shapeRun(t *Text, r run, runes []rune, at []int, x float32) float32 {
	size := t.Style.Size
	if r.face.shaper == nil {
		return plainRun(t, r, runes, at, x)
	}
	if f.buf == nil {
		f.buf = harfbuzz.NewBuffer()
	}
	b := f.buf
	b.Clear()
	b.AddRunes(runes, r.from, r.to-r.from)
	b.Props.Direction = harfbuzz.LeftToRight
	if r.level&1 == 1 {
		b.Props.Direction = harfbuzz.RightToLeft
	}
	b.Props.Script = r.script
	b.Shape(r.face.shaper, nil)
	scale := size / r.face.upem
	if r.face.lines == nil && r.face.whole == nil {
		scale *= emojiScale
	}
	rtl := r.level&1 == 1
	first := len(t.clusters)
	for i, info := range b.Info {
		p := b.Pos[i]
		t.glyphs = append(t.glyphs, glyph{r.face, uint32(info.Glyph), x + float32(p.XOffset)*scale, -float32(p.YOffset) * scale, at[info.Cluster]})
		w := float32(p.XAdvance) * scale
		if n := len(t.clusters); n > first && t.clusters[n-1].from == at[info.Cluster] {
			t.clusters[n-1].x1 += w
		} else {
			t.clusters = append(t.clusters, cluster{from: at[info.Cluster], x0: x, x1: x + w, rtl: rtl})
		}
		x += w
	}
	// A cluster ends where the next one in the text begins.
	mine := t.clusters[first:]
	for i := range mine {
		mine[i].to = at[r.to]
		if rtl && i > 0 {
			mine[i].to = mine[i-1].from
		} else if !rtl && i+1 < len(mine) {
			mine[i].to = mine[i+1].from
		}
	}
	return x
}

// emojiScale makes the pictures of an emoji font, whose em is larger than what
// they fill of it, as large as the letters beside them.
const emojiScale = 1

// plainRun sets letters one after the other.
func plainRun(t *Text, r run, runes []rune, at []int, x float32) float32 {
	step, i, end := 1, r.from, r.to
	rtl := r.level&1 == 1
	if rtl {
		step, i, end = -1, r.to-1, r.from-1
	}
	for ; i != end; i += step {
		g, _ := r.face.glyph(runes[i])
		w := r.face.advance(g) * t.Style.Size
		if isIgnorable(runes[i]) {
			w = 0
		} else {
			t.glyphs = append(t.glyphs, glyph{r.face, g, x, 0, at[i]})
		}
		t.clusters = append(t.clusters, cluster{from: at[i], to: at[i+1], x0: x, x1: x + w, rtl: rtl})
		x += w
	}
	return x
}

func isIgnorable(r rune) bool {
	return r == 0x200d || r == 0x200c || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}
