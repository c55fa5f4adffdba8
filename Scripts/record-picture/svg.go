package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Sizes in the picture's own units: a cell of the monospace fonts that browsers
// have is 0.6 of the font's size wide.
const (
	fontSize   = 15.0
	cellWidth  = 9.0
	cellHeight = 22.0
	margin     = 18.0
	titleBar   = 38.0
)

// The palette: the sixteen colours by their numbers, and what the terminal's
// own are.
var palette = [16]string{
	"#15161e", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#a9b1d6",
	"#565f89", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#c0caf5",
}

const (
	background = "#1a1b26"
	foreground = "#c0caf5"
	frameColor = "#2a2c3d"
)

// frame is one moment of the recording.
type frame struct {
	lines [][]run
	x, y  int // the cursor
	lasts time.Duration
}

// picture draws the frames one after the other, for ever. Who wants no motion,
// or cannot show any, gets the still one.
func picture(frames []frame, columns, rows, still int) string {
	width := float64(columns)*cellWidth + 2*margin
	height := float64(rows)*cellHeight + titleBar + margin
	var total time.Duration
	for _, f := range frames {
		total += f.lasts
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="The flashlight in a terminal: rows as one types, an answer to a sum, emojis, and the actions of a row">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<style>\ntext { font: %gpx ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: %s; white-space: pre }\n", fontSize, foreground)
	b.WriteString(".b { font-weight: 700 } .f { fill-opacity: .55 } .u { text-decoration: underline }\n")
	b.WriteString("g.s { visibility: hidden }\n")
	fmt.Fprintf(&b, "g#s%d { visibility: visible }\n", still)
	b.WriteString("@media (prefers-reduced-motion: no-preference) {\n")
	at := time.Duration(0)
	for i, f := range frames {
		from, to := percent(at, total), percent(at+f.lasts, total)
		fmt.Fprintf(&b, "g#s%d { animation: s%d %gs steps(1) infinite }\n@keyframes s%d { 0%% { visibility: %s } ", i, i, total.Seconds(), i, visible(i == 0))
		if i > 0 {
			fmt.Fprintf(&b, "%s { visibility: visible } ", from)
		}
		fmt.Fprintf(&b, "%s { visibility: %s } }\n", to, visible(i == len(frames)-1))
		at += f.lasts
	}
	b.WriteString("}\n</style>\n")
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%g" height="%g" rx="10" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, background, frameColor)
	for i, c := range []string{"#f7768e", "#e0af68", "#9ece6a"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="19" r="6" fill="%s"/>`, 22+20*i, c)
	}
	fmt.Fprintf(&b, `<text x="%g" y="24" text-anchor="middle" class="f">flash open</text>`+"\n", width/2)
	// Most lines show in many frames, so each is written once.
	d := drawing{ids: map[string]int{}}
	for i, f := range frames {
		fmt.Fprintf(&d.frames, `<g class="s" id="s%d">`, i)
		d.frame(f, columns)
		d.frames.WriteString("</g>\n")
	}
	fmt.Fprintf(&b, "<defs>\n%s</defs>\n%s", d.defs.String(), d.frames.String())
	b.WriteString("</svg>\n")
	return b.String()
}

func visible(yes bool) string {
	if yes {
		return "visible"
	}
	return "hidden"
}

func percent(at, total time.Duration) string {
	return fmt.Sprintf("%.4g%%", 100*float64(at)/float64(total))
}

// drawing is the lines that were drawn, and the frames that use them.
type drawing struct {
	ids          map[string]int
	defs, frames strings.Builder
}

func (d *drawing) frame(f frame, columns int) {
	for y, runs := range f.lines {
		if id, ok := d.line(runs, columns); ok {
			fmt.Fprintf(&d.frames, `<use href="#l%d" y="%g"/>`, id, titleBar+float64(y)*cellHeight)
		}
	}
	fmt.Fprintf(&d.frames, `<rect x="%g" y="%g" width="2" height="%g" fill="%s"/>`, x(min(f.x, columns-1)), titleBar+float64(f.y)*cellHeight+2, cellHeight-4, palette[6])
}

// line returns the number of a drawn line; false for one that shows nothing.
func (d *drawing) line(runs []run, columns int) (int, bool) {
	var b strings.Builder
	for i, r := range runs {
		if r.look.bg >= 0 {
			if i == len(runs)-1 { // erased to the end of the line, which tmux tells nothing of
				r.width = columns - r.column
			}
			fmt.Fprintf(&b, `<rect x="%g" width="%g" height="%g" fill="%s"/>`, x(r.column), float64(r.width)*cellWidth+.3, cellHeight, color(r.look.bg))
		}
	}
	for _, r := range runs {
		r.draw(&b)
	}
	if b.Len() == 0 {
		return 0, false
	}
	id, ok := d.ids[b.String()]
	if !ok {
		id = len(d.ids)
		d.ids[b.String()] = id
		fmt.Fprintf(&d.defs, `<g id="l%d">%s</g>`+"\n", id, b.String())
	}
	return id, true
}

func x(column int) float64 { return margin + float64(column)*cellWidth }

// draw draws the text without the spaces around it; its length is given, so
// that columns stay where they are whatever font there is.
func (r run) draw(b *strings.Builder) {
	text := strings.TrimLeft(r.text, " ")
	column := r.column + len(r.text) - len(text)
	width := r.width - (len(r.text) - len(text))
	trimmed := strings.TrimRight(text, " ")
	width -= len(text) - len(trimmed)
	if trimmed == "" {
		return
	}
	if strings.Trim(trimmed, "─") == "" { // neighbouring dashes leave gaps
		fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="1" fill="%s"/>`, x(column), cellHeight/2, float64(width)*cellWidth, frameColor)
		return
	}
	if trimmed == "▌" {
		fmt.Fprintf(b, `<rect x="%g" width="%g" height="%g" fill="%s"/>`, x(column), cellWidth/2, cellHeight, r.look.fill())
		return
	}
	var class []string
	for _, c := range []struct {
		on   bool
		name string
	}{{r.look.bold, "b"}, {r.look.faint, "f"}, {r.look.underline, "u"}} {
		if c.on {
			class = append(class, c.name)
		}
	}
	fmt.Fprintf(b, `<text x="%g" y="%g"`, x(column), cellHeight*.72)
	if len(class) > 0 {
		fmt.Fprintf(b, ` class="%s"`, strings.Join(class, " "))
	}
	if r.look.fg >= 0 {
		fmt.Fprintf(b, ` style="fill:%s"`, r.look.fill())
	}
	if width > 1 {
		fmt.Fprintf(b, ` textLength="%g"`, float64(width)*cellWidth)
		if len(trimmed) != width {
			b.WriteString(` lengthAdjust="spacingAndGlyphs"`)
		}
	}
	fmt.Fprintf(b, ">%s</text>", html.EscapeString(trimmed))
}

func (l look) fill() string {
	if l.fg < 0 {
		return foreground
	}
	return color(l.fg)
}

// color is a colour by its number of 256.
func color(n int) string {
	switch {
	case n < 16:
		return palette[n]
	case n < 232:
		n -= 16
		level := func(v int) int { return min(v, 1)*55 + v*40 }
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	case n == 237: // the chosen line: in the palette's tint
		return "#292e42"
	}
	v := 8 + (n-232)*10
	return fmt.Sprintf("#%02x%02x%02x", v, v, v)
}
