package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/ui/choose"
	"github.com/flash-launcher/flash/internal/ui/edit"
	"github.com/flash-launcher/flash/protocol"
)

// resident is what the flashlight asks for; a feed in the program.
type resident interface {
	update(control.SessionInput)
	act(control.SessionEntry) tea.Cmd     // ends with an actedMsg
	actions(control.SessionEntry) tea.Cmd // ends with an actionsMsg
	copy(text string) tea.Cmd             // ends with a copiedMsg
}

// copiedMsg says where text for the clipboard went.
type copiedMsg struct{ how string }

// flashlight is the open flashlight. Only the program's loop touches it.
type flashlight struct {
	screen
	resident resident
	start    tea.Cmd

	generation uint64 // of the input
	view       control.SessionView
	menu       *menu // nil while no row's actions show

	offline  error         // why the resident does not answer
	status   choose.Notice // what came of the last key
	acting   bool          // an action is under way
	complete uint64        // generation whose completions Tab waits for

	ended ending
}

// ending is how the flashlight closed.
type ending struct {
	interrupted bool
	message     string // of the action that closed it
}

func newFlashlight(s screen, r resident, text string, start tea.Cmd) *flashlight {
	m := &flashlight{screen: s, resident: r, start: start, generation: 1}
	m.prompt.Insert(text)
	return m
}

// input is what is typed as it stands.
func (m *flashlight) input() control.SessionInput {
	return control.SessionInput{Generation: m.generation, Text: m.prompt.Text()}
}

// Init starts what fills the list; the first frame does not wait for it.
func (m *flashlight) Init() tea.Cmd {
	return tea.Batch(m.start, tea.RequestBackgroundColor)
}

// Update takes one message.
func (m *flashlight) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.terminal(msg) {
		return m, nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case tea.MouseMsg:
		if m.menu != nil {
			if m.menu.mouse(msg) {
				return m, m.runMenu()
			}
			return m, nil
		}
		if m.mouse(msg) {
			return m, m.enter("")
		}
	case connectedMsg:
		m.offline = msg.err
	case viewMsg:
		return m, m.show(*msg)
	case actedMsg:
		return m, m.acted(msg)
	case actionsMsg:
		m.openMenu(msg)
	case copiedMsg:
		m.acting = false
		m.status = choose.Notice{Text: msg.how}
	}
	return m, nil
}

func (m *flashlight) key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "ctrl+c":
		m.ended.interrupted = true
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	}
	if m.menu != nil {
		return m.menuKey(key)
	}
	m.status = choose.Notice{}
	switch key.String() {
	case "esc":
		return tea.Quit
	case "enter", "ctrl+j": // a Return typed before the terminal was ours is a line feed
		return m.enter("")
	case "ctrl+k":
		if e, ok := m.entry(); ok {
			return m.resident.actions(e)
		}
		return nil
	case "tab":
		return m.tab()
	}
	if !m.navigate(key) && m.edit(key) {
		m.typed()
	}
	return nil
}

func (m *flashlight) paste(text string) tea.Cmd {
	if m.menu != nil {
		m.menu.prompt.Insert(text)
		m.menu.filter()
		return nil
	}
	m.status = choose.Notice{}
	if !m.prompt.Insert(text) {
		m.status = choose.PasteCut
	}
	m.typed()
	return nil
}

// typed begins a new generation of the input.
func (m *flashlight) typed() {
	m.generation++
	m.acting, m.complete = false, 0
	m.list.Restart()
	m.resident.update(m.input())
}

// show takes a view, unless the input has changed since.
func (m *flashlight) show(v control.SessionView) tea.Cmd {
	if v.Generation != m.generation {
		return nil
	}
	m.view = v
	m.list.set(len(v.Entries), m.itemAt, func(id string) int {
		return slices.IndexFunc(v.Entries, func(e control.Entry) bool { return e.ID == id })
	})
	if m.complete == v.Generation {
		m.complete = 0
		return m.tab()
	}
	return nil
}

func (m *flashlight) itemAt(i int) item {
	e := &m.view.Entries[i]
	it := item{id: e.ID, title: e.Title, subtitle: e.Subtitle, marks: e.Highlights, style: m.theme.title, badge: strings.TrimPrefix(e.Source, "core.")}
	switch e.Kind {
	case control.KindAnswer:
		it.sign, it.style, it.badge = m.theme.answerSign, m.theme.answer, e.Plugin
	case control.KindCompletion:
		it.badge = e.Plugin
	}
	return it
}

// fresh says whether what shows is of the input as it stands.
func (m *flashlight) fresh() bool { return m.view.Generation == m.generation }

// selectedEntry is the entry under the marker.
func (m *flashlight) selectedEntry() (control.Entry, bool) {
	if !m.fresh() || m.list.At() < 0 || m.list.At() >= len(m.view.Entries) {
		return control.Entry{}, false
	}
	return m.view.Entries[m.list.At()], true
}

// entry names what a key means, as choose.List.Meant does.
func (m *flashlight) entry() (control.SessionEntry, bool) {
	id, ok := m.list.Meant(m.fresh(), m.view.Pending)
	return control.SessionEntry{SessionInput: m.input(), Entry: id}, ok
}

// enter acts on what is selected.
func (m *flashlight) enter(action string) tea.Cmd {
	if sel, ok := m.selectedEntry(); ok && sel.Kind == control.KindCompletion {
		m.take(sel.Value)
		return nil
	}
	e, ok := m.entry()
	if !ok || m.acting {
		return nil
	}
	e.Action = action
	m.acting = true
	return m.resident.act(e)
}

// take makes a completion the input.
func (m *flashlight) take(text string) {
	m.prompt = edit.New(text)
	m.typed()
}

// tab completes what is typed: with the selected completion, else with what all
// have in common, else with the first. Typed before the completions came, it
// waits for them.
func (m *flashlight) tab() tea.Cmd {
	if !m.fresh() {
		m.complete = m.generation
		return nil
	}
	sel, _ := m.selectedEntry()
	if sel.Kind == control.KindCompletion && m.list.Picked() {
		m.take(sel.Value)
		return nil
	}
	var values []string
	for _, e := range m.view.Entries {
		if e.Kind == control.KindCompletion {
			values = append(values, e.Value)
		}
	}
	if text, ok := choose.Complete(m.prompt.Text(), values); ok {
		m.take(text)
	}
	return nil
}

// acted takes what came of an action. Done, the flashlight closes; what went
// wrong shows, and so does a copy that only the terminal can tell the end of.
func (m *flashlight) acted(msg actedMsg) tea.Cmd {
	current := msg.entry.Generation == m.generation
	if current {
		m.acting = false
	}
	r := msg.acted.Result
	switch {
	case msg.err != nil:
		m.status = choose.Notice{Text: msg.err.Error(), Warn: true}
	case !msg.acted.Ran:
		if current {
			m.status = choose.NothingToChoose
		}
	case msg.acted.Completion != "":
		if current {
			m.take(msg.acted.Completion)
		}
	case msg.acted.Copy != "":
		return m.resident.copy(msg.acted.Copy)
	default:
		said, closes := choose.After(msg.entry.Action, protocol.Outcome{OK: r.OK, Unhandled: r.Unhandled, Err: r.Error})
		if closes {
			m.ended.message = r.Message
			return tea.Quit
		}
		m.status = said
	}
	return nil
}

// View draws the screen.
func (m *flashlight) View() tea.View {
	if m.menu != nil {
		m.menu.width, m.menu.height, m.menu.ruler, m.menu.theme = m.width, m.height, m.ruler, m.theme
		return m.menu.draw(m.status)
	}
	var notices []choose.Notice
	if m.offline != nil {
		notices = append(notices, choose.Notice{Text: m.offline.Error(), Warn: true})
	}
	for _, n := range m.view.Notices {
		notices = append(notices, choose.Notice{Text: strings.TrimPrefix(n.Plugin+": "+n.Text, ": "), Warn: true})
	}
	status := m.status
	if status.Text == "" {
		status.Text = m.theme.words(m.enterHint() + "Tab completes · Esc closes")
	}
	pending := !m.fresh() || m.view.Pending || m.acting
	v := m.screen.view(count(m.list.Len(), pending, m.theme.more), m.emptyHint(), notices, status)
	v.WindowTitle = "flash"
	return v
}

// enterHint says what the keys do with the line under the marker, if there is
// one; it may still be one of the former input.
func (m *flashlight) enterHint() string {
	if m.list.At() < 0 || m.list.At() >= len(m.view.Entries) {
		return ""
	}
	e := m.view.Entries[m.list.At()]
	does := map[string]string{
		"Open": "Enter opens · ", "Copy": "Enter copies · ", "Insert": "Enter inserts · ", "Run": "Enter runs · ", "Go there": "Enter goes there · ",
	}[e.Enter]
	switch {
	case e.Kind == control.KindCompletion:
		return "Enter takes it · "
	case does == "" && e.Enter != "": // a plugin's own words
		does = "Enter: " + printable.Line(e.Enter) + " · "
	}
	return does + "Ctrl-K actions · "
}

func (m *flashlight) emptyHint() string {
	known := m.offline == nil && m.fresh() && !m.view.Pending
	return choose.Empty(m.prompt.Text(), known, len(m.view.Notices) > 0)
}
