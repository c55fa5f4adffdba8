package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/internal/ui/choose"
)

// PickOptions are what a picker is opened with.
type PickOptions struct {
	Prompt, Text  string
	Multi, Print0 bool
	In            *os.File  // the lines
	Out           io.Writer // the choice
	Env           []string  // in the form of os.Environ
}

// ErrNothing says that the picker was closed without a choice.
var ErrNothing = errors.New("nothing was chosen")

// maxFound is how many of the lines that match can be scrolled through.
const maxFound = 1000

// Pick shows the lines of o.In on the controlling terminal and writes the
// chosen ones to o.Out, in the order in which they came in.
func Pick(ctx context.Context, o PickOptions) error {
	if term.IsTerminal(int(o.In.Fd())) {
		return fmt.Errorf("%w of the picker's own: stdin is one, so there are no lines to pick from; pipe some in", ErrNoTerminal)
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("%w to pick in (/dev/tty: %w); a picker needs somebody at the keys", ErrNoTerminal, errors.Unwrap(err))
	}
	defer tty.Close()
	env := lookup(o.Env)
	if env("TERM") == "dumb" {
		return fmt.Errorf("%w that can move its cursor (TERM=dumb): the picker cannot be drawn", ErrNoTerminal)
	}
	width, height, err := term.GetSize(int(tty.Fd()))
	if err != nil {
		return err
	}
	m := newPicker(newScreen(width, height, env), o)
	program := newProgram(ctx, m, tty, tty, o.Env)
	m.start = func() tea.Msg {
		go readLines(o.In, func(msg any) { program.Send(msg) })
		return nil
	}
	if _, err := program.Run(); err != nil {
		return ended(err)
	}
	if m.ended != nil {
		return m.ended
	}
	end := "\n"
	if o.Print0 {
		end = "\x00"
	}
	for _, line := range m.chosen() {
		if _, err := io.WriteString(o.Out, line+end); err != nil {
			return err
		}
	}
	return nil
}

// picker is an open picker. Only the program's loop touches it.
type picker struct {
	screen
	multi bool
	start tea.Cmd

	chunks  []*match.Index
	from    []int // place of each chunk's first line
	lines   int
	loading bool
	failed  error

	search match.Searcher
	found  []found // nil for an empty query: all lines, as they came
	marked map[int]bool
	ended  error // nil when something was chosen
}

// found is one line that matches.
type found struct {
	chunk, row int
	tier       match.Tier
	field      match.Field
}

func newPicker(s screen, o PickOptions) *picker {
	m := &picker{screen: s, multi: o.Multi, loading: true, marked: map[int]bool{}, ended: ErrNothing}
	if o.Prompt != "" {
		m.sign = o.Prompt
	}
	m.prompt.Insert(o.Text)
	return m
}

// Init starts what reads the lines.
func (m *picker) Init() tea.Cmd { return tea.Batch(m.start, tea.RequestBackgroundColor) }

// Update takes one message.
func (m *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.terminal(msg) {
		return m, nil
	}
	switch msg := msg.(type) {
	case chunkMsg:
		if n := len(m.from); n > 0 && m.from[n-1] == msg.from {
			m.chunks[n-1] = msg.index
		} else {
			m.chunks, m.from = append(m.chunks, msg.index), append(m.from, msg.from)
		}
		m.lines = msg.from + msg.index.Len()
		m.find()
	case endMsg:
		m.loading, m.failed = false, msg.err
	case tea.PasteMsg:
		m.prompt.Insert(msg.Content)
		m.typed()
	case tea.MouseMsg:
		if m.mouse(msg) {
			return m, m.accept()
		}
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, nil
}

func (m *picker) key(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "ctrl+c":
		m.ended = ErrInterrupted
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	case "esc":
		return tea.Quit
	case "enter", "ctrl+j":
		return m.accept()
	case "tab":
		m.mark(1)
	case "shift+tab":
		m.mark(-1)
	default:
		if !m.navigate(key) && m.edit(key) {
			m.typed()
		}
	}
	return nil
}

func (m *picker) typed() {
	m.list.Restart()
	m.find()
}

// mark marks the selected line, or takes its mark away, and moves on.
func (m *picker) mark(by int) {
	if !m.multi || m.list.At() < 0 {
		return
	}
	if place := m.placeAt(m.list.At()); m.marked[place] {
		delete(m.marked, place)
	} else {
		m.marked[place] = true
	}
	m.list.Move(by)
}

// accept closes with what is marked, else what is selected. Before the first
// lines are there it waits for them.
func (m *picker) accept() tea.Cmd {
	if len(m.marked) == 0 && m.list.At() < 0 {
		if m.loading {
			return nil
		}
		return tea.Quit
	}
	if len(m.marked) == 0 {
		m.marked[m.placeAt(m.list.At())] = true
	}
	m.ended = nil
	return tea.Quit
}

// chosen is the marked lines in the order in which they came in.
func (m *picker) chosen() []string {
	places := make([]int, 0, len(m.marked))
	for p := range m.marked {
		places = append(places, p)
	}
	slices.Sort(places)
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = m.line(p)
	}
	return out
}

// find finds the lines that what is typed means.
func (m *picker) find() {
	hits := m.search.Search(context.Background(), m.chunks, m.prompt.Text(), match.Options{Limit: maxFound})
	if m.search.Query().Empty() {
		m.found = nil
		m.list.set(m.lines, m.itemAt, func(id string) int {
			i, err := strconv.Atoi(id)
			if err != nil || i >= m.lines {
				return -1
			}
			return i
		})
		return
	}
	m.found = make([]found, len(hits))
	for i, h := range hits {
		m.found[i] = found{h.Index, h.Row, h.Tier, h.Field}
	}
	m.list.set(len(m.found), m.itemAt, func(id string) int {
		return slices.IndexFunc(m.found, func(f found) bool { return strconv.Itoa(m.from[f.chunk]+f.row) == id })
	})
}

// placeAt is the place among all lines of entry i of the list.
func (m *picker) placeAt(i int) int {
	if m.found == nil {
		return i
	}
	return m.from[m.found[i].chunk] + m.found[i].row
}

func (m *picker) line(place int) string {
	c, ok := slices.BinarySearch(m.from, place)
	if !ok {
		c--
	}
	return m.chunks[c].Rows()[place-m.from[c]].Title
}

func (m *picker) itemAt(i int) item {
	place := m.placeAt(i)
	it := item{id: strconv.Itoa(place), title: m.line(place), style: m.theme.title, checked: m.marked[place]}
	if m.found != nil {
		f := m.found[i]
		it.marks = choose.Marks(m.chunks[f.chunk], match.Hit{Row: f.row, Tier: f.tier, Field: f.field}, m.search.Query())
	}
	return it
}

// View draws the screen.
func (m *picker) View() tea.View {
	aside := strconv.Itoa(m.list.Len()) + "/" + strconv.Itoa(m.lines)
	if m.loading {
		aside += m.theme.more
	}
	if len(m.marked) > 0 {
		aside = m.theme.checkSign + strconv.Itoa(len(m.marked)) + " " + aside
	}
	status := choose.Notice{Text: "Enter picks · Esc picks nothing"}
	if m.multi {
		status.Text = "Enter picks · Tab marks · Esc picks nothing"
	}
	if m.failed != nil {
		status = choose.Notice{Text: "stdin: " + m.failed.Error(), Warn: true}
	}
	status.Text = m.theme.words(status.Text)
	empty := "No line is like that."
	if m.loading || m.lines == 0 {
		empty = ""
	}
	return m.view(aside, empty, nil, status)
}
