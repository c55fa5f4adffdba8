package tui

import "github.com/charmbracelet/x/ansi"

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

// list is lines to choose from and the part of them that shows. The selection
// is kept by what is selected, not by its place.
type list struct {
	len    int
	item   func(i int) item
	sel    int    // -1 while there is nothing
	picked string // id of what the user moved to, "" for the top
	top    int    // first line that shows
	height int
}

// set replaces the lines. find returns the place of an id, -1 if it is gone.
func (l *list) set(n int, item func(int) item, find func(id string) int) {
	l.len, l.item, l.sel = n, item, min(0, n-1)
	if l.picked != "" {
		if i := find(l.picked); i >= 0 {
			l.sel = i
		} else {
			l.picked = ""
		}
	}
	l.scroll()
}

// reset forgets where the user was: the list is of another input now.
func (l *list) reset() { l.picked, l.top = "", 0 }

// move moves the selection by that many lines and stops at either end.
func (l *list) move(by int) { l.selectAt(l.sel + by) }

func (l *list) selectAt(i int) {
	if l.len == 0 {
		return
	}
	l.sel = max(0, min(i, l.len-1))
	l.picked = l.item(l.sel).id
	l.scroll()
}

// scroll keeps the selection in what shows.
func (l *list) scroll() {
	l.top = min(l.top, max(0, l.sel))
	l.top = max(l.top, l.sel-l.height+1)
	l.top = max(0, min(l.top, l.len-l.height))
}

// selected is the chosen item, if there is one.
func (l *list) selected() (item, bool) {
	if l.sel < 0 || l.sel >= l.len {
		return item{}, false
	}
	return l.item(l.sel), true
}
