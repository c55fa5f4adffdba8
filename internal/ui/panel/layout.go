package panel

import (
	"image"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// menuRows are the actions that show at once.
const menuRows = 8

// noticeLines bounds the lines that notices may take from the list.
const noticeLines = 4

// metrics are sizes in pixels: those of the configuration at a scale.
type metrics struct {
	scale  float32
	width  int
	rows   int
	prompt int // height of the box
	row    int
	answer int
	notice int // height of a line of a notice
	footer int
	pad    int // around the list
	edge   int // from the window's edge to what stands in a line
	icon   int
	gap    int // between an icon and its title
	radius float32
	hair   int // thickness of a line

	input, title, sub, small, big, mono draw.Style
}

func newMetrics(c config.Flashlight, t *Theme, scale float32, room image.Point) metrics {
	px := func(points float32) int { return max(1, int(points*scale+0.5)) }
	size := float32(c.FontSize)
	m := metrics{
		scale: scale, width: px(float32(c.Width)), rows: c.Rows,
		prompt: px(size*2.3 + 26), row: px(size*1.35 + 20), answer: px(size*2.2 + 26), notice: px(size*1.35 + 6), footer: px(size*0.85 + 22),
		pad: px(8), edge: px(20), icon: px(size*1.5 + 1.5), gap: px(12), radius: float32(t.Radius) * scale, hair: max(1, int(scale)),
		input: draw.Style{Size: size * 1.4 * scale}, title: draw.Style{Size: size * scale}, sub: draw.Style{Size: size * 0.9 * scale},
		small: draw.Style{Size: size * 0.78 * scale}, big: draw.Style{Size: size * 1.5 * scale, Bold: true}, mono: draw.Style{Size: size * 0.86 * scale, Mono: true},
	}
	m.width = min(m.width, room.X)
	for m.rows > 1 && m.prompt+m.rows*m.row+2*m.pad+m.footer > room.Y {
		m.rows--
	}
	return m
}

// tallest is how high the panel can become.
func (m *metrics) tallest() int {
	return m.prompt + m.rows*m.row + 2*m.pad + 2*(m.answer-m.row) + noticeLines*m.notice + m.pad + m.footer
}

// place is where a scene of that size stands on a monitor.
func (m *metrics) place(monitor image.Rectangle, size image.Point, position string) image.Point {
	x := monitor.Min.X + (monitor.Dx()-size.X)/2
	y := monitor.Min.Y + monitor.Dy()/5
	if position == "center" {
		y = monitor.Min.Y + (monitor.Dy()-m.tallest())/2
	}
	return image.Pt(x, max(monitor.Min.Y, min(y, monitor.Max.Y-size.Y)))
}

// scene is what stands where, from the window's upper left corner.
type scene struct {
	size    image.Point
	prompt  image.Rectangle
	list    image.Rectangle
	lines   []image.Rectangle // of the list's items that show, from list.Top() on
	empty   image.Rectangle   // the hint in place of an empty list
	preview image.Rectangle
	notices []choose.Notice
	notes   image.Rectangle
	footer  image.Rectangle
	menu    image.Rectangle
	actions []image.Rectangle // of the menu's items that show
}

// arrange lays the panel out.
func (m *model) arrange(mt *metrics, fonts *draw.Fonts) scene {
	s := scene{size: image.Pt(mt.width, 0), prompt: image.Rect(0, 0, mt.width, mt.prompt)}
	y := mt.prompt
	m.list.Height = mt.rows
	m.list.Scroll()
	right := mt.width
	if it := m.list.selected(); it != nil && it.preview != "" {
		right = mt.width * 56 / 100
	}
	n := min(mt.rows, len(m.list.items)-m.list.Top())
	if n > 0 {
		top := y
		y += mt.pad
		for i := range n {
			h := mt.row
			if m.list.items[m.list.Top()+i].kind == answer {
				h = mt.answer
			}
			s.lines = append(s.lines, image.Rect(mt.pad, y, right-mt.pad, y+h))
			y += h
		}
		y += mt.pad
		if right < mt.width {
			// A preview of a short list still has room for some lines.
			y = max(y, top+min(mt.rows, 5)*mt.row+2*mt.pad)
			s.preview = image.Rect(right, top, mt.width, y)
		}
		s.list = image.Rect(0, top, right, y)
	} else if m.hint() != "" {
		s.empty = image.Rect(0, y, mt.width, y+mt.row+2*mt.pad)
		y = s.empty.Max.Y
	}
	s.notices = m.wrapNotices(mt, fonts)
	if k := len(s.notices); k > 0 {
		s.notes = image.Rect(0, y, mt.width, y+k*mt.notice+mt.pad)
		y = s.notes.Max.Y
	}
	if m.menu != nil {
		// The actions of a short list still have room.
		k := max(1, min(menuRows, len(m.menu.list.items)))
		need := mt.prompt + mt.pad*5 + mt.pad/2 + mt.hair + mt.notice + mt.row*2 + min(menuRows, len(m.menu.actions))*mt.row
		if y < need {
			s.list.Max.Y = max(s.list.Max.Y, s.prompt.Max.Y)
			fill := image.Rect(0, y, mt.width, need)
			if s.empty.Empty() {
				s.empty = fill
			} else {
				s.empty.Max.Y = need
			}
			y = need
		}
		w := min(mt.width-2*mt.edge, int(360*mt.scale))
		bottom := y - mt.pad/2
		h := mt.notice + mt.pad + k*mt.row + mt.pad + mt.row + mt.hair
		s.menu = image.Rect(mt.width-w-mt.pad, bottom-h, mt.width-mt.pad, bottom)
		at := s.menu.Min.Y + mt.notice + mt.pad
		for range min(menuRows, len(m.menu.list.items)) {
			s.actions = append(s.actions, image.Rect(s.menu.Min.X+mt.pad/2, at, s.menu.Max.X-mt.pad/2, at+mt.row))
			at += mt.row
		}
	}
	s.footer = image.Rect(0, y, mt.width, y+mt.footer)
	s.size.Y = s.footer.Max.Y
	return s
}

// hint stands in place of an empty list.
func (m *model) hint() string {
	known := m.fresh() && !m.view.Pending
	return choose.Empty(m.box.Text(), known, known && len(m.view.Notices) > 0)
}

// wrapNotices breaks notices into lines: the remedy stands at the end of an error
// and must not be cut off.
func (m *model) wrapNotices(mt *metrics, fonts *draw.Fonts) []choose.Notice {
	var all []choose.Notice
	if m.view != nil {
		for _, n := range m.view.Notices {
			text := printable.Line(n.Text)
			if n.Plugin != "" {
				text = n.Plugin + ": " + text
			}
			all = append(all, choose.Notice{Text: text, Warn: true})
		}
	}
	if m.status.Warn {
		all = append(all, m.status)
	}
	var out []choose.Notice
	for _, n := range all {
		room := noticeLines - len(out)
		for _, l := range fonts.Wrap(n.Text, mt.sub, float32(mt.width-2*mt.edge-mt.icon), room) {
			out = append(out, choose.Notice{Text: n.Text[l.From:l.To], Warn: true})
		}
	}
	return out
}

// hit is what lies at a place of the window.
type hit struct {
	kind  hitKind
	index int // of an item
}

type hitKind uint8

const (
	hitNothing hitKind = iota
	hitOutside
	hitBox
	hitItem
	hitAction
	hitMenu // the menu, beside its actions
)

func (s *scene) hit(p image.Point, m *model) hit {
	switch {
	case !p.In(image.Rectangle{Max: s.size}):
		return hit{kind: hitOutside}
	case p.In(s.menu):
		for i, r := range s.actions {
			if p.In(r) {
				return hit{hitAction, m.menu.list.Top() + i}
			}
		}
		return hit{kind: hitMenu}
	case p.In(s.prompt):
		return hit{kind: hitBox}
	}
	for i, r := range s.lines {
		if p.In(r) {
			return hit{hitItem, m.list.Top() + i}
		}
	}
	return hit{}
}
