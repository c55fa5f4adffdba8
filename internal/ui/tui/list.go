package tui

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/flash-launcher/flash/internal/ui/choose"
)

// item is one line of a list.
type item struct {
	id       string
	sign     string // before the title
	title    string
	marks    [][2]int // byte ranges of the title
	subtitle string
	badge    string
	style    ansi.Style // of the title
	checked  bool
}

// list is lines to choose from. They are made as they show: there may be a
// million of them.
type list struct {
	choose.List
	item func(i int) item
}

// set replaces the lines. find returns the place of an id, -1 if it is gone.
func (l *list) set(n int, item func(int) item, find func(id string) int) {
	l.item = item
	l.Set(n, func(i int) string { return item(i).id }, find)
}

// selected is the chosen item, if there is one.
func (l *list) selected() (item, bool) {
	if l.At() < 0 {
		return item{}, false
	}
	return l.item(l.At()), true
}
