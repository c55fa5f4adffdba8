package panel

import (
	"cmp"
	"hash/maphash"
	"image"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/ui/draw"
	"github.com/flash-launcher/flash/internal/x11"
)

// Platform is what the panel needs of an X session.
type Platform struct {
	Loop *x11.Loop
	// HotKey is shown each key that the open panel gets, and says that it was a
	// hot key and has been acted on; held says that the key was down already.
	// While the panel has the keyboard hot keys come to it. nil: none is one.
	HotKey func(e xproto.KeyPressEvent, held bool) bool
	// Wayland says that the server is XWayland: the compositor gives the keys to
	// the window that shows, and takes back a focus that is set on the X side.
	Wayland bool
}

// OpenOptions say how the panel opens.
type OpenOptions struct {
	Query string
	// Time is that of the event that asked for it, 0 where there was none.
	Time xproto.Timestamp
}

const (
	// grabEvery is how often a keyboard that another program holds is tried
	// again, and grabTries how often before the panel says so.
	grabEvery = 20 * time.Millisecond
	grabTries = 5
)

// Panel is the flashlight's window. Its methods are called on the loop; only
// Visible may be called anywhere.
type Panel struct {
	core
	o    Options
	conn *xgb.Conn
	p    painter
	list draw.FontList
	conf config.Flashlight

	display            // the window and the server's state
	surface   *surface // what is painted, nil until it is needed
	mapped    bool
	concealed bool // an action needs the focus elsewhere
	loose     bool // the grabs were let go for an action
	tries     int
	focus     xproto.GetInputFocusReply // what had it before
	held      uint16                    // modifiers of the hot key, until they are up
	hot       uint16                    // state of the last hot key
	hotAt     xproto.Timestamp          // and when it was pressed
	owned     bool                      // the keyboard is the panel's
	down      xproto.Keycode            // the last key that went down, until it is up
	clicked   xproto.Timestamp
	clickedAt image.Point
	closed    bool // by Shutdown
}

// New returns a panel; nothing is created until it opens.
func New(o Options) *Panel {
	o.complete()
	if o.Composer == nil {
		o.Composer = &compose{}
	}
	p := &Panel{o: o, conn: o.Loop.Conn.Conn, p: painter{seed: maphash.MakeSeed()}}
	p.core = newCore(&o, p, o.Loop.Do, o.Composer)
	o.Loop.Do(func() { o.Loop.Handle(p.event) })
	return p
}

// Toggle closes the panel if it is open, else opens it.
func (p *Panel) Toggle(o OpenOptions) {
	if p.Visible() {
		p.hide()
		return
	}
	p.Open(o)
}

// Close closes the panel.
func (p *Panel) Close() { p.hide() }

// Shutdown closes the panel for good and gives back all that it has, also when the
// loop has ended, as it does when the X server is gone. Never call it on the loop.
func (p *Panel) Shutdown() {
	gone := func() {
		p.hide()
		p.stopTimers()
		p.release()
		p.closed = true
	}
	if !p.o.Loop.Ask(gone) {
		gone() // nothing else touches the panel any more
	}
}

// Warm finds the fonts, beside the loop, and then makes the window, so that the
// first opening finds both.
func (p *Panel) Warm() {
	go func() {
		list := draw.FindFonts(nil)
		p.do(func() {
			p.list = list
			if !p.closed && p.p.fonts == nil && !p.Visible() && p.prepare(p.ask()) {
				p.ensure(p.scene())
				p.paintInto()
				p.dropLater(p.release)
			}
		})
	}()
}

// Open opens the panel, or changes the input of an open one. The keyboard is
// taken first: keys that were typed right after the hot key are on their way.
func (p *Panel) Open(o OpenOptions) {
	if p.closed {
		return
	}
	if p.Visible() {
		p.replace(o.Query)
		return
	}
	p.opened()
	p.tries, p.told, p.loose, p.concealed = 0, false, false, false
	p.start()
	grab := p.askKeyboard()
	xproto.AllowEvents(p.conn, xproto.AllowAsyncKeyboard, cmp.Or(o.Time, xproto.TimeCurrentTime))
	asked := p.ask()
	p.begin(o.Query)
	p.opening = true
	if !p.prepare(asked) {
		p.hide()
		return
	}
	p.grabbed(grab)
	if o.Time != 0 && o.Time == p.hotAt {
		p.hold(p.hot)
	}
	if v := p.session.View(); v.Generation == p.m.generation {
		p.run(p.m.show(v))
		p.show()
		return
	}
	p.after(firstPaint, p.show)
}

// prepare brings configuration, theme, scale and window up to date; false when
// there can be no window.
func (p *Panel) prepare(asked *answers) bool {
	p.conf = p.o.Config()
	theme := p.o.Theme()
	if err := p.learn(asked); err != nil {
		p.o.Logger.Error("the panel cannot open", "error", err)
		return false
	}
	p.p.suit(p.conf, theme, p.list, p.scale, p.monitor.Size(), p.argb)
	return true
}

func (p *Panel) scene() scene { return p.m.arrange(&p.p.mt, p.p.fonts) }

// show maps the window with its first picture.
func (p *Panel) show() {
	if !p.opening {
		return
	}
	p.opening = false
	s := p.scene()
	p.place(s)
	xproto.MapWindow(p.conn, p.id)
	p.mapped = true
	p.p.forget()
	p.paint()
	p.takeFocus()
	p.grabPointer()
	p.tellOnce(p.o.Opened)
}

func (p *Panel) redraw() {
	p.soon(p.m.fresh(), func() bool { return p.mapped }, p.show, p.paint)
}

// paint brings what changed onto the screen.
func (p *Panel) paint() {
	if p.surface != nil && p.surface.busy {
		return // the server still reads; its completion paints
	}
	s := p.scene()
	if s.size != p.size {
		p.place(s)
	}
	p.ensure(s)
	p.surface.put(p.paintInto())
}

func (p *Panel) paintInto() []image.Rectangle {
	p.dirty = false
	return p.p.frame(&p.m, p.scene(), p.surface.image)
}

// ensure makes the memory that a scene needs.
func (p *Panel) ensure(s scene) {
	if p.surface != nil && p.surface.fits(s.size) {
		return
	}
	if p.surface != nil {
		p.surface.close()
	}
	p.surface = p.newSurface(image.Pt(s.size.X, max(s.size.Y, p.p.mt.tallest())))
	p.p.forget()
}
