package draw

import (
	"image"
	"image/draw"
	"math"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// quarters is how many places between two pixels a glyph is drawn for: with four
// the distances of letters look even, and an unhinted text stays sharp enough.
const quarters = 4

type maskKey struct {
	face    *face
	glyph   uint32
	size    float32
	quarter uint8
}

// mask is a drawn glyph: how much of each pixel it covers, or a picture.
type mask struct {
	left, top int // of its upper left corner from the pen
	w, h      int
	cover     []uint8
	picture   *Bitmap
}

// maxGlyph bounds a drawn glyph's side in pixels.
const maxGlyph = 512

// entryBytes is about what a kept mask takes besides its pixels.
const entryBytes = 120

func (f *Fonts) mask(fc *face, g uint32, size float32, quarter uint8) *mask {
	key := maskKey{fc, g, size, quarter}
	if m, ok := f.masks[key]; ok {
		return m
	}
	m, ok := f.oldMasks[key]
	if !ok {
		m = f.draw(fc, g, size, quarter)
	}
	n := entryBytes + len(m.cover)
	if m.picture != nil {
		n += len(m.picture.Pix)
	}
	if f.masks == nil || f.maskBytes+n > f.o.CacheBytes/2 {
		f.masks, f.oldMasks, f.maskBytes = make(map[maskKey]*mask, 64), f.masks, 0
	}
	f.masks[key] = m
	f.maskBytes += n
	return m
}

func (f *Fonts) draw(fc *face, g uint32, size float32, quarter uint8) *mask {
	if fc.strikes != nil {
		if b, left, up := fc.strikes.picture(g, size*emojiScale); b != nil {
			return &mask{left: int(math.Round(float64(left))), top: -int(math.Round(float64(up))), w: b.W, h: b.H, picture: b}
		}
	}
	path := fc.outline(g, size)
	if len(path) == 0 {
		return &mask{}
	}
	if f.raster == nil {
		f.raster = vector.NewRasterizer(1, 1)
	}
	return rasterize(f.raster, path, float32(quarter)/quarters)
}

// stroke is a part of an outline in pixels, y down.
type stroke struct {
	op sfnt.SegmentOp
	p  [3][2]float32
}

// outline is a glyph's outline at a size.
func (f *face) outline(g uint32, size float32) []stroke {
	if f.whole != nil {
		return wholeOutline(f.whole, g, size/f.upem)
	}
	if f.lines == nil {
		return nil
	}
	segments, err := f.lines.LoadGlyph(f.buf, sfnt.GlyphIndex(g), fixed.Int26_6(size*64+0.5), nil)
	if err != nil {
		return nil
	}
	out := make([]stroke, len(segments))
	for i, s := range segments {
		out[i].op = s.Op
		for j, a := range s.Args {
			out[i].p[j] = [2]float32{float32(a.X) / 64, float32(a.Y) / 64}
		}
	}
	return out
}

func wholeOutline(f *font.Face, g uint32, scale float32) []stroke {
	o, ok := f.GlyphDataOutline(opentype.GID(g))
	if !ok {
		return nil
	}
	out := make([]stroke, len(o.Segments))
	for i, s := range o.Segments {
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			out[i].op = sfnt.SegmentOpMoveTo
		case opentype.SegmentOpLineTo:
			out[i].op = sfnt.SegmentOpLineTo
		case opentype.SegmentOpQuadTo:
			out[i].op = sfnt.SegmentOpQuadTo
		case opentype.SegmentOpCubeTo:
			out[i].op = sfnt.SegmentOpCubeTo
		}
		for j, a := range s.Args {
			out[i].p[j] = [2]float32{a.X * scale, -a.Y * scale}
		}
	}
	return out
}

var points = [...]int{sfnt.SegmentOpMoveTo: 1, sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2, sfnt.SegmentOpCubeTo: 3}

// rasterize draws an outline dx to the right.
func rasterize(z *vector.Rasterizer, path []stroke, dx float32) *mask {
	minX, minY, maxX, maxY := float32(math.MaxFloat32), float32(math.MaxFloat32), float32(-math.MaxFloat32), float32(-math.MaxFloat32)
	for i := range path {
		for _, p := range path[i].p[:points[path[i].op]] {
			minX, maxX = min(minX, p[0]+dx), max(maxX, p[0]+dx)
			minY, maxY = min(minY, p[1]), max(maxY, p[1])
		}
	}
	left, top := int(math.Floor(float64(minX))), int(math.Floor(float64(minY)))
	w, h := int(math.Ceil(float64(maxX)))-left, int(math.Ceil(float64(maxY)))-top
	if w <= 0 || h <= 0 || w > maxGlyph || h > maxGlyph {
		return &mask{}
	}
	z.Reset(w, h)
	z.DrawOp = draw.Src
	ox, oy := dx-float32(left), -float32(top)
	for i := range path {
		p := &path[i].p
		switch path[i].op {
		case sfnt.SegmentOpMoveTo:
			z.ClosePath()
			z.MoveTo(p[0][0]+ox, p[0][1]+oy)
		case sfnt.SegmentOpLineTo:
			z.LineTo(p[0][0]+ox, p[0][1]+oy)
		case sfnt.SegmentOpQuadTo:
			z.QuadTo(p[0][0]+ox, p[0][1]+oy, p[1][0]+ox, p[1][1]+oy)
		case sfnt.SegmentOpCubeTo:
			z.CubeTo(p[0][0]+ox, p[0][1]+oy, p[1][0]+ox, p[1][1]+oy, p[2][0]+ox, p[2][1]+oy)
		}
	}
	z.ClosePath()
	m := &mask{left: left, top: top, w: w, h: h, cover: make([]uint8, w*h)}
	z.Draw(&image.Alpha{Pix: m.cover, Stride: w, Rect: image.Rect(0, 0, w, h)}, image.Rect(0, 0, w, h), image.Opaque, image.Point{})
	return m
}

// Mark gives part of a text another colour.
type Mark struct {
	From, To int // bytes
	Color    Color
}

// Text paints a line with its left end at x and its baseline at y.
func (im *Image) Text(f *Fonts, t *Text, x float32, y int, c Color, marks ...Mark) {
	for i := range t.glyphs {
		g := &t.glyphs[i]
		px := x + g.x
		if px > float32(im.clip.Max.X) || px < float32(im.clip.Min.X-maxGlyph) {
			continue
		}
		whole := float32(math.Floor(float64(px)))
		quarter := uint8((px - whole) * quarters)
		m := f.mask(g.face, g.id, t.Style.Size, quarter)
		if m.w == 0 {
			continue
		}
		color := c
		for _, k := range marks {
			if g.at >= k.From && g.at < k.To {
				color = k.Color
				break
			}
		}
		left, top := int(whole)+m.left, y+int(math.Round(float64(g.y)))+m.top
		if m.picture != nil {
			im.Bitmap(m.picture, left, top)
			continue
		}
		boost := f.contrast(color)
		im.cover(m, left, top, color, boost)
		if g.face.embold {
			im.cover(m, left+max(1, int(t.Style.Size/24)), top, color, boost)
		}
	}
}

// contrast returns what strengthens the edges of dark text, which looks thinner
// than light text drawn from the same outlines; nil where nothing is needed.
func (f *Fonts) contrast(c Color) *[256]uint8 {
	if c.Luma() > 140 {
		return nil
	}
	if f.boost == nil {
		f.boost = new([256]uint8)
		for i := range f.boost {
			f.boost[i] = uint8(math.Pow(float64(i)/255, 0.8)*255 + 0.5)
		}
	}
	return f.boost
}

func (im *Image) cover(m *mask, left, top int, c Color, boost *[256]uint8) {
	r := image.Rect(left, top, left+m.w, top+m.h).Intersect(im.clip)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		in := m.cover[(y-top)*m.w+r.Min.X-left:][:r.Dx()]
		out := im.Pix[y*im.Stride+r.Min.X*4:]
		for i, a := range in {
			if a == 0 {
				continue
			}
			if boost != nil {
				a = boost[a]
			}
			blend(out[4*i:4*i+4:4*i+4], c, a)
		}
	}
}
