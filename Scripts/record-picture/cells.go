package main

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how a cell is drawn. Colours are -1 for the terminal's own.
type look struct {
	fg, bg                 int
	bold, faint, underline bool
}

var plainLook = look{fg: -1, bg: -1}

// run is text of one look in one line, from that column on.
type run struct {
	text          string
	column, width int
	look          look
}

// parse takes apart what `tmux capture-pane -e` printed. Each cluster that is
// not plain ASCII is a run of its own, so that a drawn one that is wider or
// narrower than its cells moves nothing. A style goes on over line ends.
func parse(capture string) (lines [][]run) {
	now := plainLook
	for _, text := range strings.Split(strings.TrimRight(capture, "\n"), "\n") {
		var runs []run
		column := 0
		for text != "" {
			if seq, rest, ok := style(text); ok {
				now.apply(seq)
				text = rest
				continue
			}
			cluster, width := ansi.FirstGraphemeCluster(text, ansi.WcWidth)
			text = text[len(cluster):]
			last := len(runs) - 1
			if last >= 0 && runs[last].look == now && len(cluster) == 1 && len(runs[last].text) == runs[last].width {
				runs[last].text += cluster
				runs[last].width += width
			} else {
				runs = append(runs, run{cluster, column, width, now})
			}
			column += width
		}
		lines = append(lines, runs)
	}
	return lines
}

// style takes an SGR sequence off text.
func style(text string) (params []int, rest string, ok bool) {
	body, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return nil, text, false
	}
	list, rest, ok := strings.Cut(body, "m")
	if !ok {
		return nil, text, false
	}
	for _, p := range strings.Split(list, ";") {
		n, err := strconv.Atoi(p)
		if err != nil && p != "" {
			return nil, text, false
		}
		params = append(params, n)
	}
	return params, rest, true
}

// apply changes the look as SGR parameters say.
func (l *look) apply(params []int) {
	for i := 0; i < len(params); i++ {
		switch p := params[i]; {
		case p == 0:
			*l = plainLook
		case p == 1:
			l.bold = true
		case p == 2:
			l.faint = true
		case p == 4:
			l.underline = true
		case p == 22:
			l.bold, l.faint = false, false
		case p == 24:
			l.underline = false
		case p >= 30 && p <= 37:
			l.fg = p - 30
		case p == 39:
			l.fg = -1
		case p >= 40 && p <= 47:
			l.bg = p - 40
		case p == 49:
			l.bg = -1
		case p >= 90 && p <= 97:
			l.fg = p - 90 + 8
		case (p == 38 || p == 48) && i+2 < len(params) && params[i+1] == 5:
			if p == 38 {
				l.fg = params[i+2]
			} else {
				l.bg = params[i+2]
			}
			i += 2
		}
	}
}
