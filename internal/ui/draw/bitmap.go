package draw

import (
	"image"
	"image/draw"
)

// Bitmap is a small picture in colour, as Image keeps its pixels.
type Bitmap struct {
	Pix  []byte
	W, H int
}

// scaled makes a bitmap of a picture, by averaging what falls into each pixel.
func scaled(src image.Image, w, h int) *Bitmap {
	b := src.Bounds()
	if b.Empty() || w <= 0 || h <= 0 {
		return nil
	}
	flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Rect, src, b.Min, draw.Src)
	// First across, into lines of w pixels, then down.
	across := make([]float32, w*b.Dy()*4)
	average(w, b.Dx(), func(to, from int, weight float32) {
		for y := range b.Dy() {
			in, out := flat.Pix[y*flat.Stride+from*4:], across[(y*w+to)*4:]
			for c := range 4 {
				out[c] += float32(in[c]) * weight
			}
		}
	})
	down := make([]float32, w*h*4)
	average(h, b.Dy(), func(to, from int, weight float32) {
		in, out := across[from*w*4:][:w*4], down[to*w*4:][:w*4]
		for i, v := range in {
			out[i] += v * weight
		}
	})
	bm := &Bitmap{Pix: make([]byte, w*h*4), W: w, H: h}
	for i := 0; i < len(down); i += 4 {
		bm.Pix[i], bm.Pix[i+1], bm.Pix[i+2], bm.Pix[i+3] = uint8(down[i+2]+0.5), uint8(down[i+1]+0.5), uint8(down[i]+0.5), uint8(down[i+3]+0.5)
	}
	return bm
}

// average says which of n pixels count for each of m, and how much.
func average(m, n int, use func(to, from int, weight float32)) {
	step := float32(n) / float32(m)
	for to := range m {
		lo, hi := float32(to)*step, float32(to+1)*step
		if step < 1 { // enlarged: between the two nearest
			at := (lo+hi)/2 - 0.5
			from := min(max(int(at), 0), n-1)
			part := clamp01(at - float32(from))
			use(to, from, 1-part)
			use(to, min(from+1, n-1), part)
			continue
		}
		for from := int(lo); from < n && float32(from) < hi; from++ {
			if part := min(hi, float32(from+1)) - max(lo, float32(from)); part > 0 {
				use(to, from, part/step)
			}
		}
	}
}

// Bitmap paints b with its upper left corner at x, y.
func (im *Image) Bitmap(b *Bitmap, x, y int) {
	if b == nil {
		return
	}
	r := image.Rect(x, y, x+b.W, y+b.H).Intersect(im.clip)
	for py := r.Min.Y; py < r.Max.Y; py++ {
		in := b.Pix[((py-y)*b.W+r.Min.X-x)*4:][:r.Dx()*4]
		out := im.Pix[py*im.Stride+r.Min.X*4:][:len(in)]
		for i := 0; i < len(in); i += 4 {
			keep := 255 - uint32(in[i+3])
			for c := range 4 {
				out[i+c] = uint8(min(255, uint32(in[i+c])+(uint32(out[i+c])*keep+127)/255))
			}
		}
	}
}
