package panel

import (
	"hash/maphash"
	"image"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// toolkit is a window system whose windows get the keys with the focus, and which
// composes text by itself. All of it is called on the loop.
type toolkit interface {
	// monitor is the one that has the focus.
	monitor() monitor
	// ready makes the window, so that the first opening finds it.
	ready()
	// take gives the window the keys, before anything shows. It is the monitor's
	// that has the focus from then on.
	take()
	// put shows a part of an image, from its upper left corner, in the window,
	// which is to have that place.
	put(im *draw.Image, size image.Point, at spot)
	// conceal takes the window away; the focus returns to where it was.
	conceal()
	// modifiers are those that are down now, as the events of keys have them.
	modifiers() uint32
	clipboard() string
	// settle forgets a text that is being composed.
	settle()
	// listened says whether the screen is read to somebody; edited tells of other
	// text in the box then, and say reads a text.
	listened() bool
	edited()
	say(text string)
	// release gives back what can be had again.
	release()
}

// monitor is the usable part of a monitor, in points from the lower left corner
// of the first one, and how many pixels a point has.
type monitor struct{ x, y, w, h, scale float64 }

// noMonitor stands where all are off, as with a closed lid: one comes, and tells.
var noMonitor = monitor{w: 1280, h: 800, scale: 1}

// spot is where a window stands, in the same points.
type spot struct{ x, y, w, h float64 }

// pixels is the monitor in pixels, from its own upper left corner.
func (m *monitor) pixels() image.Rectangle {
	return image.Rect(0, 0, int(m.w*m.scale), int(m.h*m.scale))
}

// place is where pixels of the monitor are.
func (m *monitor) place(r image.Rectangle) spot {
	w, h := float64(r.Dx())/m.scale, float64(r.Dy())/m.scale
	return spot{x: m.x + float64(r.Min.X)/m.scale, y: m.y + m.h - float64(r.Min.Y)/m.scale - h, w: w, h: h}
}

// shell is the panel over a toolkit's window. Its methods are called on the loop;
// only Visible may be called anywhere.
type shell struct {
	core
	o     Options
	tk    toolkit
	marks marks
	p     painter
	list  draw.FontList
	conf  config.Flashlight
	mon   monitor
	im    *draw.Image // nil until it is needed

	shown     bool
	concealed bool // an action needs the focus elsewhere
	loose     bool // an action may move the focus
	held      uint32
	wheel     wheel
	read      string // what was last read to somebody
	heard     string // the box's text then
	closed    bool   // by Shutdown
}

// init takes up the options; do runs a function on the loop.
func (p *shell) init(o Options, tk toolkit, do func(func())) {
	o.complete()
	p.o, p.tk = o, tk
	p.p.seed = maphash.MakeSeed()
	p.core = newCore(&o, p, do, &p.marks)
}

// Toggle closes the panel if it is open, else opens it.
func (p *shell) Toggle(o OpenOptions) {
	if p.Visible() {
		p.hide()
		return
	}
	p.Open(o)
}

// Close closes the panel.
func (p *shell) Close() { p.hide() }

// shutdown closes the panel for good and gives back all that it has.
func (p *shell) shutdown() {
	p.hide()
	p.stopTimers()
	p.release()
	p.closed = true
}

// Warm finds the fonts, beside the loop, and then paints once, so that the first
// opening finds everything.
func (p *shell) Warm() {
	go func() {
		list := draw.FindFonts(nil)
		p.do(func() {
			p.list = list
			if !p.closed && p.p.fonts == nil && !p.Visible() {
				p.tk.ready()
				p.look()
				p.prepare()
				p.ensure(p.scene())
				p.paintInto()
				p.dropLater(p.release)
			}
		})
	}()
}

// Open opens the panel, or changes the input of an open one. The keys are taken
// first: those that were typed right after the hot key are on their way.
func (p *shell) Open(o OpenOptions) {
	if p.closed {
		return
	}
	if p.Visible() {
		if p.shown && !p.loose {
			p.tk.take() // another window may have the keys
		}
		p.replace(o.Query)
		return
	}
	p.opened()
	p.told, p.loose, p.concealed, p.read, p.heard = false, false, false, "", ""
	p.look()
	p.tk.take()
	p.held = p.tk.modifiers() & macHeldBack
	p.begin(o.Query)
	p.opening = true
	p.prepare()
	if v := p.session.View(); v.Generation == p.m.generation {
		p.run(p.m.show(v))
		p.show()
		return
	}
	p.after(firstPaint, p.show)
}

// look finds the monitor to open on.
func (p *shell) look() {
	if p.mon = p.tk.monitor(); p.mon.scale <= 0 {
		p.mon = noMonitor
	}
}

// prepare brings configuration and theme up to date, for the monitor.
func (p *shell) prepare() {
	p.conf = p.o.Config()
	p.p.suit(p.conf, p.o.Theme(), p.list, float32(p.mon.scale), p.mon.pixels().Size(), true)
}

// changed follows another appearance or another scale of the monitor.
func (p *shell) changed() {
	if p.shown {
		p.look()
		p.prepare()
		p.p.forget()
		p.redraw()
	}
}

func (p *shell) scene() scene { return p.m.arrange(&p.p.mt, p.p.fonts) }

func (p *shell) show() {
	if !p.opening {
		return
	}
	p.opening, p.shown = false, true
	p.p.forget()
	p.paint()
	p.tellOnce(p.o.Opened)
}

func (p *shell) redraw() {
	p.soon(p.m.fresh(), func() bool { return p.shown }, p.show, p.paint)
}

func (p *shell) paint() {
	s := p.scene()
	p.ensure(s)
	if len(p.paintInto()) == 0 {
		return
	}
	at := p.p.mt.place(p.mon.pixels(), s.size, p.conf.Position)
	p.tk.put(p.im, s.size, p.mon.place(image.Rectangle{Min: at, Max: at.Add(s.size)}))
	p.tell()
}

// tell reads what is selected to whoever has the screen read to them: the keys
// stay in the box, so that nothing else would.
func (p *shell) tell() {
	if !p.tk.listened() {
		return
	}
	if text := p.m.input().Text(); text != p.heard {
		p.heard = text
		p.tk.edited()
	}
	if text := p.m.spoken(); text != "" && text != p.read {
		p.read = text
		p.tk.say(text)
	}
}

func (p *shell) paintInto() []image.Rectangle {
	p.dirty = false
	return p.p.frame(&p.m, p.scene(), p.im)
}

// ensure makes the memory that a scene needs.
func (p *shell) ensure(s scene) {
	if p.im == nil || s.size.X > p.im.W || s.size.Y > p.im.H {
		p.im = draw.NewImage(s.size.X, max(s.size.Y, p.p.mt.tallest()))
		p.p.forget()
	}
}

func (p *shell) release() {
	p.im, p.list = nil, draw.FontList{}
	p.p.drop()
	p.tk.release()
}

// letGo lets an action have the focus.
func (p *shell) letGo(hide bool) {
	p.loose = true
	if hide {
		p.concealed, p.shown = true, false
		p.tk.conceal()
	}
}

func (p *shell) takeBack() {
	if !p.loose {
		return
	}
	p.loose = false
	p.tk.take()
	if p.concealed {
		p.concealed, p.opening = false, true
		p.show()
	}
}

// hide takes the window away and gives the focus back.
func (p *shell) hide() {
	if !p.Visible() {
		return
	}
	p.shown = false // which its window tells of as a loss of the focus
	if !p.concealed {
		p.tk.settle()
		p.tk.conceal()
	}
	p.opening, p.concealed = false, false
	p.closing()
	p.dropLater(p.release)
	if p.told && p.o.Closed != nil {
		p.o.Closed()
	}
}

// resigned takes notice that another window gets the keys.
func (p *shell) resigned() {
	if p.shown && !p.loose && p.conf.CloseOnFocusLoss {
		p.hide()
	}
}

// copy puts text on the clipboard, beside the loop: the clipboard may be asked
// for on it.
func (p *shell) copy(text string) {
	if p.o.Copy == nil {
		return
	}
	began := p.began
	go func() {
		err := p.o.Copy(text)
		if err == nil {
			return
		}
		p.do(func() {
			if p.session != nil && p.began == began {
				p.m.status = choose.Notice{Text: err.Error(), Warn: true}
				p.redraw()
			}
		})
	}()
}

func (p *shell) paste() { p.pasted(p.tk.clipboard()) }
