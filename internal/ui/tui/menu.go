package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// actionForget is the one action after which the flashlight stays open: it is
// about the list, not about leaving it.
const actionForget = "forget"

// menu is what can be done with one row, filtered by what is typed.
type menu struct {
	screen
	entry   control.SessionEntry
	title   string
	actions []control.SessionAction
	rows    *match.Index
	search  match.Searcher
	shown   []int // places in actions
	marks   [][][2]int
}

// openMenu shows the actions that the resident told.
func (m *flashlight) openMenu(msg actionsMsg) {
	switch {
	case msg.err != nil:
		m.status = notice{text: msg.err.Error(), warn: true}
		return
	case msg.entry.Generation != m.generation:
		return
	case len(msg.actions.Actions) == 0:
		m.status = notice{text: "there is nothing to do with this", warn: true}
		return
	}
	menu := &menu{screen: m.screen, entry: msg.entry, title: msg.actions.Title, actions: msg.actions.Actions}
	menu.prompt, menu.list = prompt{}, list{}
	rows := make([]protocol.Row, len(menu.actions))
	for i, a := range menu.actions {
		rows[i].Title = a.Title
	}
	menu.rows = match.NewIndex(rows)
	menu.filter()
	m.menu = menu
}

// filter finds the actions that what is typed means.
func (m *menu) filter() {
	m.list.reset()
	m.shown, m.marks = nil, nil
	hits := m.search.Search(context.Background(), []*match.Index{m.rows}, m.prompt.text, match.Options{Limit: len(m.actions)})
	for _, h := range hits {
		m.shown = append(m.shown, h.Row)
		m.marks = append(m.marks, marksOf(m.rows, h, m.search.Query()))
	}
	if m.search.Query().Empty() {
		for i := range m.actions {
			m.shown = append(m.shown, i)
		}
		m.marks = make([][][2]int, len(m.shown))
	}
	m.list.set(len(m.shown), func(i int) item {
		a := m.actions[m.shown[i]]
		return item{id: a.ID, title: a.Title, marks: m.marks[i], style: m.theme.title}
	}, func(string) int { return 0 })
}

// marksOf is what of a hit's title the query stands for.
func marksOf(ix *match.Index, h match.Hit, q *match.Query) [][2]int {
	var out [][2]int
	for _, s := range ix.Highlights(nil, h.Row, q, h.Tier, h.Field) {
		out = append(out, [2]int{s.From, s.To})
	}
	return out
}

func (m *flashlight) menuKey(key tea.KeyPressMsg) tea.Cmd {
	m.status = notice{}
	switch key.String() {
	case "esc", "ctrl+k":
		m.menu = nil
	case "enter", "ctrl+j":
		return m.runMenu()
	default:
		if !m.menu.navigate(key) && m.menu.edit(key) {
			m.menu.filter()
		}
	}
	return nil
}

// runMenu carries out the chosen action.
func (m *flashlight) runMenu() tea.Cmd {
	it, ok := m.menu.list.selected()
	if !ok || m.acting {
		return nil
	}
	e := m.menu.entry
	e.Action = it.id
	m.menu, m.acting = nil, true
	return m.resident.act(e)
}

// draw draws the menu in place of the list.
func (m *menu) draw(status notice) tea.View {
	if status.text == "" {
		status.text = m.title
	}
	m.sign = "actions " + m.theme.promptSign
	return m.view(count(m.list.len, false, ""), "No action is called that.", nil, status)
}
