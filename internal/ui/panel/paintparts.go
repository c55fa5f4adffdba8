package panel

import (
	"hash/fnv"
	"image"
	"strings"

	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/draw"
	"github.com/flash-launcher/flash/internal/ui/edit"
)

// prompt paints the box: a glass, the text with its caret, the count.
func (p *painter) prompt(im *draw.Image, r image.Rectangle, m *model, note string) {
	im.Clear(r, p.theme.Background)
	p.glass(im, r)
	x := r.Min.X + p.mt.edge + p.mt.icon + p.mt.gap
	right := r.Max.X - p.mt.edge
	if note != "" {
		t := p.fonts.Text(note, p.mt.sub)
		im.Text(p.fonts, t, float32(right)-t.Width, middle(r, t), p.theme.Dim)
		right -= int(t.Width) + p.mt.gap
	}
	if m.box.Text() == "" && m.pending == "" {
		t := p.fonts.Text("Search", p.mt.input)
		im.Text(p.fonts, t, float32(x)+3*p.mt.scale, middle(r, t), p.theme.faint())
	}
	p.box(im, image.Rect(x, r.Min.Y, right, r.Max.Y), &m.box, m.pending, p.mt.input, m.menu == nil)
	im.Fill(image.Rect(r.Min.X, r.Max.Y-p.mt.hair, r.Max.X, r.Max.Y), p.theme.Line)
}

// box paints a text that is edited. Text that has no room is scrolled so that
// the caret shows.
func (p *painter) box(im *draw.Image, r image.Rectangle, b *box, pending string, style draw.Style, focus bool) {
	t, scroll := p.boxText(r, b, pending, style)
	at := b.Caret() + len(pending)
	caret := t.Caret(at)
	old := im.Clip(r.Intersect(image.Rect(r.Min.X-p.mt.hair, r.Min.Y, r.Max.X+2*p.mt.hair, r.Max.Y)))
	defer im.Clip(old)
	x, base := float32(r.Min.X)-scroll, middle(r, t)
	top, bottom := base-int(t.Ascent*0.92), base+int(t.Descent*0.9)
	from, to := b.Selection()
	if pending == "" {
		for _, s := range t.Spans(from, to) {
			im.Fill(image.Rect(int(x+s.X0), top, int(x+s.X1+0.5), bottom), p.theme.Marked)
		}
	}
	im.Text(p.fonts, t, x, base, p.theme.Text)
	if pending != "" {
		for _, s := range t.Spans(b.Caret(), at) {
			im.Fill(image.Rect(int(x+s.X0), base+2*p.mt.hair, int(x+s.X1+0.5), base+3*p.mt.hair), p.theme.Accent)
		}
	}
	if focus {
		w := max(1, int(1.5*p.mt.scale))
		cx := int(x + caret)
		im.Fill(image.Rect(cx, top, cx+w, bottom), p.theme.Accent)
	}
}

// boxText is the text of a box with what is pending at the caret, and how far
// it is scrolled.
func (p *painter) boxText(r image.Rectangle, b *box, pending string, style draw.Style) (t *draw.Text, scroll float32) {
	t = p.fonts.Text(b.Text()[:b.Caret()]+pending+b.Text()[b.Caret():], style)
	if room := float32(r.Dx() - 2*p.mt.hair); t.Width > room {
		caret := t.Caret(b.Caret() + len(pending))
		scroll = min(max(0, caret-room), t.Width-room)
		if t.RTL {
			scroll = max(0, min(caret, t.Width-room))
		}
	}
	return t, scroll
}

// boxAt is the byte of the box's text that a click at x means.
func (p *painter) boxAt(x int, m *model, note string) int {
	r := p.boxRect(note)
	t, scroll := p.boxText(r, &m.box, "", p.mt.input)
	return t.Offset(float32(x-r.Min.X) + scroll)
}

// boxRect is where the box's text stands, beside a note.
func (p *painter) boxRect(note string) image.Rectangle {
	right := p.mt.width - p.mt.edge
	if note != "" {
		right -= int(p.fonts.Text(note, p.mt.sub).Width) + p.mt.gap
	}
	return image.Rect(p.mt.edge+p.mt.icon+p.mt.gap, 0, right, p.mt.prompt)
}

// caret is where the caret stands: what an input method shows belongs below it.
func (p *painter) caret(m *model) image.Rectangle {
	if m.menu != nil {
		r := p.scene.menu
		return image.Rect(r.Min.X, r.Max.Y-p.mt.row, r.Min.X+1, r.Max.Y)
	}
	r := p.boxRect(m.count())
	t, scroll := p.boxText(r, &m.box, m.pending, p.mt.input)
	x := r.Min.X + int(t.Caret(m.box.Caret()+len(m.pending))-scroll)
	return image.Rect(x, r.Min.Y, x+1, r.Max.Y)
}

// glass paints the sign of searching.
func (p *painter) glass(im *draw.Image, r image.Rectangle) {
	u := float32(p.mt.icon) / 24
	cx, cy := float32(r.Min.X+p.mt.edge)+10*u, float32(r.Min.Y+r.Dy()/2)-1.5*u
	rad := 6.5 * u
	circle := image.Rect(int(cx-rad), int(cy-rad), int(cx+rad+0.5), int(cy+rad+0.5))
	im.Ring(circle, float32(circle.Dx())/2, 2*u, p.theme.Dim)
	im.Line(cx+rad*0.78, cy+rad*0.78, cx+rad*1.65, cy+rad*1.65, 2*u, p.theme.Dim)
}

// backdrop paints what the lines of the list stand on.
func (p *painter) backdrop(im *draw.Image, r image.Rectangle, m *model, s *scene) {
	im.Clear(r, p.theme.Background)
	n, shown := len(m.list.items), len(s.lines)
	if n <= shown || shown == 0 {
		return
	}
	// Where in a long list this is.
	top, height := s.lines[0].Min.Y, s.lines[shown-1].Max.Y-s.lines[0].Min.Y
	length := max(height*shown/n, p.mt.row/2)
	y := top + (height-length)*m.list.Top()/max(1, n-shown)
	w := max(2, int(3*p.mt.scale))
	x := r.Max.X - (p.mt.pad+w)/2
	im.RoundRect(image.Rect(x, y, x+w, y+length), float32(w)/2, p.theme.Dim.Alpha(110))
}

// item paints a line of the list: icon, title, subtitle, source.
func (p *painter) item(im *draw.Image, r image.Rectangle, it *item, icon Icon, selected, hover bool) {
	im.Clear(r, p.theme.Background)
	text, dim, back := p.theme.Text, p.theme.Dim, draw.Color{}
	corner := p.corner()
	switch {
	case selected:
		text, dim, back = p.theme.SelectedText, p.theme.SelectedDim, p.theme.Selected
	case hover:
		back = p.theme.Hover
	case it.kind == answer:
		back = p.theme.AnswerBack
	}
	box := r
	if it.kind == answer {
		box = r.Inset(p.mt.hair * 2)
	}
	if back.A > 0 {
		im.RoundRect(box, corner, back)
	}
	if p.theme.Contrast && selected {
		im.Ring(box, corner, float32(2*p.mt.hair), p.theme.Border)
	}
	x, right := r.Min.X+p.mt.edge-p.mt.pad, r.Max.X-(p.mt.edge-p.mt.pad)
	p.icon(im, image.Rect(x, r.Min.Y+(r.Dy()-p.mt.icon)/2, x+p.mt.icon, r.Min.Y+(r.Dy()-p.mt.icon)/2+p.mt.icon), icon, it, selected)
	x += p.mt.icon + p.mt.gap
	right = p.badge(im, r, right, it.badge, selected, dim)
	if it.kind == answer {
		p.answer(im, image.Rect(x, r.Min.Y, right, r.Max.Y), it, selected, dim)
		return
	}
	room := float32(right - x)
	name, marks := it.named(icon)
	title := p.fonts.Text(name, p.mt.title)
	if it.subtitle != "" {
		// The subtitle gets what the title leaves, and a third if it leaves less.
		sub := p.fonts.Text(it.subtitle, p.mt.sub)
		need := sub.Width + float32(p.mt.gap)
		if title.Width+need > room {
			title = p.fonts.Fit(name, p.mt.title, max(room-need, room*2/3))
		}
	} else {
		title = p.fonts.Fit(name, p.mt.title, room)
	}
	base := middle(r, title)
	p.marked(im, title, marks, float32(x), base, text, p.theme.found(selected))
	if left := room - title.Width - float32(p.mt.gap); it.subtitle != "" && left > float32(p.mt.icon) {
		im.Text(p.fonts, p.fonts.Fit(it.subtitle, p.mt.sub, left), float32(x)+title.Width+float32(p.mt.gap), base, dim)
	}
}

func (p *painter) corner() float32 { return max(0, p.mt.radius-float32(p.mt.pad)/2) }

// marked paints a title in which something was found.
func (p *painter) marked(im *draw.Image, t *draw.Text, found [][2]int, x float32, base int, c, accent draw.Color) {
	marks := make([]draw.Mark, len(found))
	for i, k := range found {
		marks[i] = draw.Mark{From: k[0], To: k[1], Color: accent}
		if p.theme.Underline {
			for _, s := range t.Spans(k[0], k[1]) {
				im.Fill(image.Rect(int(x+s.X0), base+2*p.mt.hair, int(x+s.X1+0.5), base+4*p.mt.hair), accent)
			}
		}
	}
	im.Text(p.fonts, t, x, base, c, marks...)
}

// answer paints an answer: large, with what explains it under it.
func (p *painter) answer(im *draw.Image, r image.Rectangle, it *item, selected bool, dim draw.Color) {
	c := p.theme.Answer
	if selected && p.theme.Contrast {
		c = p.theme.SelectedText
	}
	title := p.fonts.Fit(it.title, p.mt.big, float32(r.Dx()))
	if it.subtitle == "" {
		p.text(im, r, title, c)
		return
	}
	split := r.Min.Y + r.Dy()*62/100
	p.text(im, image.Rect(r.Min.X, r.Min.Y+p.mt.pad/2, r.Max.X, split), title, c)
	p.text(im, image.Rect(r.Min.X, split-p.mt.pad/2, r.Max.X, r.Max.Y-p.mt.pad/2), p.fonts.Fit(it.subtitle, p.mt.small, float32(r.Dx())), dim)
}

// badge paints where a line comes from at its right end, and returns where the
// room for the rest ends.
func (p *painter) badge(im *draw.Image, r image.Rectangle, right int, name string, selected bool, dim draw.Color) int {
	if name == "" {
		return right
	}
	t := p.fonts.Fit(name, p.mt.small, float32(r.Dx())/4)
	in := int(6 * p.mt.scale)
	w, h := int(t.Width+0.5)+2*in, int(t.Style.Size*1.6)
	box := image.Rect(right-w, r.Min.Y+(r.Dy()-h)/2, right, r.Min.Y+(r.Dy()-h)/2+h)
	switch {
	case p.theme.Contrast:
		im.Ring(box, float32(h)/4, float32(p.mt.hair), dim)
	case selected:
		im.RoundRect(box, float32(h)/4, p.theme.SelectedText.Alpha(22))
	default:
		im.RoundRect(box, float32(h)/4, p.theme.Badge)
	}
	im.Text(p.fonts, t, float32(box.Min.X+in), middle(box, t), dim)
	return box.Min.X - p.mt.gap
}

// tints are the colours of tiles, which stand for the same thing each time.
var tints = [...]uint32{0x4f7cff, 0x8a63d2, 0xd6568c, 0xe07a3f, 0x3f9d6b, 0x2d9bb3, 0xb08a2e, 0x6a7686}

// icon paints a picture, a sign, or a tile with the title's first letter.
func (p *painter) icon(im *draw.Image, r image.Rectangle, icon Icon, it *item, selected bool) {
	b := icon.Bitmap
	if b == nil && icon.Name != "" {
		b = p.icons.Icon(icon.Name, r.Dx())
	}
	if b != nil {
		im.Bitmap(b, r.Min.X+(r.Dx()-b.W)/2, r.Min.Y+(r.Dy()-b.H)/2)
		return
	}
	sign := icon.Text
	if it.kind == answer || it.kind == completion {
		c := p.theme.Accent
		if it.kind == answer {
			c = p.theme.Answer
		}
		if selected && p.theme.Contrast {
			c = p.theme.SelectedText
		}
		p.centre(im, r, sign, draw.Style{Size: float32(r.Dx()) * 0.8, Bold: true}, c)
		return
	}
	if sign != "" {
		p.centre(im, r, sign, draw.Style{Size: float32(r.Dx()) * 0.82}, p.theme.Text)
		return
	}
	key := it.badge + "\x00" + it.title
	if it.badge != "apps" {
		key = it.badge // things of one source look alike
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	tint := draw.RGB(tints[h.Sum32()%uint32(len(tints))])
	im.RoundRect(r, float32(r.Dx())/4, tint)
	for first := range edit.Graphemes(strings.TrimLeft(it.title, " .([{<\"'/~@#")) {
		p.centre(im, r, strings.ToUpper(first), draw.Style{Size: float32(r.Dx()) * 0.54, Bold: true}, draw.RGB(0xffffff))
		break
	}
}

func (p *painter) centre(im *draw.Image, r image.Rectangle, s string, style draw.Style, c draw.Color) {
	t := p.fonts.Text(s, style)
	im.Text(p.fonts, t, float32(r.Min.X)+(float32(r.Dx())-t.Width)/2, middle(r, t), c)
}

// preview paints the text of the selected line beside the list.
func (p *painter) preview(im *draw.Image, r image.Rectangle, text string) {
	im.Clear(r, p.theme.Background)
	im.Fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+p.mt.hair, r.Max.Y), p.theme.Line)
	in := image.Rect(r.Min.X+p.mt.pad*2, r.Min.Y+p.mt.pad+p.mt.pad/2, r.Max.X-p.mt.edge, r.Max.Y-p.mt.pad)
	step := int(p.mt.mono.Size*1.5 + 0.5)
	for i, l := range p.fonts.Wrap(text, p.mt.mono, float32(in.Dx()), in.Dy()/step) {
		line := image.Rect(in.Min.X, in.Min.Y+i*step, in.Max.X, in.Min.Y+(i+1)*step)
		p.text(im, line, p.fonts.Fit(text[l.From:l.To], p.mt.mono, float32(in.Dx())), p.theme.Text)
	}
}

// notes paints what went wrong.
func (p *painter) notes(im *draw.Image, r image.Rectangle, notices []choose.Notice) {
	im.Clear(r, p.theme.Background)
	x, y := r.Min.X+p.mt.edge, r.Min.Y+p.mt.pad/2
	u := float32(p.mt.icon) / 24
	cx, cy := float32(x)+10*u, float32(y)+float32(p.mt.notice)/2
	disc := image.Rect(int(cx-8*u), int(cy-8*u), int(cx+8*u), int(cy+8*u))
	im.RoundRect(disc, float32(disc.Dx())/2, p.theme.Warning)
	im.Line(cx, cy-4*u, cx, cy+0.5*u, 2*u, p.theme.Background)
	im.Line(cx, cy+4*u, cx, cy+4*u, 2*u, p.theme.Background)
	for _, n := range notices {
		line := image.Rect(x+p.mt.icon+p.mt.gap, y, r.Max.X-p.mt.edge, y+p.mt.notice)
		p.text(im, line, p.fonts.Fit(n.Text, p.mt.sub, float32(line.Dx())), p.theme.Warning)
		y += p.mt.notice
	}
}

// footer paints the last line: a message at the left, keys at the right.
func (p *painter) footer(im *draw.Image, r image.Rectangle, m *model, left, right string) {
	im.Clear(r, p.theme.Background.Mix(p.theme.Line, 90))
	if p.theme.Contrast {
		im.Clear(r, p.theme.Background)
	}
	im.Fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+p.mt.hair), p.theme.Line)
	x := r.Max.X - p.mt.edge
	if m.menu == nil && m.list.selected() != nil && m.list.selected().kind != completion {
		x = p.keys(im, r, x, "Actions", "Ctrl", "K") - p.mt.gap*2
	}
	if m.menu != nil {
		x = p.keys(im, r, x, "Back", "Esc") - p.mt.gap*2
	}
	if right != "" {
		x = p.keys(im, r, x, right, "↵") - p.mt.gap*2
	}
	if left == "" {
		left = "Flash"
	}
	at := image.Rect(r.Min.X+p.mt.edge, r.Min.Y, x, r.Max.Y)
	p.text(im, at, p.fonts.Fit(left, p.mt.small, float32(at.Dx())), p.theme.Dim)
}

// keys paints what a key does and its caps, right-aligned, and returns where it begins.
func (p *painter) keys(im *draw.Image, r image.Rectangle, right int, what string, caps ...string) int {
	for i := len(caps) - 1; i >= 0; i-- {
		t := p.fonts.Text(caps[i], p.mt.small)
		h := int(t.Style.Size * 1.65)
		w := max(h, int(t.Width)+int(9*p.mt.scale))
		y := r.Min.Y + (r.Dy()-h)/2
		box := image.Rect(right-w, y, right, y+h)
		if p.theme.Contrast {
			im.Ring(box, float32(h)/4, float32(p.mt.hair), p.theme.Border)
		} else {
			im.RoundRect(box, float32(h)/4, p.theme.Dim.Alpha(40))
		}
		im.Text(p.fonts, t, float32(box.Min.X)+(float32(w)-t.Width)/2, middle(box, t), p.theme.Dim)
		right = box.Min.X - int(4*p.mt.scale)
	}
	t := p.fonts.Text(what, p.mt.small)
	x := float32(right) - t.Width - 4*p.mt.scale
	im.Text(p.fonts, t, x, middle(r, t), p.theme.Text)
	return int(x)
}

// menu paints what can be done with an entry, over the list.
func (p *painter) menu(im *draw.Image, r image.Rectangle, m *menu, s *scene) {
	corner := max(4*p.mt.scale, p.mt.radius*0.8)
	if p.theme.Radius == 0 {
		corner = 0
	}
	im.RoundRect(r, corner, p.theme.Background)
	head := image.Rect(r.Min.X+p.mt.pad*2, r.Min.Y+p.mt.pad/2, r.Max.X-p.mt.pad*2, r.Min.Y+p.mt.pad/2+p.mt.notice)
	p.text(im, head, p.fonts.Fit(printable.Line(m.title), p.mt.small, float32(head.Dx())), p.theme.Dim)
	for i, a := range s.actions {
		at := m.list.Top() + i
		it := &m.list.items[at]
		text, dim := p.theme.Text, p.theme.Dim
		if at == m.list.At() {
			im.RoundRect(a, p.corner(), p.theme.Selected)
			text, dim = p.theme.SelectedText, p.theme.SelectedDim
		}
		right := a.Max.X - p.mt.pad
		if it.badge != "" {
			t := p.fonts.Text(it.badge, p.mt.small)
			im.Text(p.fonts, t, float32(right)-t.Width, middle(a, t), dim)
			right -= int(t.Width) + p.mt.gap
		}
		x := a.Min.X + p.mt.pad*2 - p.mt.pad/2
		t := p.fonts.Fit(it.title, p.mt.title, float32(right-x))
		p.marked(im, t, it.marks, float32(x), middle(a, t), text, p.theme.found(at == m.list.At()))
	}
	if len(m.list.items) == 0 {
		none := image.Rect(head.Min.X, head.Max.Y+p.mt.pad, head.Max.X, head.Max.Y+p.mt.pad+p.mt.row)
		p.text(im, none, p.fonts.Fit("No action is called that.", p.mt.title, float32(none.Dx())), p.theme.Dim)
	}
	foot := image.Rect(r.Min.X, r.Max.Y-p.mt.row, r.Max.X, r.Max.Y)
	im.Fill(image.Rect(r.Min.X, foot.Min.Y, r.Max.X, foot.Min.Y+p.mt.hair), p.theme.Line)
	in := image.Rect(head.Min.X, foot.Min.Y, head.Max.X, foot.Max.Y)
	if m.box.Text() == "" {
		t := p.fonts.Text("Search for actions", p.mt.sub)
		p.text(im, in.Add(image.Pt(int(3*p.mt.scale), 0)), t, p.theme.faint())
	}
	p.box(im, in, &m.box, "", p.mt.sub, true)
	im.Ring(r, corner, float32(p.mt.hair), p.theme.Border)
}
