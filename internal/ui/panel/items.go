package panel

import (
	"strings"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/protocol"
)

// items are the lines of a view: answers, then completions, then rows.
func (m *model) items(v *flashlight.View) []item {
	out := make([]item, 0, v.Count())
	add := func(it item) {
		i := len(out)
		it.id, it.title, it.subtitle = v.EntryID(i), printable.Line(it.title), printable.Line(it.subtitle)
		if it.verb == "" {
			it.verb = v.EnterTitle(i)
		}
		out = append(out, it)
	}
	for i := range v.Answers {
		a := &v.Answers[i]
		add(item{kind: answer, title: a.Title, subtitle: a.Subtitle, badge: a.Plugin, icon: Icon{Text: "="}})
	}
	for i := range v.Completions {
		c := &v.Completions[i]
		it := item{kind: completion, title: c.Label, subtitle: c.Detail, badge: c.Plugin, value: c.Value, verb: "Take it"}
		if c.Label != "" {
			it.icon.Text = c.Label[:1] // "@", "!" or ":"
		}
		add(it)
	}
	for i := range v.Rows {
		r := &v.Rows[i]
		it := item{kind: row, title: r.Title, subtitle: r.Subtitle, badge: strings.TrimPrefix(r.Source, "core."), preview: m.preview(r)}
		if printable.Line(r.Title) == r.Title {
			it.marks = r.Highlights // they count bytes of the title as it came
		}
		add(it)
	}
	return out
}

// iconOf asks for the icon of a line when it is painted: a list has more lines
// than show.
func (m *model) iconOf(i int) Icon {
	it := &m.list.items[i]
	n := len(m.view.Answers) + len(m.view.Completions)
	if it.kind == row && m.icon != nil && i-n >= 0 && i-n < len(m.view.Rows) {
		return m.icon(&m.view.Rows[i-n])
	}
	return it.icon
}

// previewBytes bounds a previewed text.
const previewBytes = 8 << 10

// previewOf is the text that a row copies or inserts, where the title does not
// say all of it.
func previewOf(r *flashlight.Row) string {
	switch r.Row.Effect.Type {
	case protocol.EffectCopyText, protocol.EffectInsertText:
	default:
		return ""
	}
	text := r.Row.Effect.Text
	if len(text) > previewBytes {
		text = strings.ToValidUTF8(text[:previewBytes], "") + "…"
	}
	if text == r.Title || !strings.Contains(strings.TrimSpace(text), "\n") && len(text) < 60 {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable.Line(strings.ReplaceAll(lines[i], "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
