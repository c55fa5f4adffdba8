package bar

import (
	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// Theme is the bar's colours.
type Theme struct {
	Background draw.Color
	Text       draw.Color
	Muted      draw.Color // dim text, and what a graph stands on
	Accent     draw.Color // graphs
	Edge       draw.Color // the line towards the windows
	Hover      draw.Color // over what can be clicked, under the pointer
	Tip        draw.Color // the background of hover text
	TipEdge    draw.Color
	// Named are the sixteen colours with a name.
	Named [16]draw.Color
}

// Dark is the theme of a dark desktop.
func Dark() Theme {
	return Theme{
		Background: draw.RGB(0x1d1f25),
		Text:       draw.RGB(0xeceef4),
		Muted:      draw.RGB(0x969cab),
		Accent:     draw.RGB(0x7db0ff),
		Edge:       draw.RGB(0x2c2f38),
		Hover:      draw.RGB(0xffffff).Alpha(22),
		Tip:        draw.RGB(0x292c34),
		TipEdge:    draw.RGB(0x3b3f4a),
		Named: named(
			0x3b3d46, 0xf0717a, 0x8fcf74, 0xe6c069, 0x7aa7f7, 0xc792ea, 0x6cc7d1, 0xc9cbd3,
			0x6d6f7a, 0xff8f96, 0xa9e08f, 0xf3d487, 0x9dbfff, 0xdab2f5, 0x8edbe3, 0xffffff),
	}
}

// Light is the theme of a light desktop.
func Light() Theme {
	return Theme{
		Background: draw.RGB(0xfbfbfd),
		Text:       draw.RGB(0x1b1d23),
		Muted:      draw.RGB(0x666c7a),
		Accent:     draw.RGB(0x1f5fd6),
		Edge:       draw.RGB(0xd9dbe2),
		Hover:      draw.RGB(0x000000).Alpha(16),
		Tip:        draw.RGB(0xffffff),
		TipEdge:    draw.RGB(0xc9ccd4),
		Named: named(
			0x202127, 0xc2303b, 0x347d1e, 0x946000, 0x2f66d0, 0x8b3fb0, 0x0f7481, 0x8d8f99,
			0x55575f, 0xdb4953, 0x45992d, 0xb07a0c, 0x4c80e6, 0xa45bc9, 0x2490a0, 0xffffff),
	}
}

// Of is the theme with the colours of Flash's other windows, and for the rest
// the dark or the light one, as the background asks.
func Of(background, text, muted, accent, edge draw.Color) Theme {
	t := Light()
	if background.Luma() < 128 {
		t = Dark()
	}
	t.Background, t.Text, t.Muted, t.Accent, t.Edge, t.TipEdge = background, text, muted, accent, edge, edge
	return t
}

func named(values ...uint32) (out [16]draw.Color) {
	for i, v := range values {
		out[i] = draw.RGB(v)
	}
	return out
}

// colour is a style's colour, or otherwise where it has none of its own.
func (t *Theme) colour(name string, otherwise draw.Color) draw.Color {
	if name == "" {
		return otherwise
	}
	if i, ok := status.ColourIndex(name); ok {
		return t.Named[i]
	}
	if c, ok := draw.ParseColor(name); ok {
		return c
	}
	return otherwise
}

// ink is what a style writes with; ok is whether it also has a ground.
func (t *Theme) ink(s status.Style) (fg, bg draw.Color, ground bool) {
	fg, bg = t.colour(s.FG, t.Text), t.colour(s.BG, t.Background)
	ground = s.BG != ""
	if s.Reverse {
		fg, bg, ground = bg, fg, true
	}
	if s.Dim {
		if s.FG == "" && !s.Reverse {
			fg = t.Muted
		} else {
			fg = fg.Mix(bg, 110)
		}
	}
	return fg, bg, ground
}
