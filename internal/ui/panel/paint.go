package panel

import (
	"cmp"
	"hash/maphash"
	"image"
	"strconv"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// painter paints scenes into an image, of each only what changed since the last.
type painter struct {
	fonts *draw.Fonts
	fam   [2]string // the families that fonts are of
	icons *draw.Icons
	// pictures are those of files where the platform makes them, nil for none.
	pictures func(path string, size int) *draw.Bitmap
	theme    Theme
	mt       metrics
	round    bool // the corners are cut out: there is a compositor

	seed  maphash.Seed
	last  []part // as painted
	scene scene  // the last
}

// part is a piece of the scene that is painted as a whole. Its digest is of all
// that its look depends on besides theme and metrics.
type part struct {
	rect       image.Rectangle
	digest     uint64
	seeThrough bool
	paint      func(im *draw.Image, r image.Rectangle)
}

// mix sums up what a part's look depends on.
type mix struct{ maphash.Hash }

func (d *mix) text(all ...string) *mix {
	for _, s := range all {
		d.num(len(s))
		_, _ = d.WriteString(s)
	}
	return d
}

func (d *mix) num(all ...int) *mix {
	for _, n := range all {
		var b [8]byte
		for i := range b {
			b[i] = byte(n >> (8 * i))
		}
		_, _ = d.Write(b[:])
	}
	return d
}

func (d *mix) flag(all ...bool) *mix {
	for _, f := range all {
		n := 0
		if f {
			n = 1
		}
		d.num(n)
	}
	return d
}

func (p *painter) mix(kind int) *mix {
	d := &mix{}
	d.SetSeed(p.seed)
	return d.num(kind)
}

// forget makes the next frame paint everything.
func (p *painter) forget() { p.last = nil }

// suit makes the painter ready for a configuration, a theme and a monitor with
// that room; round says that the window's corners can be cut out.
func (p *painter) suit(c config.Flashlight, theme Theme, list draw.FontList, scale float32, room image.Point, round bool) {
	fam := [2]string{cmp.Or(c.Font, theme.Font), theme.Mono}
	if p.fonts == nil || fam != p.fam {
		if p.fonts != nil {
			p.fonts.Drop()
		}
		p.fonts, p.fam = draw.NewFonts(draw.FontOptions{Family: fam[0], Mono: fam[1]}), fam
		p.fonts.Use(list)
		p.forget()
	}
	if p.icons == nil {
		p.icons = draw.NewIcons(draw.IconOptions{File: p.pictures})
	}
	mt := newMetrics(c, &theme, scale, image.Pt(room.X*9/10, room.Y*8/10))
	if theme != p.theme || mt != p.mt || p.round != round {
		p.theme, p.mt, p.round = theme, mt, round
		p.forget()
	}
}

// drop gives back what can be had again.
func (p *painter) drop() {
	p.forget()
	if p.fonts != nil {
		p.fonts.Drop()
		p.icons.Drop()
	}
}

// frame paints m as it stands into im and returns what of im changed. The image
// is at least as large as the scene.
func (p *painter) frame(m *model, s scene, im *draw.Image) []image.Rectangle {
	parts := p.parts(m, &s)
	if p.last != nil && p.scene.size != s.size {
		p.last = nil // the ring and the corners stand elsewhere now
	}
	// A part covers what lies under it, unless it is see-through; where one was
	// that is gone or has moved, all is painted again.
	changed := make([]bool, len(parts))
	var bare, over []image.Rectangle
	for i := range parts {
		known := i < len(p.last)
		changed[i] = !known || parts[i].rect != p.last[i].rect || parts[i].digest != p.last[i].digest
		if changed[i] && parts[i].seeThrough {
			bare = append(bare, parts[i].rect)
		}
		if known && parts[i].rect != p.last[i].rect {
			bare = append(bare, p.last[i].rect)
		}
	}
	for _, gone := range p.last[min(len(parts), len(p.last)):] {
		bare = append(bare, gone.rect)
	}
	var out []image.Rectangle
	for i, pt := range parts {
		if !changed[i] && !overlaps(bare, pt.rect) && !overlaps(over, pt.rect) {
			continue
		}
		over = append(over, pt.rect)
		im.Clip(pt.rect)
		pt.paint(im, pt.rect)
		p.rim(im, s.size)
		out = append(out, pt.rect)
	}
	im.Clip(im.Bounds())
	for i := range parts {
		parts[i].paint = nil
	}
	p.last, p.scene = parts, s
	return out
}

func overlaps(all []image.Rectangle, r image.Rectangle) bool {
	for _, o := range all {
		if o.Overlaps(r) {
			return true
		}
	}
	return false
}

// rim paints the panel's border into what was just painted.
func (p *painter) rim(im *draw.Image, size image.Point) {
	all := image.Rectangle{Max: size}
	radius := p.mt.radius
	if !p.round {
		radius = 0
	}
	width := float32(p.mt.hair)
	if p.theme.Contrast {
		width *= 2
	}
	im.Ring(all, radius, width, p.theme.Border)
	if p.round {
		im.CutCorners(all, radius)
	}
}

// parts are the pieces of a scene, those that lie over others last.
func (p *painter) parts(m *model, s *scene) []part {
	var out []part
	add := func(r image.Rectangle, d *mix, paint func(*draw.Image, image.Rectangle)) {
		if !r.Empty() {
			out = append(out, part{rect: r, digest: d.Sum64(), paint: paint})
		}
	}
	note := m.count()
	from, to := m.box.Selection()
	add(s.prompt, p.mix(1).text(m.box.Text(), m.pending, note).num(m.box.Caret(), from, to).flag(m.menu != nil), func(im *draw.Image, r image.Rectangle) {
		p.prompt(im, r, m, note)
	})
	if !s.list.Empty() {
		// What stands between the lines: two strips and the sides, painted under them.
		add(s.list, p.mix(2).num(len(m.list.items), m.list.Top(), len(s.lines)), func(im *draw.Image, r image.Rectangle) { p.backdrop(im, r, m, s) })
	}
	for i, r := range s.lines {
		at := m.list.Top() + i
		it := &m.list.items[at]
		icon := m.iconOf(at)
		d := p.mix(3).text(it.title, it.subtitle, it.badge, icon.Name, icon.Text).num(int(it.kind), len(it.marks)).flag(at == m.list.At(), at == m.hover, icon.Bitmap != nil)
		for _, k := range it.marks {
			d.num(k[0], k[1])
		}
		add(r, d, func(im *draw.Image, r image.Rectangle) {
			p.item(im, r, it, icon, at == m.list.At(), at == m.hover)
		})
	}
	if hint := m.hint(); !s.empty.Empty() {
		if len(m.list.items) > 0 {
			hint = ""
		}
		add(s.empty, p.mix(4).text(hint), func(im *draw.Image, r image.Rectangle) {
			im.Clear(r, p.theme.Background)
			line := image.Rect(r.Min.X+p.mt.edge, r.Min.Y, r.Max.X-p.mt.edge, r.Min.Y+p.mt.row+2*p.mt.pad)
			p.text(im, line, p.fonts.Fit(hint, p.mt.title, float32(line.Dx())), p.theme.Dim)
		})
	}
	if !s.preview.Empty() {
		it := m.list.selected()
		add(s.preview, p.mix(5).text(it.preview), func(im *draw.Image, r image.Rectangle) { p.preview(im, r, it.preview) })
	}
	if !s.notes.Empty() {
		d := p.mix(6)
		for _, n := range s.notices {
			d.text(n.Text)
		}
		add(s.notes, d, func(im *draw.Image, r image.Rectangle) { p.notes(im, r, s.notices) })
	}
	left, right := m.footer()
	add(s.footer, p.mix(7).text(left, right).flag(m.menu != nil, m.list.selected() != nil), func(im *draw.Image, r image.Rectangle) { p.footer(im, r, m, left, right) })
	if m.menu != nil {
		from, to := m.menu.box.Selection()
		d := p.mix(8).text(m.menu.title, m.menu.box.Text()).num(m.menu.box.Caret(), from, to, m.menu.list.At(), m.menu.list.Top(), len(m.menu.list.items), m.hover)
		add(s.menu, d, func(im *draw.Image, r image.Rectangle) { p.menu(im, r, m.menu, s) })
		out[len(out)-1].seeThrough = true // at its corners
	}
	return out
}

// count stands at the end of the box.
func (m *model) count() string {
	out := ""
	if n := len(m.list.items); n > 0 {
		out = strconv.Itoa(n)
	}
	if m.acting || !m.fresh() || m.view.Pending {
		out += "…"
	}
	return out
}

// footer is what the last line says: what came of a key, and what Enter does.
func (m *model) footer() (left, right string) {
	left = m.status.Text
	if m.status.Warn {
		left = ""
	}
	it := m.list.selected()
	switch {
	case m.menu != nil:
		right = "Do it"
	case it != nil:
		right = it.verb
	}
	return left, right
}

// middle is the baseline at which a text stands in the middle of a height.
func middle(r image.Rectangle, t *draw.Text) int {
	return r.Min.Y + int((float32(r.Dy())+t.Ascent-t.Descent)/2+0.5)
}

// text paints a line in the middle of a height, from the left.
func (p *painter) text(im *draw.Image, r image.Rectangle, t *draw.Text, c draw.Color, marks ...draw.Mark) {
	im.Text(p.fonts, t, float32(r.Min.X), middle(r, t), c, marks...)
}
