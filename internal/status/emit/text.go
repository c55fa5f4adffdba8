package emit

import (
	"strings"

	"github.com/flash-launcher/flash/internal/status"
)

// text is a plain line each time, for bars that show what a program prints.
type text struct{}

func (text) Begin() string             { return "" }
func (text) Line(l status.Line) string { return plain(l) + "\n" }
func (text) Say(message string) string { return message + "\n" }

// tmux is a line with tmux's styles, for `#(…)` in status-left or status-right.
type tmux struct{}

func (tmux) Begin() string { return "" }

func (tmux) Say(message string) string { return tmux{}.Line(state(message)) }

func (tmux) Line(l status.Line) string {
	var b strings.Builder
	for _, part := range [...][]status.Run{l.Left, l.Centre, l.Right} {
		if len(part) > 0 && b.Len() > 0 {
			b.WriteString(gap)
		}
		for _, g := range status.Groups(part) {
			// tmux keeps fifteen bytes of a range's name and would cut others
			// in two that then do nothing.
			ranged := len(g.Clicks) > 0 && g.Name != "" && len(g.Name) <= 15 && !strings.ContainsAny(g.Name, " ,]#|")
			if ranged {
				b.WriteString("#[range=user|" + g.Name + "]")
			}
			for _, r := range g.Runs {
				style := tmuxStyle(r.Style)
				if style != "" {
					b.WriteString("#[" + style + "]")
				}
				b.WriteString(strings.ReplaceAll(r.Text, "#", "##"))
				if style != "" {
					b.WriteString("#[default]")
				}
			}
			if ranged {
				b.WriteString("#[norange]")
			}
		}
	}
	return b.String() + "\n"
}

func tmuxStyle(s status.Style) string {
	var out []string
	if s.FG != "" {
		out = append(out, "fg="+s.FG)
	}
	if s.BG != "" {
		out = append(out, "bg="+s.BG)
	}
	for _, a := range [...]struct {
		on   bool
		name string
	}{{s.Bold, "bold"}, {s.Dim, "dim"}, {s.Italic, "italics"}, {s.Underline, "underscore"}, {s.Reverse, "reverse"}} {
		if a.on {
			out = append(out, a.name)
		}
	}
	return strings.Join(out, ",")
}
