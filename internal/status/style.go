package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/printable"
)

// Style is how text looks. A colour is "" for the viewer's own, one of the
// sixteen names of a terminal, or #rrggbb.
type Style struct {
	FG        string `json:"fg,omitempty"`
	BG        string `json:"bg,omitempty"`
	Bold      bool   `json:"bold,omitempty"`
	Dim       bool   `json:"dim,omitempty"`
	Italic    bool   `json:"italic,omitempty"`
	Underline bool   `json:"underline,omitempty"`
	Reverse   bool   `json:"reverse,omitempty"`
}

// Names are the sixteen colours that have one, in the order of a terminal.
var names = [...]string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"brightblack", "brightred", "brightgreen", "brightyellow", "brightblue", "brightmagenta", "brightcyan", "brightwhite",
}

// ColourIndex returns the number that a terminal gives a colour's name.
func ColourIndex(name string) (int, bool) {
	i := slices.Index(names[:], name)
	return i, i >= 0
}

// part says to which side of a bar text belongs.
type part uint8

const (
	left part = iota
	centre
	right
)

// pen is what a style changes.
type pen struct {
	style  Style
	part   part
	name   string
	hover  string
	clicks []string
}

// change is what one attribute does to a pen.
type change func(*pen)

// buttons is how many buttons a click can name: left, middle, right, scroll up
// and scroll down, as X counts them.
const buttons = 5

// styles reads what stands between `#[` at open and the bracket at end.
func (p *parser) styles(open, end, depth int) (node, bool) {
	n := node{kind: kindStyle}
	for _, cut := range p.split(open+2, end) {
		lo, hi := cut[0], cut[1]
		for lo < hi && isSpace(p.s[lo]) {
			lo++
		}
		key, _, has := strings.Cut(p.s[lo:hi], "=")
		key = strings.TrimSpace(key)
		if has && freeText(key) {
			from := lo + strings.IndexByte(p.s[lo:hi], '=') + 1
			n.style = append(n.style, attribute{key: key, value: p.nodes(from, hi, depth)})
			continue
		}
		value := p.nodes(lo, hi, depth)
		if !constant(value) {
			n.style = append(n.style, attribute{value: value})
			continue
		}
		for _, word := range words(textOf(value)) {
			c, problem := parseAttribute(word)
			if problem != "" {
				p.fault(lo, problem, "use fg=, bg=, bold, dim, italics, underscore, reverse, default, align=, range=, click= or hover=")
				return node{}, false
			}
			n.style = append(n.style, attribute{change: c})
		}
	}
	return n, true
}

func textOf(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.text)
	}
	return b.String()
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r < 0x80 && isSpace(byte(r)) })
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// freeText reports whether what the key is set to runs to the next comma.
func freeText(key string) bool {
	_, ok := clickButton(key)
	return ok || key == "hover" || key == "range"
}

// clickButton reads click, click1, …, click5.
func clickButton(key string) (int, bool) {
	rest, ok := strings.CutPrefix(key, "click")
	if !ok {
		return 0, false
	}
	if rest == "" {
		return 1, true
	}
	return int(rest[0] - '0'), len(rest) == 1 && rest[0] >= '1' && rest[0] <= '0'+buttons
}

// setFreeText applies a key of freeText.
func (p *pen) setFreeText(key, value string) {
	value = printable.Line(value)
	if b, ok := clickButton(key); ok {
		// A pen's clicks are shared with the runs that it wrote.
		clicks := make([]string, max(b, len(p.clicks)))
		copy(clicks, p.clicks)
		clicks[b-1] = value
		p.clicks = clicks
		return
	}
	if key == "hover" {
		p.hover = value
		return
	}
	p.name = strings.TrimPrefix(value, "user|")
}

// parseAttribute reads one word of a style.
func parseAttribute(word string) (change, string) {
	key, value, has := strings.Cut(word, "=")
	if has {
		return parseSetting(key, value)
	}
	on := true
	switch word {
	case "default":
		return func(p *pen) { p.style = Style{} }, ""
	case "none", "noattr":
		return func(p *pen) { p.style = Style{FG: p.style.FG, BG: p.style.BG} }, ""
	case "noalign":
		return func(p *pen) { p.part = left }, ""
	case "norange":
		return func(p *pen) { p.name, p.clicks, p.hover = "", nil, "" }, ""
	case "noclick":
		return func(p *pen) { p.clicks = nil }, ""
	case "nohover":
		return func(p *pen) { p.hover = "" }, ""
	}
	if rest, ok := strings.CutPrefix(word, "no"); ok {
		word, on = rest, false
	}
	switch word {
	case "bold", "bright":
		return func(p *pen) { p.style.Bold = on }, ""
	case "dim":
		return func(p *pen) { p.style.Dim = on }, ""
	case "italics":
		return func(p *pen) { p.style.Italic = on }, ""
	case "underscore":
		return func(p *pen) { p.style.Underline = on }, ""
	case "reverse":
		return func(p *pen) { p.style.Reverse = on }, ""
	}
	return nil, strconv.Quote(short(word)) + " is no style"
}

func parseSetting(key, value string) (change, string) {
	switch key {
	case "fg", "bg":
		c, ok := colour(value)
		if !ok {
			return nil, strconv.Quote(short(value)) + " is no colour: write #rrggbb, colour0 to colour255, default, or a name such as red or brightred"
		}
		if key == "fg" {
			return func(p *pen) { p.style.FG = c }, ""
		}
		return func(p *pen) { p.style.BG = c }, ""
	case "align":
		to, ok := map[string]part{"left": left, "centre": centre, "center": centre, "absolute-centre": centre, "right": right}[value]
		if !ok {
			return nil, strconv.Quote(short(value)) + " is no side: write left, centre or right"
		}
		// A range ends where its side does.
		return func(p *pen) { p.part, p.name, p.clicks, p.hover = to, "", nil, "" }, ""
	}
	return nil, strconv.Quote(short(key)) + " is no style"
}

// colour reads a colour as tmux writes them.
func colour(s string) (string, bool) {
	s = strings.ToLower(s)
	if s == "default" || s == "terminal" {
		return "", true
	}
	if rest, ok := strings.CutPrefix(s, "#"); ok {
		_, err := strconv.ParseUint(rest, 16, 32)
		return s, err == nil && len(rest) == 6
	}
	if _, ok := ColourIndex(s); ok {
		return s, true
	}
	rest, ok := strings.CutPrefix(s, "colour")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "color"); !ok {
			return "", false
		}
	}
	n, err := strconv.ParseUint(rest, 10, 8)
	if err != nil {
		return "", false
	}
	return indexed(int(n)), true
}

// indexed is a colour of the terminal's 256: the named ones, a cube of six
// levels a side, and a ramp of greys.
func indexed(n int) string {
	if n < len(names) {
		return names[n]
	}
	if n >= 232 {
		v := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	n -= 16
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
