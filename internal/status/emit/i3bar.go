package emit

import (
	"bytes"
	"encoding/json"

	"github.com/flash-launcher/flash/internal/status"
)

// i3bar is the protocol of i3bar and swaybar: an endless JSON array of lines,
// each an array of blocks. A hidden bar asks for silence by the stop signal,
// which a program can obey better than being frozen.
type i3bar struct{}

type i3header struct {
	Version     int  `json:"version"`
	ClickEvents bool `json:"click_events"`
	Stop        int  `json:"stop_signal,omitempty"`
	Continue    int  `json:"cont_signal,omitempty"`
}

type block struct {
	Name     string `json:"name,omitempty"`
	FullText string `json:"full_text"`
	Markup   string `json:"markup,omitempty"`
	// The template brings its own separators.
	Separator bool `json:"separator"`
	Width     int  `json:"separator_block_width"`
}

func (i3bar) Begin() string {
	return line(i3header{Version: 1, ClickEvents: true, Stop: StopSignal, Continue: ContinueSignal}) + "[\n"
}

func (i3bar) Say(message string) string { return i3bar{}.Line(state(message)) }

func (i3bar) Line(l status.Line) string {
	blocks := []block{}
	for i, part := range [...][]status.Run{l.Left, l.Centre, l.Right} {
		if i > 0 && len(part) > 0 && len(blocks) > 0 {
			blocks = append(blocks, block{FullText: gap})
		}
		for _, g := range status.Groups(part) {
			b := block{Name: g.Name, FullText: g.Text()}
			if marked := pango(g.Runs); styled(g.Runs) {
				b.FullText, b.Markup = marked, "pango"
			}
			blocks = append(blocks, b)
		}
	}
	data := line(blocks)
	return data[:len(data)-1] + ",\n"
}

func styled(runs []status.Run) bool {
	for _, r := range runs {
		if r.Style != (status.Style{}) {
			return true
		}
	}
	return false
}

// line is v as one line of JSON with literal <, > and &.
func line(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// Strings, numbers and booleans always encode.
	_ = e.Encode(v)
	return b.String()
}

// Click is one press that a bar tells of.
type Click struct {
	Name   string `json:"name"`
	Button int    `json:"button"`
}

// ParseClick reads one line of i3bar's click events, which make an endless array
// too. False is a line without one.
func ParseClick(data []byte) (Click, bool) {
	data = bytes.TrimLeft(data, "[, \t")
	var c Click
	if len(data) == 0 || json.Unmarshal(data, &c) != nil || c.Name == "" || c.Button < 1 {
		return Click{}, false
	}
	return c, true
}

// waybar is the JSON of a custom module with `return-type: json`.
type waybar struct{}

type waybarLine struct {
	Text    string `json:"text"`
	Tooltip string `json:"tooltip"`
	Class   string `json:"class"`
}

func (waybar) Begin() string { return "" }

func (waybar) Say(message string) string {
	return line(waybarLine{Tooltip: escape(message), Class: "off"})
}

func (waybar) Line(l status.Line) string {
	var text, tip bytes.Buffer
	for _, part := range [...][]status.Run{l.Left, l.Centre, l.Right} {
		if len(part) > 0 && text.Len() > 0 {
			text.WriteString(gap)
		}
		text.WriteString(pango(part))
	}
	told := map[string]bool{}
	for _, g := range groups(l) {
		if g.Hover == "" || told[g.Hover] {
			continue
		}
		told[g.Hover] = true
		if tip.Len() > 0 {
			tip.WriteByte('\n')
		}
		tip.WriteString(escape(g.Hover))
	}
	w := waybarLine{Text: text.String(), Tooltip: tip.String(), Class: "flash"}
	if l.Empty() {
		w.Class = "empty"
	}
	return line(w)
}
