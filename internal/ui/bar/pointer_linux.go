package bar

import (
	"image"
	"math"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

// tipDelay is how long the pointer rests on a part before its hover text shows;
// on its way over the bar it asks for none.
const tipDelay = 400 * time.Millisecond

// point notes where the pointer is; -1 is outside.
func (b *Bar) point(x int) {
	if x == b.pointer {
		return
	}
	b.pointer = x
	b.light()
	b.retip()
}

// under is the area under the pointer, -1 for none.
func (b *Bar) under() int {
	if b.pointer < 0 {
		return -1
	}
	return b.lay.at(float32(b.pointer))
}

// lit is the area that lights up: what does nothing does not.
func (b *Bar) lit() int {
	if i := b.under(); i >= 0 && len(b.lay.areas[i].Clicks) > 0 {
		return i
	}
	return -1
}

// light paints the area under the pointer as such, and the last one not.
func (b *Bar) light() {
	before := b.hover
	b.hover = b.lit()
	if before == b.hover {
		return
	}
	cursor := xproto.Cursor(xproto.CursorNone)
	if b.hover >= 0 {
		cursor = b.handCursor()
	}
	xproto.ChangeWindowAttributes(b.Loop.Conn.Conn, b.win.id, xproto.CwCursor, []uint32{uint32(cursor)})
	var columns [][2]int
	for _, i := range [...]int{before, b.hover} {
		if i >= 0 && i < len(b.lay.areas) {
			a := &b.lay.areas[i]
			p := piece{x: a.x0, w: a.x1 - a.x0}
			columns = append(columns, p.extent(b.paint.sizes))
		}
	}
	b.draw(merge(columns, b.paint.width))
}

func (b *Bar) click(x, button int) {
	i := b.lay.at(float32(x))
	if i < 0 {
		return
	}
	if action := b.lay.areas[i].Click(button); action != "" && b.Clicked != nil {
		b.untip()
		b.Clicked(action, button)
	}
}

// retip brings the hover text in line with what is under the pointer.
func (b *Bar) retip() {
	text := ""
	if i := b.under(); i >= 0 && b.hidden == 0 {
		text = b.lay.areas[i].tip()
	}
	switch {
	case text == b.tipText:
	case text == "":
		b.untip()
	case b.tip != nil:
		// From one part to the next, or to the part's next value, it goes along.
		b.tipText = text
		b.showTip()
	default:
		b.untip()
		b.tipText = text
		n := b.tips
		b.tipTimer = b.Clock.AfterFunc(tipDelay, func() {
			b.Loop.Do(func() {
				if n == b.tips && b.win != nil {
					b.showTip()
				}
			})
		})
	}
}

func (b *Bar) untip() {
	b.tips++
	b.tipText = ""
	if b.tipTimer != nil {
		b.tipTimer.Stop()
		b.tipTimer = nil
	}
	if b.tip != nil {
		b.tip.destroy()
		b.tip = nil
	}
}

// Hover text is wrapped at tipWidth points and cut after tipLines lines.
const (
	tipWidth = 520
	tipLines = 12
)

func (b *Bar) showTip() {
	i := b.under()
	if i < 0 {
		return
	}
	s := b.paint.scale
	style := draw.Style{Size: b.paint.font}
	var texts []*draw.Text
	widest := float32(0)
	for _, l := range b.Fonts.Wrap(b.tipText, style, tipWidth*s, tipLines) {
		t := b.Fonts.Text(b.tipText[l.From:l.To], style)
		texts = append(texts, t)
		widest = max(widest, t.Width)
	}
	if len(texts) == 0 {
		return
	}
	lineHeight := int(math.Ceil(float64((texts[0].Ascent + texts[0].Descent) * 1.25)))
	padX, padY := int(10*s), int(6*s)
	w, h := int(math.Ceil(float64(widest)))+2*padX, len(texts)*lineHeight+2*padY

	a := &b.lay.areas[i]
	x := b.place.x + int((a.x0+a.x1)/2) - w/2
	x = max(b.place.x+padY, min(x, b.place.x+b.place.w-w-padY))
	y := b.win.y + b.paint.height + int(5*s)
	if b.paint.bottom {
		y = b.win.y - h - int(5*s)
	}
	if b.tip == nil {
		t, err := b.newSurface(x, y, w, h, true)
		if err != nil {
			b.Logger.Warn("hover text cannot be shown", "error", err.Error())
			return
		}
		b.tip = t
	} else {
		b.tip.resize(x, y, w, h)
	}
	im := b.tip.image(w, h)
	im.Clear(im.Bounds(), b.paint.theme.Tip)
	edge := max(int(s), 1)
	for _, r := range [...]image.Rectangle{image.Rect(0, 0, w, edge), image.Rect(0, h-edge, w, h), image.Rect(0, 0, edge, h), image.Rect(w-edge, 0, w, h)} {
		im.Clear(r, b.paint.theme.TipEdge)
	}
	for k, t := range texts {
		top := padY + k*lineHeight + (lineHeight-int(t.Ascent+t.Descent))/2
		im.Text(b.Fonts, t, float32(padX), top+int(math.Round(float64(t.Ascent))), b.paint.theme.Text)
	}
	b.tip.put(im, 0, 0)
	b.tip.show()
}
