package x11

import (
	"strconv"
	"strings"

	"github.com/jezek/xgb/xproto"
)

// DPI is Xft.dpi, which desktops set to what the user chose; 0 if it is unset.
func (c *Conn) DPI() float64 {
	// Resources are a few kilobytes; a megabyte of them is nobody's.
	const most = 1 << 18
	r, err := xproto.GetProperty(c.Conn, false, c.Root, xproto.AtomResourceManager, xproto.AtomString, 0, most).Reply()
	if err != nil {
		return 0
	}
	return XftDPI(string(r.Value))
}

// XftDPI reads Xft.dpi out of the text of RESOURCE_MANAGER; 0 if it is unset.
func XftDPI(resources string) float64 {
	for line := range strings.SplitSeq(resources, "\n") {
		if v, ok := strings.CutPrefix(line, "Xft.dpi:"); ok {
			dpi, _ := strconv.ParseFloat(strings.TrimSpace(v), 64)
			return dpi
		}
	}
	return 0
}

// Scale is how many pixels a point has on a monitor: by what the user chose,
// else twice as many on monitors that are as fine as those made for it.
func Scale(dpi float64, pixels, millimetres int) float32 {
	if dpi >= 48 && dpi <= 768 {
		return float32(int(dpi/96*8+0.5)) / 8
	}
	if millimetres > 100 && float64(pixels)/float64(millimetres)*25.4 >= 180 {
		return 2
	}
	return 1
}
