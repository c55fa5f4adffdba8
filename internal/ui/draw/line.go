package draw

import (
	"image"
	"math"
)

// Line paints a straight stroke with round ends.
func (im *Image) Line(x0, y0, x1, y1, width float32, c Color) {
	half := width / 2
	r := image.Rect(
		int(math.Floor(float64(min(x0, x1)-half))), int(math.Floor(float64(min(y0, y1)-half))),
		int(math.Ceil(float64(max(x0, x1)+half))), int(math.Ceil(float64(max(y0, y1)+half))),
	).Intersect(im.clip)
	dx, dy := x1-x0, y1-y0
	long := dx*dx + dy*dy
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			px, py := float32(x)+0.5-x0, float32(y)+0.5-y0
			t := float32(0)
			if long > 0 {
				t = clamp01((px*dx + py*dy) / long)
			}
			d := float32(math.Hypot(float64(px-t*dx), float64(py-t*dy)))
			if cover := clamp01(half - d + 0.5); cover > 0 {
				blend(im.at(x, y), c, uint8(cover*255+0.5))
			}
		}
	}
}
