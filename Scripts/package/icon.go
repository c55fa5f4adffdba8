package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"

	"golang.org/x/image/vector"
)

// The icon is a bolt on a rounded square, in parts of its side.
var bolt = [][2]float32{{.56, .16}, {.27, .57}, {.46, .57}, {.41, .85}, {.73, .41}, {.53, .41}}

const iconRadius = .22

var (
	iconTop    = color.RGBA{0x3a, 0x3f, 0x5c, 0xff}
	iconBottom = color.RGBA{0x16, 0x18, 0x28, 0xff}
	iconBolt   = color.RGBA{0xff, 0xd4, 0x4f, 0xff}
)

// icon draws the icon with a margin that macOS wants around it.
func icon(side int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	s := float32(side)
	margin := s * .09
	inner := s - 2*margin
	r := inner * iconRadius
	plate := vector.NewRasterizer(side, side)
	at := func(x, y float32) (float32, float32) { return margin + x, margin + y }
	arc := func(cx, cy, x, y float32) {
		ax, ay := at(cx, cy)
		bx, by := at(x, y)
		plate.QuadTo(ax, ay, bx, by)
	}
	x, y := at(r, 0)
	plate.MoveTo(x, y)
	x, y = at(inner-r, 0)
	plate.LineTo(x, y)
	arc(inner, 0, inner, r)
	x, y = at(inner, inner-r)
	plate.LineTo(x, y)
	arc(inner, inner, inner-r, inner)
	x, y = at(r, inner)
	plate.LineTo(x, y)
	arc(0, inner, 0, inner-r)
	x, y = at(0, r)
	plate.LineTo(x, y)
	arc(0, 0, r, 0)
	plate.ClosePath()
	shade := image.NewRGBA(img.Bounds())
	for row := range side {
		t := float32(row) / s
		mix := func(a, b uint8) uint8 { return uint8(float32(a)*(1-t) + float32(b)*t) }
		c := color.RGBA{mix(iconTop.R, iconBottom.R), mix(iconTop.G, iconBottom.G), mix(iconTop.B, iconBottom.B), 0xff}
		for col := range side {
			shade.SetRGBA(col, row, c)
		}
	}
	plate.Draw(img, img.Bounds(), shade, image.Point{})

	mark := vector.NewRasterizer(side, side)
	for i, p := range bolt {
		x, y := at(p[0]*inner, p[1]*inner)
		if i == 0 {
			mark.MoveTo(x, y)
		} else {
			mark.LineTo(x, y)
		}
	}
	mark.ClosePath()
	mark.Draw(img, img.Bounds(), image.NewUniform(iconBolt), image.Point{})
	return img
}

// icnsKinds are the types of PNG entries in an icon file, by side.
var icnsKinds = []struct {
	kind string
	side int
}{{"icp4", 16}, {"icp5", 32}, {"ic07", 128}, {"ic08", 256}, {"ic09", 512}, {"ic10", 1024}}

// icns is the icon in the container that macOS reads: a magic, the length of all,
// then type, length and PNG of each size, lengths big-endian and with the header.
func icns() ([]byte, error) {
	var body bytes.Buffer
	for _, k := range icnsKinds {
		var img bytes.Buffer
		if err := png.Encode(&img, icon(k.side)); err != nil {
			return nil, err
		}
		body.WriteString(k.kind)
		_ = binary.Write(&body, binary.BigEndian, uint32(8+img.Len()))
		body.Write(img.Bytes())
	}
	out := append([]byte("icns"), binary.BigEndian.AppendUint32(nil, uint32(8+body.Len()))...)
	return append(out, body.Bytes()...), nil
}
