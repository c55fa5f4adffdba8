package panel

import (
	"image"

	"github.com/flash-launcher/flash/internal/printable"
)

// marks stands where other platforms have a Composer: the toolkit composes, and
// this is what it shows meanwhile.
type marks struct{ text string }

// Key lets every key through.
func (c *marks) Key(Key) (text, shown string, used bool) { return "", c.text, false }

// Reset forgets what was begun.
func (c *marks) Reset() { c.text = "" }

// key takes a key that went down, and says whether the panel has used it. Those
// that it has not used are for the toolkit's input method, which gives back what
// they write or mean.
func (p *shell) key(e macEvent) bool {
	if p.session == nil || p.concealed {
		return true
	}
	p.held &= e.flags
	k, road := macKey(e, p.marks.text != "", p.held)
	switch road {
	case macToModel:
		p.press(k)
	case macToInput:
		return false
	}
	return true
}

// flags takes notice of the modifiers that are down.
func (p *shell) flags(now uint32) { p.held &= now }

// wrote takes text from the input method, in place of units of UTF-16 of the box
// where from is not negative.
func (p *shell) wrote(text string, from, to int) {
	if p.session == nil || p.concealed {
		return
	}
	if b := p.m.input(); from >= 0 {
		from, to = p.uncomposed(from), p.uncomposed(to)
		b.Select(unitByte(b.Text(), from), unitByte(b.Text(), to))
	}
	p.marks.text = ""
	p.press(Key{Text: text})
}

// kept takes the text that is being composed as it is.
func (p *shell) kept() {
	if p.shown && p.marks.text != "" {
		p.wrote(p.marks.text, -1, -1)
	}
}

// uncomposed is where a unit of the text that shows is in the box, which does not
// have what is being composed.
func (p *shell) uncomposed(unit int) int {
	if at, n, _, _ := p.written(); unit > at {
		return max(at, unit-n)
	}
	return unit
}

// composes takes the text that is being composed, "" when there is none any more.
func (p *shell) composes(text string) {
	if p.session == nil || p.concealed {
		return
	}
	if b := p.m.input(); text != "" && b.Selected() != "" {
		p.press(Key{Sym: symBackSpace}) // it stands in place of what was selected
	}
	p.marks.text = printable.Line(text)
	p.m.pending = p.marks.text
	p.redraw()
}

// means takes a command that the input method has made of a key.
func (p *shell) means(selector string) {
	if k, ok := macCommand(selector); ok {
		p.press(k)
	}
}

// written are the units of UTF-16 of the box that the composed text stands at,
// its length, and the box's selection.
func (p *shell) written() (at, length, from, to int) {
	b := p.m.input()
	lo, hi := b.Selection()
	at = units(b.Text()[:b.Caret()])
	if n := units(p.marks.text); n > 0 {
		return at, n, at + n, at + n
	}
	return at, 0, units(b.Text()[:lo]), units(b.Text()[:hi])
}

// substring is a part of the text that shows, in units of UTF-16.
func (p *shell) substring(from, to int) string {
	b := p.m.input()
	text := b.Text()[:b.Caret()] + p.marks.text + b.Text()[b.Caret():]
	lo, hi := unitByte(text, from), unitByte(text, to)
	return text[min(lo, hi):max(lo, hi)]
}

// caret is where the caret is in the window, in points from the upper left.
func (p *shell) caret() spot {
	if p.p.fonts == nil || p.mon.scale == 0 {
		return spot{}
	}
	return p.points(p.p.caret(&p.m))
}

func (p *shell) points(r image.Rectangle) spot {
	s := p.mon.scale
	return spot{float64(r.Min.X) / s, float64(r.Min.Y) / s, float64(r.Dx()) / s, float64(r.Dy()) / s}
}

// at is the pixel of a point of the window.
func (p *shell) at(x, y float64) image.Point {
	return image.Pt(int(x*p.mon.scale), int(y*p.mon.scale))
}

// click takes a mouse button that went down.
func (p *shell) click(button byte, x, y float64, extend, double bool) {
	if !p.shown {
		return
	}
	p.run(p.m.mouse(&p.p, button, p.at(x, y), extend, double))
	if p.session != nil {
		p.redraw()
	}
}

// moved takes where the pointer is; outside the window it is at -1, -1.
func (p *shell) moved(x, y float64) {
	if p.shown && p.m.pointAt(&p.p, p.at(x, y)) {
		p.redraw()
	}
}

// scrolled takes a turn of the wheel or of two fingers over the window.
func (p *shell) scrolled(x, y, delta float64, precise bool) {
	steps := p.wheel.turn(delta, precise, float64(p.p.mt.row)/max(1, p.mon.scale))
	button := byte(wheelUp)
	if steps < 0 {
		button, steps = wheelDown, -steps
	}
	for range steps {
		p.click(button, x, y, false, false)
	}
}

// wheel makes steps of a list of how far fingers or a wheel went.
type wheel struct{ rest float64 }

// turn returns the steps, upwards where they are positive. A wheel counts in
// lines and moves by at least one; fingers count in points, and what is left of a
// row stays until the next.
func (w *wheel) turn(delta float64, precise bool, row float64) int {
	if !precise {
		w.rest = 0
		switch {
		case delta == 0:
			return 0
		case delta > 0:
			return max(1, int(delta))
		}
		return min(-1, int(delta))
	}
	if delta*w.rest < 0 {
		w.rest = 0 // they turned back
	}
	w.rest += delta
	steps := int(w.rest / max(1, row))
	w.rest -= float64(steps) * max(1, row)
	return steps
}
