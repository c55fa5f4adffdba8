package panel

import (
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/choose"
)

// menu is what can be done with one entry, filtered by what is typed.
type menu struct {
	choice  flashlight.Choice
	title   string
	actions []flashlight.Action
	finder  *choose.Filter
	box     box
	list    list
}

func newMenu(c flashlight.Choice, actions []flashlight.Action) *menu {
	m := &menu{choice: c, actions: actions}
	switch {
	case c.Answer != nil:
		m.title = c.Answer.Title
	case c.Row != nil:
		m.title = c.Row.Title
	}
	titles := make([]string, len(actions))
	for i, a := range actions {
		titles[i] = a.Title
	}
	m.finder = choose.NewFilter(titles)
	m.list.Height = menuRows
	m.filter()
	return m
}

// filter finds the actions that what is typed means.
func (m *menu) filter() {
	m.list.Restart()
	found := m.finder.Find(m.box.Text())
	items := make([]item, len(found))
	for i, f := range found {
		items[i] = m.item(f.Place)
		items[i].marks = f.Marks
	}
	m.list.set(items)
}

func (m *menu) item(i int) item {
	it := item{kind: action, id: m.actions[i].ID, title: m.actions[i].Title}
	if m.actions[i].ID == "" {
		it.badge = "↵"
	}
	return it
}
