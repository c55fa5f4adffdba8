package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/flash-launcher/flash/internal/control"
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

	offline  error  // why the resident does not answer
	status   notice // what came of the last key
	acting   bool   // an action is under way
	complete uint64 // generation whose completions Tab waits for

	ended ending
}

// ending is how the flashlight closed.
type ending struct {
	interrupted bool
	message     string // of the action that closed it
}

func newFlashlight(s screen, r resident, text string, start tea.Cmd) *flashlight {
	m := &flashlight{screen: s, resident: r, start: start, generation: 1}
	m.list.sel = -1
	m.prompt.insert(text)
	return m
}

// input is what is typed as it stands.
func (m *flashlight) input() control.SessionInput {
	return control.SessionInput{Generation: m.generation, Text: m.prompt.text}
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
		m.status = notice{text: msg.how}
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
	m.status = notice{}
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
		m.menu.prompt.insert(text)
		m.menu.filter()
		return nil
	}
	m.status = notice{}
	if !m.prompt.insert(text) {
		m.status = notice{text: "the end of the pasted text is left out", warn: true}
	}
	m.typed()
	return nil
}

// typed begins a new generation of the input.
func (m *flashlight) typed() {
	m.generation++
	m.acting, m.complete = false, 0
	m.list.reset()
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
	if !m.fresh() || m.list.sel < 0 || m.list.sel >= len(m.view.Entries) {
		return control.Entry{}, false
	}
	return m.view.Entries[m.list.sel], true
}

// entry names what a key means: what is under the marker, or whatever will come
// first once the resident knows it, if the user did not choose.
func (m *flashlight) entry() (control.SessionEntry, bool) {
	e := control.SessionEntry{SessionInput: m.input()}
	if sel, ok := m.selectedEntry(); ok && (m.list.picked != "" || !m.view.Pending) {
		e.Entry = sel.ID
	} else if m.fresh() && !m.view.Pending {
		return e, false // there is nothing and nothing comes
	}
	return e, true
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
	m.prompt = prompt{}
	m.prompt.insert(text)
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
	if sel.Kind == control.KindCompletion && m.list.picked != "" {
		m.take(sel.Value)
		return nil
	}
	var values []string
	for _, e := range m.view.Entries {
		if e.Kind == control.KindCompletion {
			values = append(values, e.Value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	if common := commonPrefix(values); len(common) > len(m.prompt.text) && strings.HasPrefix(common, m.prompt.text) {
		m.take(common)
		return nil
	}
	if values[0] != m.prompt.text {
		m.take(values[0])
	}
	return nil
}

func commonPrefix(values []string) string {
	common := values[0]
	for _, v := range values[1:] {
		n := 0
		for _, g := range graphemes(common) {
			if !strings.HasPrefix(v[n:], g) {
				break
			}
			n += len(g)
		}
		common = common[:n]
	}
	return common
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
		m.status = notice{text: msg.err.Error(), warn: true}
	case !msg.acted.Ran:
		if current {
			m.status = notice{text: "there is nothing to choose", warn: true}
		}
	case msg.acted.Completion != "":
		if current {
			m.take(msg.acted.Completion)
		}
	case msg.acted.Copy != "":
		return m.resident.copy(msg.acted.Copy)
	case r.Unhandled:
		m.status = notice{text: "no plugin knows what to do with this", warn: true}
	case !r.OK:
		m.status = notice{text: firstOf(r.Error, "it failed without a word"), warn: true}
	case msg.entry.Action == actionForget:
		m.status = notice{text: "forgotten"}
	default:
		m.ended.message = r.Message
		return tea.Quit
	}
	return nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// View draws the screen.
func (m *flashlight) View() tea.View {
	if m.menu != nil {
		m.menu.width, m.menu.height, m.menu.ruler, m.menu.theme = m.width, m.height, m.ruler, m.theme
		return m.menu.draw(m.status)
	}
	var notices []notice
	if m.offline != nil {
		notices = append(notices, notice{text: m.offline.Error(), warn: true})
	}
	for _, n := range m.view.Notices {
		notices = append(notices, notice{text: strings.TrimPrefix(n.Plugin+": "+n.Text, ": "), warn: true})
	}
	status := m.status
	if status.text == "" {
		status.text = m.theme.words("Enter " + m.enterHint() + " · Ctrl-K actions · Tab completes · Esc closes")
	}
	pending := !m.fresh() || m.view.Pending || m.acting
	v := m.screen.view(count(m.list.len, pending, m.theme.more), m.emptyHint(), notices, status)
	v.WindowTitle = "flash"
	return v
}

func (m *flashlight) enterHint() string {
	switch e, _ := m.selectedEntry(); e.Kind {
	case control.KindCompletion:
		return "takes it"
	case control.KindAnswer:
		return "copies"
	}
	return "opens"
}

func (m *flashlight) emptyHint() string {
	switch {
	case m.offline != nil || !m.fresh() || m.view.Pending:
		return ""
	case m.prompt.text == "":
		return "Type to search. @source, !bang and :command reach further."
	case len(m.view.Notices) > 0:
		return ""
	}
	return "Nothing is called that."
}
