package bar

import (
	"image"
	"math"
	"slices"

	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// sizes are a bar's measures in pixels.
type sizes struct {
	width, height int
	scale         float32
	font          float32
	pad           float32 // at the bar's ends, and around what lights up
	gap           float32 // between the parts, at least
	cell          float32 // of a graph
}

func measures(width, height int, scale float32) sizes {
	// Half of the height sets text as bars commonly do; beyond that a high bar
	// is for its padding.
	font := min(float32(height)*0.5, 15*scale)
	return sizes{
		width: width, height: height, scale: scale,
		font: float32(math.Round(float64(font))),
		pad:  8 * scale, gap: 16 * scale, cell: float32(math.Round(float64(3 * scale))),
	}
}

// piece is one run where it stands.
type piece struct {
	status.Run
	x, w  float32
	group int
}

// area is a group where it stands.
type area struct {
	status.Group
	x0, x1 float32
	cut    bool // not all of it fits
}

// layout is a line where it stands.
type layout struct {
	pieces []piece
	areas  []area
}

// measure is how wide a run wants to be.
type measure func(r status.Run) float32

// arrange places a line. The right part has the first claim on the room, the
// left one takes what remains, and the centre stands in the middle as far as
// the two let it.
func arrange(line status.Line, s sizes, m measure) layout {
	var l layout
	lo, hi := s.pad, float32(s.width)-s.pad
	rightW := min(total(line.Right, m), max(hi-lo, 0))
	rightAt := hi - rightW
	leftMost := max(rightAt-lo, 0)
	if rightW > 0 {
		leftMost = max(leftMost-s.gap, 0)
	}
	leftW := min(total(line.Left, m), leftMost)
	l.place(line.Left, lo, leftW, m)

	if len(line.Centre) > 0 {
		from, to := lo, hi
		if leftW > 0 {
			from = lo + leftW + s.gap
		}
		if rightW > 0 {
			to = rightAt - s.gap
		}
		w := min(total(line.Centre, m), max(to-from, 0))
		at := min(max((float32(s.width)-w)/2, from), max(to-w, from))
		l.place(line.Centre, at, w, m)
	}
	l.place(line.Right, rightAt, rightW, m)
	return l
}

func total(runs []status.Run, m measure) (w float32) {
	for _, r := range runs {
		w += m(r)
	}
	return w
}

// place puts runs from x on within width.
func (l *layout) place(runs []status.Run, x, width float32, m measure) {
	end := x + width
	for _, g := range status.Groups(runs) {
		a := area{Group: g, x0: x}
		for _, r := range g.Runs {
			w := m(r)
			// A hair of rounding cuts nothing.
			if x+w > end+0.5 {
				w = max(end-x, 0)
				a.cut = true
				// A graph shows whole or not at all, and a text where at least
				// the sign has room that something is cut.
				if r.Graph != nil || w < m(status.Run{Text: "…", Style: r.Style}) {
					w = 0
				}
			}
			if w > 0 {
				l.pieces = append(l.pieces, piece{Run: r, x: x, w: w, group: len(l.areas)})
			}
			x += w
		}
		a.x1 = x
		l.areas = append(l.areas, a)
	}
}

// at is the area at x, -1 for none.
func (l *layout) at(x float32) int {
	return slices.IndexFunc(l.areas, func(a area) bool { return x >= a.x0 && x < a.x1 })
}

// tip is the hover text of an area.
func (a *area) tip() string {
	if !a.cut {
		return a.Hover
	}
	if a.Hover == "" {
		return a.Text()
	}
	return a.Text() + "\n" + a.Hover
}

// extent is the columns that a piece paints, what stands out of it included.
func (p *piece) extent(s sizes) [2]int {
	out := 4 * s.scale
	return [2]int{int(math.Floor(float64(p.x - out))), int(math.Ceil(float64(p.x + p.w + out)))}
}

// damage returns the columns in which two layouts differ, in order and apart.
func damage(old, now *layout, s sizes) [][2]int {
	var out [][2]int
	add := func(a, b []piece) {
		for i := range a {
			if !slices.ContainsFunc(b, func(p piece) bool {
				return p.x == a[i].x && p.w == a[i].w && looksLike(&p.Run, &a[i].Run)
			}) {
				out = append(out, a[i].extent(s))
			}
		}
	}
	add(old.pieces, now.pieces)
	add(now.pieces, old.pieces)
	return merge(out, s.width)
}

func looksLike(a, b *status.Run) bool {
	x, y := *a, *b
	x.Name, x.Hover, x.Clicks = y.Name, y.Hover, y.Clicks
	return x.Equal(y)
}

// merge joins columns that touch and keeps them within the bar.
func merge(columns [][2]int, width int) [][2]int {
	slices.SortFunc(columns, func(a, b [2]int) int { return a[0] - b[0] })
	var out [][2]int
	for _, c := range columns {
		c[0], c[1] = max(c[0], 0), min(c[1], width)
		if c[0] >= c[1] {
			continue
		}
		if n := len(out); n > 0 && c[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], c[1])
			continue
		}
		out = append(out, c)
	}
	return out
}

// painter paints layouts.
type painter struct {
	fonts *draw.Fonts
	theme Theme
	sizes
	bottom bool // the bar is at the bottom: its edge is above
}

func (p *painter) style(s status.Style) draw.Style { return draw.Style{Size: p.font, Bold: s.Bold} }

func (p *painter) measure(r status.Run) float32 {
	if r.Graph != nil {
		return p.graphWidth(r.Graph)
	}
	return p.fonts.Text(r.Text, p.style(r.Style)).Width
}

func (p *painter) graphWidth(g *status.Graph) float32 {
	if g.Meter {
		// A cell of a meter is as wide as a letter is.
		return float32(math.Round(float64(float32(g.Cells)*p.font*0.55))) + 2*p.aside()
	}
	return float32(g.Cells)*p.cell + 2*p.aside()
}

// paint paints the columns of im.W from x0 on; hover is the area under the
// pointer, -1 for none.
func (p *painter) paint(im *draw.Image, x0 int, l *layout, hover int) {
	im.Clear(im.Bounds(), p.theme.Background)
	edge := max(int(p.scale), 1)
	line := image.Rect(0, p.height-edge, im.W, p.height)
	if p.bottom {
		line = image.Rect(0, 0, im.W, edge)
	}
	im.Clear(line, p.theme.Edge)
	if hover >= 0 && hover < len(l.areas) {
		a := &l.areas[hover]
		r := p.box(a.x0-4*p.scale, a.x1+4*p.scale, 3*p.scale).Sub(image.Pt(x0, 0))
		im.RoundRect(r, 4*p.scale, p.theme.Hover)
	}
	p.grounds(im, float32(x0), l.pieces)
	for i := range l.pieces {
		q := &l.pieces[i]
		e := q.extent(p.sizes)
		if e[1] <= x0 || e[0] >= x0+im.W {
			continue
		}
		p.piece(im, q, q.x-float32(x0))
	}
}

// box is a rectangle over the bar's height less a margin, within its inner side.
func (p *painter) box(x0, x1, margin float32) image.Rectangle {
	edge := max(int(p.scale), 1)
	m := int(math.Round(float64(margin)))
	r := image.Rect(int(math.Floor(float64(x0))), m, int(math.Ceil(float64(x1))), p.height-edge-m)
	if p.bottom {
		r = r.Add(image.Pt(0, edge))
	}
	return r
}

// grounds paints what pieces stand on, neighbours of one colour as one.
func (p *painter) grounds(im *draw.Image, x0 float32, pieces []piece) {
	for i := 0; i < len(pieces); {
		_, bg, ground := p.theme.ink(pieces[i].Style)
		from, to := pieces[i].x, pieces[i].x+pieces[i].w
		for i++; ground && i < len(pieces) && pieces[i].x-to < 1; i++ {
			_, next, more := p.theme.ink(pieces[i].Style)
			if !more || next != bg {
				break
			}
			to = pieces[i].x + pieces[i].w
		}
		if ground {
			im.RoundRect(p.box(from-x0, to-x0, 4*p.scale), 4*p.scale, bg)
		}
	}
}

func (p *painter) piece(im *draw.Image, q *piece, x float32) {
	fg, _, _ := p.theme.ink(q.Style)
	switch {
	case q.Graph != nil && q.Graph.Meter:
		p.meter(im, q, x, fg)
	case q.Graph != nil:
		p.spark(im, q, x, fg)
	default:
		t := p.fonts.Fit(q.Text, p.style(q.Style), q.w+0.5)
		whole := p.box(0, 0, 0)
		y := whole.Min.Y + int(math.Round(float64((float32(whole.Dy())-t.Ascent-t.Descent)/2+t.Ascent)))
		im.Text(p.fonts, t, x, y, fg)
		if q.Underline {
			under := int(math.Round(float64(x)))
			im.Fill(image.Rect(under, y+int(2*p.scale), under+int(t.Width), y+int(3*p.scale)), fg)
		}
	}
}

// aside is the room at both sides of a graph, which a space alone leaves small.
func (p *painter) aside() float32 { return 2 * p.scale }

// spark paints a history as columns, the newest at the right.
func (p *painter) spark(im *draw.Image, q *piece, x float32, fg draw.Color) {
	if q.FG == "" && !q.Reverse && !q.Dim {
		fg = p.theme.Accent
	}
	room := p.box(x+p.aside(), x+q.w-p.aside(), float32(p.height)*0.24)
	bar := max(int(p.cell)-max(int(p.scale), 1), 1)
	full := room.Dy()
	low := max(int(p.scale), 1)
	at := room.Min.X + q.Graph.Cells*int(p.cell) - len(q.Graph.Values)*int(p.cell)
	for cell := room.Min.X; cell < at; cell += int(p.cell) {
		im.Fill(image.Rect(cell, room.Max.Y-low, cell+bar, room.Max.Y), fg.Alpha(70))
	}
	for _, v := range q.Graph.Values {
		h := max(int(math.Round(v*float64(full))), low)
		im.Fill(image.Rect(at, room.Max.Y-h, at+bar, room.Max.Y), fg)
		at += int(p.cell)
	}
}

// meter paints how much of a track is full.
func (p *painter) meter(im *draw.Image, q *piece, x float32, fg draw.Color) {
	if q.FG == "" && !q.Reverse && !q.Dim {
		fg = p.theme.Accent
	}
	high := max(float32(math.Round(float64(p.height)*0.2)), 3)
	track := p.box(x+p.aside(), x+q.w-p.aside(), 0)
	middle := (track.Min.Y + track.Max.Y) / 2
	track.Min.Y, track.Max.Y = middle-int(high)/2, middle-int(high)/2+int(high)
	im.RoundRect(track, high/2, fg.Alpha(60))
	fill := track
	fill.Max.X = track.Min.X + int(math.Round(q.Graph.Values[0]*float64(track.Dx())))
	if fill.Dx() > 0 {
		// Nothing smaller than a dot can have round ends.
		fill.Max.X = max(fill.Max.X, fill.Min.X+int(high))
		im.RoundRect(fill, high/2, fg)
	}
}
