package choose

// List is lines to choose from and the part of them that shows. The selection
// is kept by what is selected, not by its place.
type List struct {
	// Height is how many lines have room; Scroll makes a new one count.
	Height int

	n      int
	id     func(i int) string
	at     int    // of the selection
	picked string // id of what the user moved to, "" for the top
	top    int
}

// Set replaces the lines. find returns the place of an id, -1 if it is gone.
func (l *List) Set(n int, id func(i int) string, find func(id string) int) {
	l.n, l.id, l.at = n, id, 0
	if l.picked != "" {
		if i := find(l.picked); i >= 0 {
			l.at = i
		} else {
			l.picked = ""
		}
	}
	l.Scroll()
}

// Len is how many lines there are.
func (l *List) Len() int { return l.n }

// At is the place of the selection, -1 while there is nothing.
func (l *List) At() int { return min(l.at, l.n-1) }

// Top is the first line that shows.
func (l *List) Top() int { return l.top }

// Picked says whether the user moved to what is selected.
func (l *List) Picked() bool { return l.picked != "" }

// Restart selects the first line and forgets that the user moved: the list is of
// another input now.
func (l *List) Restart() { l.picked, l.top, l.at = "", 0, 0 }

// Move moves the selection by that many lines and stops at either end.
func (l *List) Move(by int) { l.Select(l.At() + by) }

// Page moves the selection by that many times what shows.
func (l *List) Page(by int) { l.Move(by * max(1, l.Height)) }

// Select selects a line, the first or the last one for a place beyond.
func (l *List) Select(i int) {
	if l.n == 0 {
		return
	}
	l.at = max(0, min(i, l.n-1))
	l.picked = l.id(l.at)
	l.Scroll()
}

// Scroll keeps the selection in what shows.
func (l *List) Scroll() {
	at := l.At()
	l.top = min(l.top, max(0, at))
	l.top = max(l.top, at-l.Height+1)
	l.top = max(0, min(l.top, l.n-l.Height))
}

// Meant names what Enter means: the selected line, or "" for whatever will come
// first once it is known, if the user did not choose; ok is false when there is
// nothing and nothing comes. fresh says that the lines are of the input as it
// stands, pending that more of them may come.
func (l *List) Meant(fresh, pending bool) (id string, ok bool) {
	switch {
	case fresh && l.n > 0 && (l.Picked() || !pending):
		return l.id(l.At()), true
	case fresh && !pending:
		return "", false
	}
	return "", true
}
