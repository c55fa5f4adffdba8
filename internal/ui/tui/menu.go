package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/edit"
)

// menu is what can be done with one row, filtered by what is typed.
type menu struct {
	screen
	entry   control.SessionEntry
	title   string
	actions []control.SessionAction
	finder  *choose.Filter
	found   []choose.Found
}

// openMenu shows the actions that the resident told.
func (m *flashlight) openMenu(msg actionsMsg) {
	switch {
	case msg.err != nil:
		m.status = choose.Notice{Text: msg.err.Error(), Warn: true}
		return
	case msg.entry.Generation != m.generation:
		return
	case len(msg.actions.Actions) == 0:
		m.status = choose.NothingToDo
		return
	}
	menu := &menu{screen: m.screen, entry: msg.entry, title: msg.actions.Title, actions: msg.actions.Actions}
	menu.prompt, menu.list = edit.Line{}, list{}
	titles := make([]string, len(menu.actions))
	for i, a := range menu.actions {
		titles[i] = a.Title
	}
	menu.finder = choose.NewFilter(titles)
	menu.filter()
	m.menu = menu
}

// filter finds the actions that what is typed means.
func (m *menu) filter() {
	m.list.Restart()
	m.found = m.finder.Find(m.prompt.Text())
	m.list.set(len(m.found), func(i int) item {
		a := m.actions[m.found[i].Place]
		return item{id: a.ID, title: a.Title, marks: m.found[i].Marks, style: m.theme.title}
	}, func(string) int { return 0 })
}

func (m *flashlight) menuKey(key tea.KeyPressMsg) tea.Cmd {
	m.status = choose.Notice{}
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
func (m *menu) draw(status choose.Notice) tea.View {
	if status.Text == "" {
		status.Text = m.title
	}
	m.sign = "actions " + m.theme.promptSign
	return m.view(count(m.list.Len(), false, ""), "No action is called that.", nil, status)
}
