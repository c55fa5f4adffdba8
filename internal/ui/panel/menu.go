package panel

import (
	"context"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// menu is what can be done with one entry, filtered by what is typed.
type menu struct {
	choice  flashlight.Choice
	title   string
	actions []flashlight.Action
	rows    *match.Index
	search  match.Searcher
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
	rows := make([]protocol.Row, len(actions))
	for i, a := range actions {
		rows[i].Title = a.Title
	}
	m.rows = match.NewIndex(rows)
	m.list.height = menuRows
	m.filter()
	return m
}

// filter finds the actions that what is typed means.
func (m *menu) filter() {
	m.list.reset()
	items := make([]item, 0, len(m.actions))
	hits := m.search.Search(context.Background(), []*match.Index{m.rows}, m.box.text, match.Options{Limit: len(m.actions)})
	for _, h := range hits {
		it := m.item(h.Row)
		for _, s := range m.rows.Highlights(nil, h.Row, m.search.Query(), h.Tier, h.Field) {
			it.marks = append(it.marks, [2]int{s.From, s.To})
		}
		items = append(items, it)
	}
	if m.search.Query().Empty() {
		for i := range m.actions {
			items = append(items, m.item(i))
		}
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
