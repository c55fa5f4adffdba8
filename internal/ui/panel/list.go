package panel

import "github.com/flash-launcher/flash/internal/ui/draw"

// item is one line of the list.
type item struct {
	kind     kind
	id       string
	title    string
	marks    [][2]int // byte ranges of the title that were found
	subtitle string
	badge    string
	icon     Icon
	value    string // the input that a completion makes
	preview  string
	verb     string // what Enter does
}

// kind says what an item is.
type kind uint8

const (
	row kind = iota
	answer
	completion
	action
)

// Icon is the picture of a line: of the icon theme or a file, else a text such
// as an emoji, else a tile with the title's first letter.
type Icon struct {
	Name string
	Text string
	// Bitmap is a picture that is at hand already.
	Bitmap *draw.Bitmap
}

// list is items to choose from and the part of them that shows. The selection is
// kept by what is selected, not by its place.
type list struct {
	items  []item
	sel    int    // -1 while there is nothing
	picked string // id of what the user moved to, "" for the top
	top    int    // first item that shows
	height int    // items that have room
}

// set replaces the items.
func (l *list) set(items []item) {
	l.items, l.sel = items, min(0, len(items)-1)
	if l.picked != "" {
		l.picked, l.sel = l.restore(l.picked)
	}
	l.scroll()
}

func (l *list) restore(picked string) (string, int) {
	for i := range l.items {
		if l.items[i].id == picked {
			return picked, i
		}
	}
	return "", min(0, len(l.items)-1)
}

// reset forgets where the user was: the list is of another input now.
func (l *list) reset() { l.picked, l.top, l.sel = "", 0, min(0, len(l.items)-1) }

// move moves the selection by that many items and stops at either end.
func (l *list) move(by int) { l.selectAt(l.sel + by) }

func (l *list) selectAt(i int) {
	if len(l.items) == 0 {
		return
	}
	l.sel = max(0, min(i, len(l.items)-1))
	l.picked = l.items[l.sel].id
	l.scroll()
}

// scroll keeps the selection in what shows.
func (l *list) scroll() {
	l.top = min(l.top, max(0, l.sel))
	l.top = max(l.top, l.sel-l.height+1)
	l.top = max(0, min(l.top, len(l.items)-l.height))
}

// selected is the chosen item, nil if there is none.
func (l *list) selected() *item {
	if l.sel < 0 || l.sel >= len(l.items) {
		return nil
	}
	return &l.items[l.sel]
}

// navigate lets a key move the selection, and says whether it was such a key.
func (l *list) navigate(k Key) bool {
	letter := shortcut(k)
	page := max(1, l.height)
	switch {
	case k.Sym == symDown && k.Mods&^Shift == 0, k.Mods == Ctrl && letter == 'n':
		l.move(1)
	case k.Sym == symUp && k.Mods&^Shift == 0, k.Mods == Ctrl && letter == 'p':
		l.move(-1)
	case k.Sym == symPageDown:
		l.move(page)
	case k.Sym == symPageUp:
		l.move(-page)
	case k.Sym == symHome && k.Mods == Ctrl:
		l.selectAt(0)
	case k.Sym == symEnd && k.Mods == Ctrl:
		l.selectAt(len(l.items) - 1)
	default:
		return false
	}
	return true
}
