package panel

import (
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

// letGo lets go of keyboard and pointer for an action.
func (p *Panel) letGo(hide bool) {
	p.loose = true
	if hide {
		p.concealed = true
		p.unmap()
		_, _ = xproto.GetInputFocus(p.conn).Reply() // the window has the focus now
		return
	}
	p.ungrab()
}

func (p *Panel) takeBack() {
	if !p.loose {
		return
	}
	p.loose = false
	p.tries = 0
	p.grabbed(p.askKeyboard())
	if p.concealed {
		p.concealed, p.opening = false, true
		p.show()
		return
	}
	p.grabPointer()
}

// hide takes the window away and gives the focus back.
func (p *Panel) hide() {
	if !p.Visible() {
		return
	}
	if !p.concealed {
		p.unmap()
	}
	p.opening, p.concealed = false, false
	p.closing()
	p.dropLater(p.release)
	if p.told && p.o.Closed != nil {
		p.o.Closed()
	}
}

// unmap gives the focus back, unless something else took it, and takes the
// window away.
func (p *Panel) unmap() {
	if p.mapped {
		now, err := xproto.GetInputFocus(p.conn).Reply()
		if err == nil && now.Focus == p.id {
			xproto.SetInputFocus(p.conn, p.focus.RevertTo, p.focus.Focus, xproto.TimeCurrentTime)
		}
	}
	p.ungrab()
	if p.mapped {
		xproto.UnmapWindow(p.conn, p.id)
		p.mapped = false
	}
}

// release gives back what can be had again.
func (p *Panel) release() {
	if p.surface != nil {
		p.surface.close()
		p.surface = nil
	}
	p.p.drop()
	p.list = draw.FontList{}
	p.keymap = nil
}
