package panel

import (
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/ui/choose"
)

// command is what a key asks of the session; the model itself starts nothing.
type command uint8

const (
	none     command = iota
	shut             // close the panel
	typed            // the input changed
	enter            // act on the selection by what it is for
	actions          // show what can be done with the selection
	runMenu          // carry out the chosen action of the menu
	copyText         // put the box's selection on the clipboard
	cutText          // copyText, and then remove it
	paste            // ask for the clipboard
)

// model is the state of the open panel. Only the loop touches it.
type model struct {
	box     box
	pending string // what a composer shows at the caret
	list    list
	menu    *menu // nil while no entry's actions show
	history history

	generation uint64 // of the input
	view       *flashlight.View
	status     choose.Notice
	acting     bool   // an action is under way
	complete   uint64 // generation whose completions Tab waits for
	hover      int    // line of the list under the pointer, -1 for none

	icon    func(*flashlight.Row) Icon
	preview func(*flashlight.Row) string
}

// begin makes the panel new, with a text to begin with.
func (m *model) begin(text string) {
	m.box, m.pending, m.menu = newBox(text), "", nil
	m.view, m.generation = nil, 0
	m.list.Restart()
	m.list.set(nil)
	m.status, m.acting, m.complete, m.hover = choose.Notice{}, false, 0, -1
	m.history.reset()
}

// key takes a key and says what follows of it.
func (m *model) key(k Key) command {
	if m.menu != nil {
		return m.menuKey(k)
	}
	m.status = choose.Notice{}
	letter := shortcut(k)
	switch {
	case k.Sym == symEscape:
		return shut
	case k.Mods == Ctrl && letter == 'c':
		if m.box.Selected() == "" {
			return shut
		}
		return copyText
	case k.Mods == Ctrl && letter == 'x':
		return cutText
	case k.Mods == Ctrl && letter == 'v', k.Mods == Shift && k.Sym == symInsert:
		return paste
	case k.Sym == symReturn && k.Mods&(Alt|Super) == 0, k.Mods == Ctrl && letter == 'j':
		return m.enter()
	case k.Mods == Ctrl && letter == 'k':
		return actions
	case k.Sym == symTab && k.Mods == 0:
		return m.tab()
	case k.Sym == symUp && k.Mods == 0 && m.list.At() <= 0 && m.recalls():
		return m.recall(-1)
	case k.Sym == symUp && k.Mods == Alt:
		return m.recall(-1)
	case k.Sym == symDown && k.Mods == Alt:
		return m.recall(1)
	}
	if m.list.navigate(k) {
		return none
	}
	before := m.box.Text()
	if m.box.edit(k) && m.box.Text() != before {
		m.changed()
		return typed
	}
	return none
}

// recalls says whether Up at the top of the list fetches what was typed before:
// it does while nothing else has been typed.
func (m *model) recalls() bool {
	return !m.list.Picked() && (m.box.Text() == "" || m.history.at < len(m.history.entries) && m.box.Text() == m.history.entries[m.history.at])
}

func (m *model) recall(by int) command {
	text, ok := m.history.step(by, m.box.Text())
	if !ok {
		return none
	}
	at := m.history
	m.take(text)
	m.history = at
	return typed
}

func (m *model) menuKey(k Key) command {
	m.status = choose.Notice{}
	letter := shortcut(k)
	switch {
	case k.Sym == symEscape, k.Mods == Ctrl && letter == 'k', k.Mods == Ctrl && letter == 'c':
		m.menu = nil
	case k.Sym == symReturn, k.Mods == Ctrl && letter == 'j':
		return runMenu
	case k.Mods == Ctrl && letter == 'v', k.Mods == Shift && k.Sym == symInsert:
		return paste
	default:
		before := m.menu.box.Text()
		if !m.menu.list.navigate(k) && m.menu.box.edit(k) && m.menu.box.Text() != before {
			m.menu.filter()
		}
	}
	return none
}

// changed begins a new input: what belongs to the former one no longer counts.
func (m *model) changed() {
	m.acting, m.complete = false, 0
	m.hover = -1
	m.list.Restart()
}

// take makes a text the input.
func (m *model) take(text string) {
	m.box = newBox(text)
	m.changed()
}

// pasted takes text from the clipboard.
func (m *model) pasted(text string) command {
	if m.menu != nil {
		m.menu.box.Insert(text)
		m.menu.filter()
		return none
	}
	m.status = choose.Notice{}
	whole := m.box.Insert(text)
	m.changed()
	if !whole {
		m.status = choose.PasteCut
	}
	return typed
}

// show takes a view, unless the input has changed since: the former rows stay
// until the new ones are there.
func (m *model) show(v *flashlight.View) command {
	if v.Generation != m.generation {
		return none
	}
	m.view = v
	m.list.set(m.items(v))
	if m.complete == v.Generation {
		m.complete = 0
		return m.tab()
	}
	return none
}

// fresh says whether what shows is of the input as it stands.
func (m *model) fresh() bool { return m.view != nil && m.view.Generation == m.generation }

// entry names what a key means, as choose.List.Meant does.
func (m *model) entry() (id string, ok bool) {
	return m.list.Meant(m.fresh(), m.view != nil && m.view.Pending)
}

func (m *model) enter() command {
	if it := m.list.selected(); m.fresh() && it != nil && it.kind == completion {
		m.take(it.value)
		return typed
	}
	return enter
}

// tab completes what is typed: with the selected completion, else with what all
// have in common, else with the first. Typed before the completions came, it
// waits for them.
func (m *model) tab() command {
	if !m.fresh() {
		m.complete = m.generation
		return none
	}
	if it := m.list.selected(); it != nil && it.kind == completion && m.list.Picked() {
		m.take(it.value)
		return typed
	}
	var values []string
	for i := range m.list.items {
		if m.list.items[i].kind == completion {
			values = append(values, m.list.items[i].value)
		}
	}
	text, ok := choose.Complete(m.box.Text(), values)
	if !ok {
		return none
	}
	m.take(text)
	return typed
}
