package panel

import (
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

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

// named is the title as it stands beside the icon, and what was found in it: a
// sign that begins the title does not stand there twice.
func (it *item) named(icon Icon) (string, [][2]int) {
	sign := icon.Text + " "
	if it.kind != row || icon.Text == "" || !strings.HasPrefix(it.title, sign) {
		return it.title, it.marks
	}
	var marks [][2]int
	for _, k := range it.marks {
		if k[1] > len(sign) {
			marks = append(marks, [2]int{max(k[0], len(sign)) - len(sign), k[1] - len(sign)})
		}
	}
	return it.title[len(sign):], marks
}

// list is items to choose from.
type list struct {
	choose.List
	items []item
}

// set replaces the items.
func (l *list) set(items []item) {
	l.items = items
	l.Set(len(items), func(i int) string { return items[i].id }, func(id string) int {
		return slices.IndexFunc(items, func(it item) bool { return it.id == id })
	})
}

// selected is the chosen item, nil if there is none.
func (l *list) selected() *item {
	if l.At() < 0 {
		return nil
	}
	return &l.items[l.At()]
}

// navigate lets a key move the selection, and says whether it was such a key.
func (l *list) navigate(k Key) bool {
	letter := shortcut(k)
	switch {
	case k.Sym == symDown && k.Mods&^Shift == 0, k.Mods == Ctrl && letter == 'n':
		l.Move(1)
	case k.Sym == symUp && k.Mods&^Shift == 0, k.Mods == Ctrl && letter == 'p':
		l.Move(-1)
	case k.Sym == symPageDown:
		l.Page(1)
	case k.Sym == symPageUp:
		l.Page(-1)
	case k.Sym == symHome && k.Mods == Ctrl:
		l.Select(0)
	case k.Sym == symEnd && k.Mods == Ctrl:
		l.Select(l.Len() - 1)
	default:
		return false
	}
	return true
}
