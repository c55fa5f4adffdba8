package panel

import (
	"image"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/edit"
)

// event takes an event of the loop.
func (p *Panel) event(ev xgb.Event) {
	switch e := ev.(type) {
	case xproto.KeyPressEvent:
		p.keyPress(e)
	case xproto.KeyReleaseEvent:
		if e.Detail == p.down {
			p.down = 0
		}
		if p.keymap != nil && isModifier(p.keymap.sym(byte(e.Detail), 0)) {
			p.held = 0
		}
	case xproto.ButtonPressEvent:
		p.button(e)
	case xproto.MotionNotifyEvent:
		if e.Event == p.id && p.mapped {
			p.pointAt(image.Pt(int(e.EventX), int(e.EventY)))
		}
	case xproto.LeaveNotifyEvent:
		if e.Event == p.id && p.mapped && e.Mode == xproto.NotifyModeNormal {
			p.pointAt(image.Pt(-1, -1))
		}
	case xproto.ExposeEvent:
		if e.Window == p.id && p.mapped && p.surface != nil {
			p.surface.put([]image.Rectangle{image.Rect(int(e.X), int(e.Y), int(e.X)+int(e.Width), int(e.Y)+int(e.Height))})
		}
	case shm.CompletionEvent:
		if p.surface != nil && e.Shmseg == p.surface.seg {
			p.surface.busy = false
			if p.dirty && p.mapped {
				p.paint()
			}
		}
	case xproto.FocusOutEvent:
		if e.Event == p.id {
			p.focusOut(e)
		}
	case xproto.SelectionNotifyEvent:
		if e.Requestor == p.id {
			p.selection(e)
		}
	case xproto.MappingNotifyEvent:
		if e.Request != xproto.MappingPointer {
			p.keymap = nil
		}
	}
}

func (p *Panel) keyPress(e xproto.KeyPressEvent) {
	// Presses that are a hot key's come with the root window, also while the
	// panel is closed; one that is held must not close what it has opened.
	repeat := e.Detail == p.down
	p.down = e.Detail
	if e.Event == p.o.Loop.Root {
		p.hot, p.hotAt = e.State, e.Time
		p.hold(e.State)
		return
	}
	if !p.Visible() || p.concealed || e.Event != p.id && e.Event != p.catcher {
		return
	}
	if p.o.HotKey != nil && p.o.HotKey(e, repeat) {
		return
	}
	if !p.Visible() || p.session == nil {
		return
	}
	if p.keymap == nil {
		p.loadKeymap()
	}
	// The modifiers of the hot key may still be down while the first letters are
	// typed: they are not meant for these.
	p.held &= e.State
	p.press(p.keymap.look(byte(e.Detail), e.State&^p.held))
}

// hold takes the modifiers that were down when the panel opened.
func (p *Panel) hold(state uint16) {
	if p.keymap != nil && p.Visible() {
		p.held |= state & (stateControl | p.keymap.alt | p.keymap.super)
	}
}

// askKeyboard asks for the keyboard, for a window that always shows and that
// nobody sees: the panel's need not show yet.
func (p *Panel) askKeyboard() xproto.GrabKeyboardCookie {
	return xproto.GrabKeyboard(p.conn, false, p.catcher, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync)
}

// grabbed learns whether the keyboard is the panel's, and tries again if not.
func (p *Panel) grabbed(c xproto.GrabKeyboardCookie) {
	r, err := c.Reply()
	if err != nil || r.Status == xproto.GrabStatusSuccess {
		if p.tries >= grabTries && p.m.status.Text == grabNotice {
			p.m.status = choose.Notice{}
			p.redraw()
		}
		p.tries, p.owned = 0, true
		return
	}
	p.tries++
	if p.tries == grabTries {
		p.m.status = choose.Notice{Text: grabNotice, Warn: true}
		p.redraw()
	}
	began := p.began
	p.o.Clock.AfterFunc(grabEvery, func() {
		p.do(func() {
			if p.Visible() && p.began == began && !p.loose {
				p.grabbed(p.askKeyboard())
			}
		})
	})
}

const grabNotice = "another program holds the keyboard, such as an open menu or a screen lock; close it and keys arrive here"

// grabPointer makes a click beside the panel close it. Motion is not asked for:
// over the panel it comes all the same.
func (p *Panel) grabPointer() {
	if !p.conf.CloseOnFocusLoss {
		return
	}
	c := xproto.GrabPointer(p.conn, true, p.id, xproto.EventMaskButtonPress, xproto.GrabModeAsync, xproto.GrabModeAsync, 0, 0, xproto.TimeCurrentTime)
	_, _ = c.Reply()
}

func (p *Panel) ungrab() {
	p.owned = false
	xproto.UngrabPointer(p.conn, xproto.TimeCurrentTime)
	xproto.UngrabKeyboard(p.conn, xproto.TimeCurrentTime)
}

// takeFocus makes the panel's the window that has the focus.
func (p *Panel) takeFocus() {
	if !p.o.Wayland {
		xproto.SetInputFocus(p.conn, xproto.InputFocusPointerRoot, p.id, xproto.TimeCurrentTime)
	}
}

// focusOut closes the panel when another window has the focus.
func (p *Panel) focusOut(e xproto.FocusOutEvent) {
	if !p.mapped || e.Mode == xproto.NotifyModeGrab || e.Mode == xproto.NotifyModeUngrab || e.Detail == xproto.NotifyDetailInferior {
		return
	}
	// It may be of an earlier opening, and the focus be here again.
	now, err := xproto.GetInputFocus(p.conn).Reply()
	if err != nil || now.Focus == p.id {
		return
	}
	if p.conf.CloseOnFocusLoss {
		p.hide()
		return
	}
	p.ungrab() // keys are for the other window now
}

// button takes a mouse button.
func (p *Panel) button(e xproto.ButtonPressEvent) {
	if !p.mapped {
		return
	}
	if e.Event != p.id { // another window of this program, such as the bar
		if p.conf.CloseOnFocusLoss {
			p.hide()
		}
		return
	}
	at := image.Pt(int(e.EventX), int(e.EventY))
	if !at.In(image.Rectangle{Max: p.size}) {
		if p.conf.CloseOnFocusLoss {
			p.hide()
		}
		return
	}
	if !p.conf.CloseOnFocusLoss {
		// A click brings the keys back that another window took.
		p.takeFocus()
		p.grabbed(p.askKeyboard())
	}
	extend := e.State&stateShift != 0
	double := e.Detail == buttonLeft && e.Time-p.clicked < doubleClick && at == p.clickedAt
	p.clicked, p.clickedAt = e.Time, at
	p.run(p.m.mouse(&p.p, byte(e.Detail), at, extend, double))
	if e.Detail == 2 {
		p.convert(xproto.AtomPrimary)
	}
	if p.session != nil {
		p.redraw()
	}
}

// doubleClick is how many milliseconds lie between the clicks of one at most.
const doubleClick = 400

func (p *Panel) pointAt(at image.Point) {
	if p.m.pointAt(&p.p, at) {
		p.redraw()
	}
}

func (p *Panel) copy(text string) {
	if p.o.Copy == nil {
		return
	}
	if err := p.o.Copy(text); err != nil {
		p.m.status = choose.Notice{Text: err.Error(), Warn: true}
		p.redraw()
	}
}

func (p *Panel) paste() { p.convert(p.atoms.clipboard) }

func (p *Panel) convert(selection xproto.Atom) {
	xproto.ConvertSelection(p.conn, p.id, selection, p.atoms.utf8, p.atoms.paste, xproto.TimeCurrentTime)
}

// selection takes the text of the clipboard. More than the box takes is not read.
func (p *Panel) selection(e xproto.SelectionNotifyEvent) {
	if e.Property == 0 {
		return
	}
	r, err := xproto.GetProperty(p.conn, true, p.id, e.Property, xproto.GetPropertyTypeAny, 0, edit.MaxBytes/4+1).Reply()
	if err != nil {
		return
	}
	if r.Type == p.atoms.incr {
		xproto.DeleteProperty(p.conn, p.id, e.Property)
		p.m.status = choose.Notice{Text: "what is on the clipboard is too long to search for", Warn: true}
		p.redraw()
		return
	}
	if r.BytesAfter > 0 {
		xproto.DeleteProperty(p.conn, p.id, e.Property)
	}
	p.pasted(string(r.Value))
}
