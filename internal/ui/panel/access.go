package panel

import (
	"image"
	"strings"
)

// accessible is a line as those are told of it who have the screen read to them.
type accessible struct {
	label    string
	rect     image.Rectangle
	selected bool
}

// accessible are the lines that show: of the menu where one is open, else of the
// list.
func (m *model) accessible(s *scene) []accessible {
	if m.menu != nil {
		return m.menu.list.accessible(s.actions)
	}
	return m.list.accessible(s.lines)
}

func (l *list) accessible(lines []image.Rectangle) []accessible {
	var out []accessible
	for i, r := range lines {
		if at := l.Top() + i; at < len(l.items) {
			out = append(out, accessible{label: l.items[at].spoken(), rect: r, selected: at == l.At()})
		}
	}
	return out
}

// spoken is how an item reads.
func (it *item) spoken() string {
	parts := []string{it.title}
	for _, p := range [...]string{it.subtitle, it.badge} {
		if p != "" && p != "↵" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// spoken is what there is to read when something changes: what went wrong, else
// what is selected.
func (m *model) spoken() string {
	if m.status.Text != "" {
		return m.status.Text
	}
	l := &m.list
	if m.menu != nil {
		l = &m.menu.list
	}
	if it := l.selected(); it != nil {
		return it.spoken()
	}
	return m.hint()
}

// input is the box that keys are written into.
func (m *model) input() *box {
	if m.menu != nil {
		return &m.menu.box
	}
	return &m.box
}

// units is the length of a text in UTF-16, in which some platforms count.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// unitByte is the byte of a text at a unit of UTF-16.
func unitByte(s string, unit int) int {
	for i, r := range s {
		if unit <= 0 {
			return i
		}
		unit--
		if r > 0xffff {
			unit--
		}
	}
	return len(s)
}
