package panel

import (
	"image"

	"github.com/flash-launcher/flash/internal/ui/choose"
)

// The buttons of a mouse, as X counts them.
const (
	buttonLeft  = 1
	buttonRight = 3
	wheelUp     = 4
	wheelDown   = 5
)

// mouse takes a button that went down over the panel.
func (m *model) mouse(p *painter, button byte, at image.Point, extend, double bool) command {
	h := p.scene.hit(at, m)
	m.status = choose.Notice{}
	list := &m.list
	if m.menu != nil {
		list = &m.menu.list
	}
	switch button {
	case wheelUp:
		list.Move(-1)
		return none
	case wheelDown:
		list.Move(1)
		return none
	case buttonLeft, buttonRight:
	default:
		return none
	}
	if m.menu != nil {
		switch {
		case h.kind == hitAction && button == buttonLeft:
			m.menu.list.Select(h.index)
			return runMenu
		case h.kind != hitAction && h.kind != hitMenu:
			m.menu = nil
		}
		return none
	}
	switch h.kind {
	case hitBox:
		if button == buttonLeft {
			m.clickBox(p, at, extend, double)
		}
	case hitItem:
		if h.index >= len(m.list.items) {
			return none
		}
		m.list.Select(h.index)
		if button == buttonRight {
			return actions
		}
		return m.enter()
	}
	return none
}

func (m *model) clickBox(p *painter, at image.Point, extend, double bool) {
	o := p.boxAt(at.X, m, m.count())
	if double {
		m.box.SelectWord(o)
		return
	}
	m.box.MoveTo(o, extend)
}

// pointAt takes where the pointer is, and says whether that changes the look.
func (m *model) pointAt(p *painter, at image.Point) bool {
	old := m.hover
	m.hover = -1
	switch h := p.scene.hit(at, m); {
	case m.menu != nil:
		if h.kind == hitAction && m.menu.list.At() != h.index {
			m.menu.list.Select(h.index)
			return true
		}
	case h.kind == hitItem:
		m.hover = h.index
	}
	return m.hover != old
}
