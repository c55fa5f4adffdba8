package panel

import (
	"fmt"
	"image"
	"os"
	"strconv"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

// display is what the panel knows of the server, and its window there.
type display struct {
	id       xproto.Window // 0 until it is made
	catcher  xproto.Window // gets the keys while the keyboard is the panel's
	gc       xproto.Gcontext
	depth    byte
	argb     bool // the window has transparency
	colormap xproto.Colormap
	size     image.Point
	at       image.Point

	started  bool // extensions and atoms were asked for
	hasRandr bool
	hasShm   bool
	atoms    atoms
	keymap   *keymap

	scale   float32
	monitor image.Rectangle // that the panel opens on
}

type atoms struct {
	compositor, clipboard, utf8, paste, incr, name, kind, kindDialog, pid xproto.Atom
}

// answers are questions to the server that are on their way.
type answers struct {
	focus      xproto.GetInputFocusCookie
	pointer    xproto.QueryPointerCookie
	resources  xproto.GetPropertyCookie
	compositor xproto.GetSelectionOwnerCookie
	monitors   randr.GetMonitorsCookie
}

// maxResources bounds what is read of RESOURCE_MANAGER, in words of four bytes.
const maxResources = 16 << 10

// ask asks for all that an opening needs at once.
func (p *Panel) ask() *answers {
	p.start()
	a := &answers{
		focus:      xproto.GetInputFocus(p.conn),
		pointer:    xproto.QueryPointer(p.conn, p.o.Loop.Root),
		resources:  xproto.GetProperty(p.conn, false, p.o.Loop.Root, xproto.AtomResourceManager, xproto.AtomString, 0, maxResources),
		compositor: xproto.GetSelectionOwner(p.conn, p.atoms.compositor),
	}
	if p.hasRandr {
		a.monitors = randr.GetMonitors(p.conn, p.o.Loop.Root, true)
	}
	return a
}

// start takes up the extensions, once.
func (p *Panel) start() {
	if p.started {
		return
	}
	p.started = true
	if id, err := xproto.NewWindowId(p.conn); err == nil {
		p.catcher = id
		xproto.CreateWindow(p.conn, 0, id, p.o.Loop.Root, -1, -1, 1, 1, 0, xproto.WindowClassInputOnly, xproto.WindowClassCopyFromParent,
			xproto.CwOverrideRedirect, []uint32{1})
		xproto.MapWindow(p.conn, id)
	}
	if p.o.Loop.UseExtension("RANDR", nil) == nil {
		// Monitors came with 1.5.
		v, err := randr.QueryVersion(p.conn, 1, 5).Reply()
		p.hasRandr = err == nil && (v.MajorVersion > 1 || v.MinorVersion >= 5)
	}
	p.hasShm = p.o.Loop.UseExtension("MIT-SHM", shmEvents) == nil && os.Getenv("FLASH_PANEL_SHM") != "off"
	names := []struct {
		name string
		to   *xproto.Atom
	}{
		{"_NET_WM_CM_S" + strconv.Itoa(p.screenNumber()), &p.atoms.compositor}, {"CLIPBOARD", &p.atoms.clipboard}, {"UTF8_STRING", &p.atoms.utf8},
		{"FLASH_PASTE", &p.atoms.paste}, {"INCR", &p.atoms.incr}, {"_NET_WM_NAME", &p.atoms.name},
		{"_NET_WM_WINDOW_TYPE", &p.atoms.kind}, {"_NET_WM_WINDOW_TYPE_DIALOG", &p.atoms.kindDialog}, {"_NET_WM_PID", &p.atoms.pid},
	}
	var cookies []xproto.InternAtomCookie
	for _, n := range names {
		cookies = append(cookies, xproto.InternAtom(p.conn, false, uint16(len(n.name)), n.name))
	}
	for i, c := range cookies {
		if r, err := c.Reply(); err == nil {
			*names[i].to = r.Atom
		}
	}
}

func (p *Panel) screenNumber() int { return p.conn.DefaultScreen }

// learn takes the answers, and makes the window if there is none that suits.
func (p *Panel) learn(a *answers) error {
	if p.keymap == nil {
		p.loadKeymap()
	}
	pointer, err := a.pointer.Reply()
	if err != nil {
		return err
	}
	if focus, err := a.focus.Reply(); err == nil {
		p.focus = *focus
	}
	var monitors []image.Rectangle
	var millimetres []int
	if p.hasRandr {
		if r, err := a.monitors.Reply(); err == nil {
			for _, m := range r.Monitors {
				if m.Width > 0 && m.Height > 0 {
					monitors = append(monitors, image.Rect(int(m.X), int(m.Y), int(m.X)+int(m.Width), int(m.Y)+int(m.Height)))
					millimetres = append(millimetres, int(m.WidthInMillimeters))
				}
			}
		}
	}
	if monitors == nil {
		s := p.o.Loop.Screen
		monitors, millimetres = []image.Rectangle{image.Rect(0, 0, int(s.WidthInPixels), int(s.HeightInPixels))}, []int{0}
	}
	at := p.focusPlace(image.Pt(int(pointer.RootX), int(pointer.RootY)))
	i := nearest(monitors, at)
	p.monitor = monitors[i]
	dpi := 0.0
	if r, err := a.resources.Reply(); err == nil {
		dpi = x11.XftDPI(string(r.Value))
	}
	p.scale = x11.Scale(dpi, p.monitor.Dx(), millimetres[i])
	p.held = pointer.Mask & (stateControl | p.keymap.alt | p.keymap.super)
	composited := false
	if r, err := a.compositor.Reply(); err == nil {
		composited = r.Owner != 0
	}
	return p.window(composited)
}

// focusPlace is the middle of the window that has the focus, else where the
// pointer is.
func (p *Panel) focusPlace(pointer image.Point) image.Point {
	w := p.focus.Focus
	if w <= xproto.InputFocusPointerRoot || w == p.o.Loop.Root || w == p.id {
		return pointer
	}
	geometry := xproto.GetGeometry(p.conn, xproto.Drawable(w))
	corner := xproto.TranslateCoordinates(p.conn, w, p.o.Loop.Root, 0, 0)
	g, err := geometry.Reply()
	c, err2 := corner.Reply()
	if err != nil || err2 != nil || g.Width <= 1 && g.Height <= 1 {
		return pointer // some programs keep the focus in a window that nobody sees
	}
	return image.Pt(int(c.DstX)+int(g.Width)/2, int(c.DstY)+int(g.Height)/2)
}

// nearest is the monitor that a point is on, or the nearest to it.
func nearest(monitors []image.Rectangle, at image.Point) int {
	best, found := 1<<62, 0
	for i, m := range monitors {
		dx := max(m.Min.X-at.X, 0, at.X-m.Max.X+1)
		dy := max(m.Min.Y-at.Y, 0, at.Y-m.Max.Y+1)
		if d := dx*dx + dy*dy; d < best {
			best, found = d, i
		}
	}
	return found
}

// window makes the window, or makes it anew where a compositor came or went.
func (p *Panel) window(composited bool) error {
	depth, visual := p.o.Loop.Screen.RootDepth, p.o.Loop.Screen.RootVisual
	argb := false
	if composited {
		if v, ok := p.findVisual(32, 0); ok {
			depth, visual, argb = 32, v, true
		}
	}
	if p.id != 0 {
		if p.argb == argb {
			return nil
		}
		p.destroy()
	}
	if !argb {
		if _, ok := p.findVisual(depth, visual); !ok {
			return fmt.Errorf("the screen's pixels are of %d bits and not of 24 in the usual order; start the X server with -depth 24", depth)
		}
	}
	var err error
	if p.id, err = xproto.NewWindowId(p.conn); err != nil {
		return err
	}
	if p.gc, err = xproto.NewGcontextId(p.conn); err != nil {
		return err
	}
	if p.colormap, err = xproto.NewColormapId(p.conn); err != nil {
		return err
	}
	p.argb, p.depth, p.size = argb, depth, image.Pt(1, 1)
	events := uint32(xproto.EventMaskExposure | xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskButtonPress |
		xproto.EventMaskPointerMotion | xproto.EventMaskLeaveWindow | xproto.EventMaskFocusChange)
	xproto.CreateColormap(p.conn, xproto.ColormapAllocNone, p.colormap, p.o.Loop.Root, visual)
	// No background: the server would paint it before the picture.
	xproto.CreateWindow(p.conn, depth, p.id, p.o.Loop.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput, visual,
		xproto.CwBackPixmap|xproto.CwBorderPixel|xproto.CwOverrideRedirect|xproto.CwEventMask|xproto.CwColormap,
		[]uint32{xproto.BackPixmapNone, 0, 1, events, uint32(p.colormap)})
	xproto.CreateGC(p.conn, p.gc, xproto.Drawable(p.id), xproto.GcGraphicsExposures, []uint32{0})
	p.property(xproto.AtomWmName, xproto.AtomString, 8, []byte("Flash"))
	p.property(p.atoms.name, p.atoms.utf8, 8, []byte("Flash"))
	p.property(xproto.AtomWmClass, xproto.AtomString, 8, []byte("flash\x00Flash\x00"))
	p.property(p.atoms.kind, xproto.AtomAtom, 32, word(uint32(p.atoms.kindDialog)))
	p.property(p.atoms.pid, xproto.AtomCardinal, 32, word(uint32(os.Getpid())))
	return nil
}

func word(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)} }

func (p *Panel) property(name, kind xproto.Atom, format byte, value []byte) {
	xproto.ChangeProperty(p.conn, xproto.PropModeReplace, p.id, name, kind, format, uint32(len(value)/(int(format)/8)), value)
}

// findVisual finds a visual whose pixels are as Image keeps them: any of that
// depth for 0.
func (p *Panel) findVisual(depth byte, want xproto.Visualid) (xproto.Visualid, bool) {
	for _, d := range p.o.Loop.Screen.AllowedDepths {
		if d.Depth != depth || depth != 24 && depth != 32 {
			continue
		}
		for _, v := range d.Visuals {
			if (want == 0 || v.VisualId == want) && v.Class == xproto.VisualClassTrueColor && v.RedMask == 0xff0000 && v.BlueMask == 0xff {
				return v.VisualId, xproto.Setup(p.conn).ImageByteOrder == xproto.ImageOrderLSBFirst
			}
		}
	}
	return 0, false
}

func (p *Panel) destroy() {
	if p.surface != nil {
		p.surface.close()
		p.surface = nil
	}
	xproto.FreeGC(p.conn, p.gc)
	xproto.DestroyWindow(p.conn, p.id)
	xproto.FreeColormap(p.conn, p.colormap)
	p.id = 0
}

// place moves the window to where a scene of its size stands.
func (p *Panel) place(s scene) {
	p.size = s.size
	p.at = p.p.mt.place(p.monitor, s.size, p.conf.Position)
	xproto.ConfigureWindow(p.conn, p.id,
		xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight|xproto.ConfigWindowStackMode,
		[]uint32{uint32(int32(p.at.X)), uint32(int32(p.at.Y)), uint32(s.size.X), uint32(s.size.Y), xproto.StackModeAbove})
}

func (p *Panel) loadKeymap() {
	setup := xproto.Setup(p.conn)
	first := int(setup.MinKeycode)
	keys := xproto.GetKeyboardMapping(p.conn, setup.MinKeycode, byte(int(setup.MaxKeycode)-first+1))
	mods := xproto.GetModifierMapping(p.conn)
	k, err := keys.Reply()
	m, err2 := mods.Reply()
	if err != nil || err2 != nil {
		p.keymap = newKeymap(first, 1, nil, nil)
		return
	}
	syms := make([]uint32, len(k.Keysyms))
	for i, s := range k.Keysyms {
		syms[i] = uint32(s)
	}
	codes := make([]byte, len(m.Keycodes))
	for i, c := range m.Keycodes {
		codes[i] = byte(c)
	}
	p.keymap = newKeymap(first, int(k.KeysymsPerKeycode), syms, codes)
}
