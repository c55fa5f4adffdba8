package status

import (
	"slices"
	"strings"
)

// Graph is the figures behind a run that draws some.
type Graph struct {
	// Values are from 0 to 1, oldest first. A meter has one.
	Values []float64 `json:"values"`
	// Meter is a filled bar instead of a history.
	Meter bool `json:"meter,omitempty"`
	// Cells is how wide it is, in characters.
	Cells int `json:"cells"`
}

func (g *Graph) equal(o *Graph) bool {
	if g == nil || o == nil {
		return g == o
	}
	return g.Meter == o.Meter && g.Cells == o.Cells && slices.Equal(g.Values, o.Values)
}

var blocks = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// spark draws the last numbers of text. They may be parted by anything that is
// no number, and blocks count as eighths of the full height, as a plugin draws
// them. Top is what is full; 0 is the largest number.
func spark(text string, samples int, top float64) (string, *Graph) {
	values, drawn := numbers(text)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > samples {
		values = values[len(values)-samples:]
	}
	if drawn {
		top = 1
	} else if top == 0 {
		top = slices.Max(values)
	}
	var b strings.Builder
	for i, v := range values {
		v = share(v, top)
		values[i] = v
		b.WriteRune(blocks[min(int(v*float64(len(blocks))), len(blocks)-1)])
	}
	return b.String(), &Graph{Values: values, Cells: samples}
}

// numbers reads blocks, or else numbers.
func numbers(text string) (values []float64, drawn bool) {
	for _, r := range text {
		if i := slices.Index(blocks[:], r); i >= 0 {
			values = append(values, float64(i+1)/float64(len(blocks)))
		}
	}
	if len(values) > 0 {
		return values, true
	}
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '[' || r == ']' || r == '|' }) {
		if v, ok := number(f); ok {
			values = append(values, v)
		}
	}
	return values, false
}

func share(v, top float64) float64 {
	if !(top > 0) {
		return 0
	}
	return min(max(v/top, 0), 1)
}

// eighths fill a cell from its left.
var eighths = [...]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'}

// meter draws a bar that is full at top.
func meter(text string, cells int, top float64) (string, *Graph) {
	v, ok := number(text)
	if !ok {
		return "", nil
	}
	if top == 0 {
		top = 100
	}
	v = share(v, top)
	filled := int(v*float64(cells*len(eighths)) + 0.5)
	var b strings.Builder
	for range cells {
		switch {
		case filled >= len(eighths):
			b.WriteRune('█')
		case filled > 0:
			b.WriteRune(eighths[filled])
		default:
			b.WriteRune('░')
		}
		filled = max(0, filled-len(eighths))
	}
	return b.String(), &Graph{Values: []float64{v}, Meter: true, Cells: cells}
}
