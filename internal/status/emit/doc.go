// Package emit writes a status line in the words of other bars: i3bar and
// swaybar, waybar, tmux, sketchybar, and plain text for the rest. It asks nobody
// for anything: lines come in, bytes go out.
package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/status"
)

// Format writes lines for one kind of bar.
type Format interface {
	// Begin is what stands before the first line.
	Begin() string
	// Line writes what to send for a line, "" for nothing. It may depend on
	// the lines before, so every line goes through it once.
	Line(l status.Line) string
	// Say is Line for a state of Flash itself, such as that it does not run.
	Say(message string) string
}

var formats = map[string]func() Format{
	"i3bar":      func() Format { return i3bar{} },
	"sketchybar": func() Format { return &sketchybar{} },
	"text":       func() Format { return text{} },
	"tmux":       func() Format { return tmux{} },
	"waybar":     func() Format { return waybar{} },
}

// Names are the formats there are, sorted.
func Names() []string {
	out := make([]string, 0, len(formats))
	for name := range formats {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// New returns the writer of a format.
func New(name string) (Format, error) {
	f, ok := formats[name]
	if !ok {
		return nil, fmt.Errorf("no format is called %q; use %s", name, strings.Join(Names(), ", "))
	}
	return f(), nil
}

// groups are all groups of a line, its parts one after the other.
func groups(l status.Line) []status.Group {
	return slices.Concat(status.Groups(l.Left), status.Groups(l.Centre), status.Groups(l.Right))
}

// plain is the text of a line; its parts stay apart.
func plain(l status.Line) string {
	var parts []string
	for _, part := range [...][]status.Run{l.Left, l.Centre, l.Right} {
		var b strings.Builder
		for _, r := range part {
			b.WriteString(r.Text)
		}
		if s := strings.TrimSpace(b.String()); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, gap)
}

// gap stands between the parts where a bar has no sides.
const gap = "   "

// state is the line of Flash's own state.
func state(message string) status.Line {
	return status.Line{Left: []status.Run{{Text: message, Name: "flash", Style: status.Style{Dim: true}}}}
}

// rgb are the sixteen named colours for bars that know only numbers: those of
// xterm, which read on dark and light alike.
var rgb = [...]string{
	"#000000", "#cd0000", "#00a000", "#b8860b", "#2f6fd8", "#b030b0", "#008b8b", "#d0d0d0",
	"#7f7f7f", "#ff5050", "#30c030", "#e0b000", "#6090ff", "#e060e0", "#20c0c0", "#ffffff",
}

// hex is a colour as #rrggbb, "" for the bar's own.
func hex(colour string) string {
	if i, ok := status.ColourIndex(colour); ok {
		return rgb[i]
	}
	return colour
}

// colours are a style's, after a reversal. A reversed style without colours has
// none to give: the bar's own are not known here.
func colours(s status.Style) (fg, bg string) {
	fg, bg = hex(s.FG), hex(s.BG)
	if s.Reverse {
		fg, bg = bg, fg
	}
	return fg, bg
}
