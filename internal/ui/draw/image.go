package draw

import (
	"image"
	"image/color"
	"math"
)

// Image is pixels in memory as X servers and most compositors take them: blue,
// green, red, alpha, premultiplied, in lines of Stride bytes.
type Image struct {
	Pix    []byte
	Stride int
	W, H   int
	clip   image.Rectangle
}

// NewImage returns an image of its own memory.
func NewImage(w, h int) *Image { return Over(make([]byte, w*h*4), w*4, w, h) }

// Over returns an image over memory that somebody else owns.
func Over(pix []byte, stride, w, h int) *Image {
	return &Image{Pix: pix, Stride: stride, W: w, H: h, clip: image.Rect(0, 0, w, h)}
}

// Bounds is the whole image.
func (im *Image) Bounds() image.Rectangle { return image.Rect(0, 0, im.W, im.H) }

// Clip limits painting to r until it is called again, and returns the limit
// that stood; what lies outside the image is never painted.
func (im *Image) Clip(r image.Rectangle) image.Rectangle {
	old := im.clip
	im.clip = r.Intersect(im.Bounds())
	return old
}

// Clear sets the pixels of r to c, transparency too.
func (im *Image) Clear(r image.Rectangle, c Color) {
	r = r.Intersect(im.clip)
	if r.Empty() {
		return
	}
	px := premultiply(c)
	first := im.Pix[r.Min.Y*im.Stride+r.Min.X*4:][:r.Dx()*4]
	copy(first, px[:])
	for n := 4; n < len(first); n *= 2 {
		copy(first[n:], first[:n])
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(im.Pix[y*im.Stride+r.Min.X*4:], first)
	}
}

// Fill paints r with c.
func (im *Image) Fill(r image.Rectangle, c Color) {
	if c.A == 255 {
		im.Clear(r, c)
		return
	}
	r = r.Intersect(im.clip)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		line := im.Pix[y*im.Stride+r.Min.X*4:][:max(0, r.Dx()*4)]
		for i := 0; i+4 <= len(line); i += 4 {
			blend(line[i:i+4:i+4], c, 255)
		}
	}
}

// RoundRect paints a rectangle with round corners.
func (im *Image) RoundRect(r image.Rectangle, radius float32, c Color) {
	im.round(r, radius, func(p []byte, cover uint8) { blend(p, c, cover) }, func(part image.Rectangle) { im.Fill(part, c) })
}

// CutCorners makes what lies outside a rectangle with round corners transparent.
func (im *Image) CutCorners(r image.Rectangle, radius float32) {
	im.round(r, radius, func(p []byte, cover uint8) {
		for i := range p {
			p[i] = uint8(int(p[i]) * int(cover) / 255)
		}
	}, func(image.Rectangle) {})
}

// Ring paints the border of a rectangle with round corners, width wide, inside r.
func (im *Image) Ring(r image.Rectangle, radius, width float32, c Color) {
	edge := int(math.Ceil(float64(width)))
	corner := min(max(edge, int(math.Ceil(float64(radius)))), r.Dx()/2, r.Dy()/2)
	// Between the corners the border is straight, and whole where width is.
	sides := [...]image.Rectangle{
		image.Rect(r.Min.X+corner, r.Min.Y, r.Max.X-corner, r.Min.Y+edge), image.Rect(r.Min.X+corner, r.Max.Y-edge, r.Max.X-corner, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y+corner, r.Min.X+edge, r.Max.Y-corner), image.Rect(r.Max.X-edge, r.Min.Y+corner, r.Max.X, r.Max.Y-corner),
	}
	for _, s := range sides {
		if float32(edge) == width {
			im.Fill(s, c)
		} else {
			im.ring(s, r, radius, width, c)
		}
	}
	for _, p := range [...]image.Point{r.Min, {r.Max.X - corner, r.Min.Y}, {r.Min.X, r.Max.Y - corner}, {r.Max.X - corner, r.Max.Y - corner}} {
		im.ring(image.Rectangle{Min: p, Max: p.Add(image.Pt(corner, corner))}, r, radius, width, c)
	}
}

// ring paints the part of a ring that lies in s.
func (im *Image) ring(s, r image.Rectangle, radius, width float32, c Color) {
	s = s.Intersect(im.clip)
	for y := s.Min.Y; y < s.Max.Y; y++ {
		for x := s.Min.X; x < s.Max.X; x++ {
			d := distance(r, radius, x, y)
			if cover := clamp01(0.5-d) - clamp01(0.5-d-width); cover > 0 {
				blend(im.at(x, y), c, uint8(cover*255+0.5))
			}
		}
	}
}

func (im *Image) at(x, y int) []byte {
	i := y*im.Stride + x*4
	return im.Pix[i : i+4 : i+4]
}

// round calls corner for the pixels near the corners, with how much of each is
// inside, and rest for what is inside beyond doubt.
func (im *Image) round(r image.Rectangle, radius float32, corner func([]byte, uint8), rest func(image.Rectangle)) {
	n := min(int(math.Ceil(float64(radius))), r.Dx()/2, r.Dy()/2)
	radius = min(radius, float32(r.Dx())/2, float32(r.Dy())/2)
	rest(image.Rect(r.Min.X, r.Min.Y+n, r.Max.X, r.Max.Y-n))
	rest(image.Rect(r.Min.X+n, r.Min.Y, r.Max.X-n, r.Min.Y+n))
	rest(image.Rect(r.Min.X+n, r.Max.Y-n, r.Max.X-n, r.Max.Y))
	for i := range n {
		for j := range n {
			d := distance(r, radius, r.Min.X+j, r.Min.Y+i)
			cover := uint8(clamp01(0.5-d)*255 + 0.5)
			for _, p := range [4]image.Point{{r.Min.X + j, r.Min.Y + i}, {r.Max.X - 1 - j, r.Min.Y + i}, {r.Min.X + j, r.Max.Y - 1 - i}, {r.Max.X - 1 - j, r.Max.Y - 1 - i}} {
				if p.In(im.clip) {
					corner(im.at(p.X, p.Y), cover)
				}
			}
		}
	}
}

// distance is how far the middle of a pixel lies outside a rectangle with round
// corners; negative inside.
func distance(r image.Rectangle, radius float32, x, y int) float32 {
	hw, hh := float32(r.Dx())/2, float32(r.Dy())/2
	dx := abs(float32(x)+0.5-float32(r.Min.X)-hw) - (hw - radius)
	dy := abs(float32(y)+0.5-float32(r.Min.Y)-hh) - (hh - radius)
	out := float32(math.Hypot(float64(max(dx, 0)), float64(max(dy, 0))))
	return out + min(max(dx, dy), 0) - radius
}

func abs(v float32) float32 { return max(v, -v) }

func clamp01(v float32) float32 { return min(max(v, 0), 1) }

func premultiply(c Color) [4]byte {
	a := int(c.A)
	return [4]byte{uint8(int(c.B) * a / 255), uint8(int(c.G) * a / 255), uint8(int(c.R) * a / 255), c.A}
}

// blend paints c over a pixel, cover of it.
func blend(p []byte, c Color, cover uint8) {
	a := uint32(c.A) * uint32(cover)
	if a == 0 {
		return
	}
	a = (a + 127) / 255
	keep := 255 - a
	_ = p[3]
	p[0] = uint8((uint32(c.B)*a + uint32(p[0])*keep + 127) / 255)
	p[1] = uint8((uint32(c.G)*a + uint32(p[1])*keep + 127) / 255)
	p[2] = uint8((uint32(c.R)*a + uint32(p[2])*keep + 127) / 255)
	p[3] = uint8((255*a + uint32(p[3])*keep + 127) / 255)
}

// Snapshot copies the image into one of the standard library's, for tests and
// for pictures in the documentation.
func (im *Image) Snapshot() *image.RGBA {
	out := image.NewRGBA(im.Bounds())
	for y := range im.H {
		for x := range im.W {
			p := im.at(x, y)
			out.SetRGBA(x, y, color.RGBA{R: p[2], G: p[1], B: p[0], A: p[3]})
		}
	}
	return out
}
