package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// line is one line of the screen while it is made: styled text of a known width.
type line struct {
	r     ruler
	width int
	more  string     // what stands for text that had no room
	under ansi.Style // what all of the line is styled with
	b     strings.Builder
	at    int
}

// put adds text within room cells and returns how many it took.
func (l *line) put(text string, style ansi.Style, room int) int {
	return l.putMarked(text, nil, style, nil, room)
}

// putMarked adds text with the byte ranges marks, ascending and apart, in a
// style of their own. A grapheme is marked if a mark touches it.
func (l *line) putMarked(text string, marks [][2]int, style, marked ansi.Style, room int) int {
	room = min(room, l.width-l.at)
	if room <= 0 {
		return 0
	}
	limit := room
	tail := ""
	if !l.r.fits(text, room) {
		tail = l.more
		limit -= l.r.width(tail)
	}
	start, from := l.at, 0
	on := false
	l.begin(style)
	for from < len(text) {
		size, shown, w := l.r.next(text[from:])
		if l.at-start+w > limit {
			break
		}
		for len(marks) > 0 && marks[0][1] <= from {
			marks = marks[1:]
		}
		if now := len(marks) > 0 && marks[0][0] < from+size; now != on {
			on = now
			if on {
				l.begin(append(append(ansi.Style{}, style...), marked...))
			} else {
				l.begin(style)
			}
		}
		l.b.WriteString(shown)
		l.at += w
		from += size
	}
	if tail != "" && limit >= 0 {
		l.b.WriteString(tail)
		l.at += l.r.width(tail)
	}
	l.b.WriteString(ansi.ResetStyle)
	return l.at - start
}

// begin starts a style from nothing: what came before must not shine through.
func (l *line) begin(style ansi.Style) {
	l.b.WriteString(ansi.ResetStyle)
	if len(l.under)+len(style) > 0 {
		l.b.WriteString(append(append(ansi.Style{}, l.under...), style...).String())
	}
}

// padTo fills up with spaces to that column.
func (l *line) padTo(column int) {
	if n := min(column, l.width) - l.at; n > 0 {
		l.begin(nil)
		l.b.WriteString(strings.Repeat(" ", n))
		l.b.WriteString(ansi.ResetStyle)
		l.at += n
	}
}

func (l *line) String() string { return l.b.String() }
