package bar

import (
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// Bar is the status bar on an X display. What follows view belongs to the loop.
type Bar struct {
	Options
	view   *status.View
	paints atomic.Int64

	closed   bool
	prepared bool
	atoms    map[string]xproto.Atom
	hand     xproto.Cursor

	win    *surface // nil while there is no bar
	set    settings
	place  monitor
	lay    layout
	paint  *painter
	hidden reason
	front  xproto.Window // the active window, whose state is watched

	mapTimer event.Timer // while the bar is not mapped yet

	hover    int // the area under the pointer, -1 for none
	pointer  int // where it is, -1 for outside
	tip      *surface
	tipText  string
	tipTimer event.Timer
	tips     uint64 // tells a timer that ended late from the present one
}

// settings are what a bar was made for.
type settings struct {
	config.StatusBar
	scale float32
	theme Theme
}

// reason is why nobody can see the bar.
type reason uint8

const (
	byHost     reason = 1 << iota // the host says so, as while the screen is locked
	covered                       // other windows are over all of it
	fullscreen                    // the active window fills its monitor
)

// New returns a bar that shows nothing until Apply.
func New(o Options) *Bar {
	b := &Bar{Options: o, atoms: map[string]xproto.Atom{}, hover: -1, pointer: -1}
	b.view = o.Registry.NewView(Viewer, func() { o.Loop.Do(b.render) })
	o.Loop.Do(func() { o.Loop.Handle(b.event) })
	return b
}

// Apply brings the bar in line with the configuration, the theme and the scale.
func (b *Bar) Apply() { b.Loop.Do(b.apply) }

// Hold stops all work of the bar while nobody can see the screen.
func (b *Bar) Hold(held bool) { b.Loop.Do(func() { b.hide(byHost, held) }) }

// Paints is how often the bar has painted.
func (b *Bar) Paints() int64 { return b.paints.Load() }

// Close removes the bar and waits until it is gone. Never call it on the loop.
func (b *Bar) Close() {
	b.view.Close()
	b.Loop.Ask(func() {
		b.closed = true
		b.remove()
	})
}

func (b *Bar) apply() {
	if b.closed {
		return
	}
	next := settings{StatusBar: b.Config(), theme: b.theme()}
	before := b.set
	if !next.Enabled {
		b.remove()
		b.set = next
		b.view.Show(status.Template{}, false)
		return
	}
	b.prepare()
	at := b.monitor()
	next.scale = b.scale(at)
	if b.win != nil && before == next && at == b.place {
		return
	}
	b.set = next
	if b.win != nil && before.Position == next.Position && before.Height == next.Height && before.scale == next.scale && at == b.place {
		b.win.stale = b.win.stale || before.theme != next.theme
		b.paint.theme = next.theme
	} else if err := b.settle(at); err != nil {
		b.Logger.Warn("the status bar cannot be shown", "error", err.Error())
		return
	}
	if before.Template != next.Template || !before.Enabled {
		b.view.Show(status.ParseTemplate(next.Template).Hovering(), true)
	}
	b.render()
}

// prepare takes up what the first window needs, once.
func (b *Bar) prepare() {
	if b.prepared {
		return
	}
	b.prepared = true
	if b.Fonts == nil {
		b.Fonts = draw.NewFonts(draw.FontOptions{})
	}
	if err := b.Loop.UseExtension("RANDR", map[int]xgb.NewEventFun{0: randr.ScreenChangeNotifyEventNew}); err == nil {
		randr.SelectInput(b.Loop.Conn.Conn, b.Loop.Root, randr.NotifyMaskScreenChange)
	} else {
		b.Logger.Warn("changes of the monitors are not followed", "error", err.Error())
	}
	b.watch(b.Loop.Root, xproto.EventMaskPropertyChange)
}

// settle makes the window, or brings it to where it belongs now.
func (b *Bar) settle(at monitor) error {
	b.place = at
	height := int(float32(b.set.Height)*b.set.scale + 0.5)
	y := b.place.y
	if b.set.Position == "bottom" {
		y += b.place.h - height
	}
	b.untip()
	if b.win == nil {
		w, err := b.newSurface(b.place.x, y, b.place.w, height, false)
		if err != nil {
			return err
		}
		b.win = w
		b.hidden &= byHost
		b.dock(height)
	} else {
		b.dock(height)
		b.win.resize(b.place.x, y, b.place.w, height)
	}
	b.paint = &painter{fonts: b.Fonts, theme: b.set.theme, sizes: measures(b.place.w, height, b.set.scale), bottom: b.set.Position == "bottom"}
	b.lay = layout{}
	b.win.stale = true
	b.look()
	return nil
}

func (b *Bar) remove() {
	b.untip()
	b.noInsist()
	if b.win != nil {
		b.win.destroy()
		b.win = nil
	}
	b.lay, b.hover, b.pointer = layout{}, -1, -1
	b.hide(covered, false)
	b.hide(fullscreen, false)
}

// render paints what has changed. It runs when the view has woken.
func (b *Bar) render() {
	if b.closed {
		return
	}
	line, changed := b.view.Line()
	if b.win == nil || !changed && !b.win.stale || b.hidden != 0 {
		return
	}
	now := arrange(line, b.paint.sizes, b.paint.measure)
	old := b.lay
	b.lay = now
	b.hover = b.lit()
	if b.win.stale {
		b.win.stale = false
		b.draw([][2]int{{0, b.paint.width}})
		if b.win.show() {
			b.insist(mapAgain)
		}
	} else {
		b.draw(damage(&old, &now, b.paint.sizes))
	}
	b.retip()
}

func (b *Bar) noInsist() {
	if b.mapTimer != nil {
		b.mapTimer.Stop()
		b.mapTimer = nil
	}
}

const (
	// mapAgain is when a window that is not mapped yet is asked for again:
	// longer than a window manager takes, and then twice as long each time.
	mapAgain = time.Second
	// mapTries ends in about a minute, when no window manager is starting up
	// any more.
	mapTries = mapAgain << 5
)

// insist asks for the bar again until it is mapped. A window manager that is
// just starting, as at the beginning of a session, may lose the first request.
func (b *Bar) insist(after time.Duration) {
	w := b.win
	b.mapTimer = b.Clock.AfterFunc(after, func() {
		b.Loop.Do(func() {
			if b.win != w || w == nil || w.mapped {
				return
			}
			xproto.MapWindow(w.c, w.id)
			if after < mapTries {
				b.insist(2 * after)
			}
		})
	})
}

// draw paints columns of the bar.
func (b *Bar) draw(columns [][2]int) {
	for _, c := range columns {
		b.paints.Add(1)
		im := b.win.image(c[1]-c[0], b.paint.height)
		b.paint.paint(im, c[0], &b.lay, b.hover)
		b.win.put(im, c[0], 0)
	}
}

// hide notes or drops a reason for which nobody can see the bar.
func (b *Bar) hide(r reason, on bool) {
	before := b.hidden
	if on {
		b.hidden |= r
	} else {
		b.hidden &^= r
	}
	if before == b.hidden {
		return
	}
	if b.hidden != 0 {
		b.untip()
	}
	b.view.Hold(b.hidden != 0)
}

func (b *Bar) event(ev xgb.Event) {
	if b.win == nil {
		return
	}
	switch e := ev.(type) {
	case xproto.VisibilityNotifyEvent:
		if e.Window == b.win.id {
			b.hide(covered, e.State == xproto.VisibilityFullyObscured)
		}
	case xproto.MapNotifyEvent:
		if e.Window == b.win.id {
			b.win.mapped = true
			b.noInsist()
		}
	case xproto.MotionNotifyEvent:
		if e.Event == b.win.id {
			b.point(int(e.EventX))
		}
	case xproto.EnterNotifyEvent:
		if e.Event == b.win.id {
			b.point(int(e.EventX))
		}
	case xproto.LeaveNotifyEvent:
		if e.Event == b.win.id {
			b.point(-1)
		}
	case xproto.ButtonPressEvent:
		if e.Event == b.win.id {
			b.click(int(e.EventX), int(e.Detail))
		}
	case xproto.PropertyNotifyEvent:
		if e.Window == b.Loop.Root && e.Atom == b.atom("_NET_ACTIVE_WINDOW") || e.Window == b.front && e.Atom == b.atom("_NET_WM_STATE") {
			b.look()
		}
		if e.Window == b.Loop.Root && e.Atom == xproto.AtomResourceManager {
			b.apply()
		}
	case xproto.ConfigureNotifyEvent:
		if e.Window == b.front {
			b.look()
		}
	case xproto.UnmapNotifyEvent:
		if e.Window == b.front {
			b.look()
		}
	case randr.ScreenChangeNotifyEvent:
		b.apply()
	}
}
