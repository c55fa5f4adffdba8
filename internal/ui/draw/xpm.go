package draw

import (
	"bufio"
	"errors"
	"image"
	"image/color"
	"io"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/ui/draw/svg"
)

const (
	xpmBytes  = 1 << 20
	xpmColors = 4096
	xpmChars  = 4 // a pixel
)

var errXPM = errors.New("it is no XPM")

// decodeXPM reads the pictures of old, which are the text of a C array.
func decodeXPM(r io.Reader) (image.Image, error) {
	in := bufio.NewScanner(io.LimitReader(r, xpmBytes))
	in.Buffer(nil, 64<<10)
	next := func() (string, bool) {
		for in.Scan() {
			if _, s, ok := strings.Cut(in.Text(), `"`); ok {
				// A quotation mark may be one of the characters, and the last one ends it.
				if end := strings.LastIndexByte(s, '"'); end >= 0 {
					return s[:end], true
				}
			}
		}
		return "", false
	}
	head, _ := next()
	var size [4]int // width, height, colours, characters a pixel
	for i, f := range strings.Fields(head) {
		if i < len(size) {
			size[i], _ = strconv.Atoi(f)
		}
	}
	w, h, colors, chars := size[0], size[1], size[2], size[3]
	if w < 1 || h < 1 || w > maxIcon || h > maxIcon || colors < 1 || colors > xpmColors || chars < 1 || chars > xpmChars {
		return nil, errXPM
	}
	palette := make(map[string]color.NRGBA, colors)
	for range colors {
		s, ok := next()
		if !ok || len(s) < chars {
			return nil, errXPM
		}
		palette[s[:chars]] = xpmColor(s[chars:])
	}
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		s, ok := next()
		if !ok || len(s) < w*chars {
			return nil, errXPM
		}
		for x := range w {
			im.SetNRGBA(x, y, palette[s[x*chars:(x+1)*chars]])
		}
	}
	return im, nil
}

// xpmColor is what a line of the palette says for screens in colour.
func xpmColor(s string) color.NRGBA {
	f := strings.Fields(s)
	for i := 0; i+1 < len(f); i++ {
		if f[i] == "c" {
			// Names of two words are those of one, written apart.
			name := f[i+1]
			for _, more := range f[i+2:] {
				if more == "s" || more == "m" || more == "g" || more == "g4" {
					break
				}
				name += more
			}
			return xpmNamed(name)
		}
	}
	return color.NRGBA{}
}

func xpmNamed(name string) color.NRGBA {
	name = strings.ToLower(name)
	if name == "none" {
		return color.NRGBA{}
	}
	if hex, ok := strings.CutPrefix(name, "#"); ok && len(hex)%3 == 0 && len(hex) > 6 {
		// More than eight bits a part: the upper ones count.
		n := len(hex) / 3
		name = "#" + hex[:2] + hex[n:n+2] + hex[2*n:2*n+2]
	}
	for _, gray := range [...]string{"gray", "grey"} {
		if v, err := strconv.Atoi(strings.TrimPrefix(name, gray)); err == nil && strings.HasPrefix(name, gray) && v >= 0 && v <= 100 {
			g := uint8((v*255 + 50) / 100)
			return color.NRGBA{g, g, g, 255}
		}
	}
	if c, ok := svg.Color(name); ok {
		return c
	}
	return color.NRGBA{A: 255}
}
