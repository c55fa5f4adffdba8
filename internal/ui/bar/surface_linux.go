package bar

import (
	"errors"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

// surface is a window whose picture the server keeps as its background: what
// was covered and shows again costs the server alone.
type surface struct {
	c      *xgb.Conn
	id     xproto.Window
	pixmap xproto.Pixmap
	gc     xproto.Gcontext
	root   xproto.Window
	depth  byte
	x, y   int
	w, h   int
	stale  bool   // the picture is not this window's yet
	asked  bool   // to be mapped
	mapped bool   // and is, as the server says; not told of hover text
	pix    []byte // memory for the next piece of it
}

// smallPix is what a surface keeps for the next piece: a segment's worth.
const smallPix = 64 << 10

var errDepth = errors.New("the screen has not 24 bits of colour in 32")

func (b *Bar) newSurface(x, y, w, h int, override bool) (*surface, error) {
	c, screen := b.Loop.Conn.Conn, b.Loop.Screen
	if !paintable(xproto.Setup(c), screen) {
		return nil, errDepth
	}
	s := &surface{c: c, root: screen.Root, depth: screen.RootDepth, x: x, y: y, w: w, h: h, stale: true}
	var err error
	if s.id, err = xproto.NewWindowId(c); err != nil {
		return nil, err
	}
	events := uint32(xproto.EventMaskButtonPress | xproto.EventMaskPointerMotion | xproto.EventMaskEnterWindow |
		xproto.EventMaskLeaveWindow | xproto.EventMaskVisibilityChange | xproto.EventMaskStructureNotify)
	mask, values := uint32(xproto.CwEventMask), []uint32{events}
	if override {
		mask, values = xproto.CwOverrideRedirect, []uint32{1}
	}
	err = xproto.CreateWindowChecked(c, s.depth, s.id, s.root, int16(x), int16(y), uint16(w), uint16(h), 0,
		xproto.WindowClassInputOutput, screen.RootVisual, mask, values).Check()
	if err != nil {
		return nil, fmt.Errorf("its window: %w", err)
	}
	if s.gc, err = xproto.NewGcontextId(c); err != nil {
		return nil, err
	}
	xproto.CreateGC(c, s.gc, xproto.Drawable(s.id), 0, nil)
	if override {
		b.property(s.id, "_NET_WM_WINDOW_TYPE", xproto.AtomAtom, uint32(b.atom("_NET_WM_WINDOW_TYPE_TOOLTIP")))
	}
	s.back()
	return s, nil
}

// paintable reports whether a pixel of the screen is four bytes: blue, green, red.
func paintable(setup *xproto.SetupInfo, screen *xproto.ScreenInfo) bool {
	if screen.RootDepth != 24 || setup.ImageByteOrder != xproto.ImageOrderLSBFirst {
		return false
	}
	for _, f := range setup.PixmapFormats {
		if f.Depth == screen.RootDepth {
			return f.BitsPerPixel == 32
		}
	}
	return false
}

// back gives the window a picture of its size.
func (s *surface) back() {
	old := s.pixmap
	id, err := xproto.NewPixmapId(s.c)
	if err != nil {
		return // of a connection that has ended
	}
	s.pixmap = id
	xproto.CreatePixmap(s.c, s.depth, s.pixmap, xproto.Drawable(s.id), uint16(s.w), uint16(s.h))
	xproto.ChangeWindowAttributes(s.c, s.id, xproto.CwBackPixmap, []uint32{uint32(s.pixmap)})
	if old != 0 {
		xproto.FreePixmap(s.c, old)
	}
}

// show asks for the window to be mapped, once its picture is painted: nobody is
// to see it without. It reports whether that was the first time.
func (s *surface) show() bool {
	first := !s.asked
	if first {
		s.asked = true
		xproto.MapWindow(s.c, s.id)
	}
	return first
}

func (s *surface) resize(x, y, w, h int) {
	grown := w != s.w || h != s.h
	s.x, s.y, s.w, s.h = x, y, w, h
	xproto.ConfigureWindow(s.c, s.id, xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
		[]uint32{uint32(int32(x)), uint32(int32(y)), uint32(w), uint32(h)})
	if grown {
		s.back()
	}
}

func (s *surface) destroy() {
	xproto.DestroyWindow(s.c, s.id)
	xproto.FreePixmap(s.c, s.pixmap)
	xproto.FreeGC(s.c, s.gc)
}

// image is memory to paint a piece of the picture in.
func (s *surface) image(w, h int) *draw.Image {
	n := w * h * 4
	if n > cap(s.pix) {
		pix := make([]byte, n)
		if n <= smallPix {
			s.pix = pix
		}
		return draw.Over(pix, w*4, w, h)
	}
	return draw.Over(s.pix[:n], w*4, w, h)
}

// put makes im a piece of the picture and has the server show it.
func (s *surface) put(im *draw.Image, x, y int) {
	// A request is at most so many words long, of which its head takes six.
	rows := (int(xproto.Setup(s.c).MaximumRequestLength)*4 - 24) / im.Stride
	for top := 0; top < im.H; top += rows {
		n := min(rows, im.H-top)
		xproto.PutImage(s.c, xproto.ImageFormatZPixmap, xproto.Drawable(s.pixmap), s.gc, uint16(im.W), uint16(n),
			int16(x), int16(y+top), 0, s.depth, im.Pix[top*im.Stride:(top+n)*im.Stride])
	}
	xproto.ClearArea(s.c, false, s.id, int16(x), int16(y), uint16(im.W), uint16(im.H))
}
