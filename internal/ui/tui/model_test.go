package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/ui/edit"
)

// fakeResident notes what it is asked.
type fakeResident struct {
	inputs []control.SessionInput
	acts   []control.SessionEntry
	asked  []control.SessionEntry
	copied []string
}

func (f *fakeResident) update(in control.SessionInput) { f.inputs = append(f.inputs, in) }
func (f *fakeResident) act(e control.SessionEntry) tea.Cmd {
	f.acts = append(f.acts, e)
	return nil
}
func (f *fakeResident) actions(e control.SessionEntry) tea.Cmd {
	f.asked = append(f.asked, e)
	return nil
}
func (f *fakeResident) copy(text string) tea.Cmd {
	f.copied = append(f.copied, text)
	return nil
}

// rig is a flashlight and its resident.
type rig struct {
	*flashlight
	fake *fakeResident
}

func newRig(width, height int) *rig {
	f := &fakeResident{}
	return &rig{newFlashlight(newScreen(width, height, func(string) string { return "" }), f, "", nil), f}
}

func (r *rig) send(msg tea.Msg) tea.Cmd {
	_, cmd := r.Update(msg)
	return cmd
}

func (r *rig) press(keys ...string) (cmd tea.Cmd) {
	for _, k := range keys {
		cmd = r.send(key(k))
	}
	return cmd
}

// key makes the message of a key by its name.
func key(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace}
	if c, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func rows(titles ...string) (out []control.Entry) {
	for _, t := range titles {
		out = append(out, control.Entry{ID: "id " + t, Kind: control.KindRow, Title: t, Source: "core.apps"})
	}
	return out
}

func (r *rig) show(entries ...control.Entry) {
	r.send(viewMsg(&control.SessionView{Generation: r.generation, Entries: entries}))
}

func (r *rig) lines() []string {
	var out []string
	for _, l := range strings.Split(ansi.Strip(r.View().Content), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	return out
}

func (r *rig) selected() string {
	it, _ := r.list.selected()
	return it.title
}

func TestAViewOfAnEarlierInputNeverShows(t *testing.T) {
	r := newRig(60, 10)
	r.press("a")
	old := r.generation
	r.press("b")
	r.show(rows("new")...)
	r.send(viewMsg(&control.SessionView{Generation: old, Entries: rows("old")}))
	assert.Equal(t, "new", r.selected())
	assert.Equal(t, control.SessionInput{Generation: old + 1, Text: "ab"}, r.fake.inputs[1])
}

func TestTheSelectionStaysWithItsRowOverARefresh(t *testing.T) {
	r := newRig(60, 10)
	r.show(rows("a", "b", "c")...)
	r.press("down")
	r.show(rows("x", "y", "a", "b", "c")...)
	assert.Equal(t, "b", r.selected())
	r.show(rows("a", "c")...)
	assert.Equal(t, "a", r.selected(), "its row is gone")
	r.press("down")
	r.press("z")
	r.show(rows("a", "c")...)
	assert.Equal(t, "a", r.selected(), "another input begins at the top")
}

func TestEnterNamesWhatTheUserSawOrLeavesItToTheQuery(t *testing.T) {
	r := newRig(60, 10)
	r.press("2")
	r.press("enter")
	require.Len(t, r.fake.acts, 1)
	assert.Equal(t, control.SessionEntry{SessionInput: control.SessionInput{Generation: 2, Text: "2"}}, r.fake.acts[0], "nothing shows yet")

	r.press("+")
	r.send(viewMsg(&control.SessionView{Generation: r.generation, Pending: true, Entries: rows("a", "b")}))
	r.press("enter")
	assert.Empty(t, r.fake.acts[1].Entry, "an answer may still come first")

	r.press("3")
	r.send(viewMsg(&control.SessionView{Generation: r.generation, Pending: true, Entries: rows("a", "b")}))
	r.press("down", "enter")
	assert.Equal(t, "id b", r.fake.acts[2].Entry, "the user chose")

	r.press("4")
	r.show(rows("a", "b")...)
	r.press("enter", "enter")
	assert.Equal(t, "id a", r.fake.acts[3].Entry)
	assert.Len(t, r.fake.acts, 4, "one action at a time")

	r.press("5")
	r.show()
	r.press("enter")
	assert.Len(t, r.fake.acts, 4, "there is nothing")
}

func TestWhatComesOfAnActionClosesOrShows(t *testing.T) {
	r := newRig(60, 10)
	r.show(rows("a")...)
	act := func(acted control.SessionActed, err error) tea.Cmd {
		r.press("enter")
		return r.send(actedMsg{entry: r.fake.acts[len(r.fake.acts)-1], acted: acted, err: err})
	}
	last := func() string { l := r.lines(); return l[len(l)-1] }
	assert.Nil(t, act(control.SessionActed{Ran: true, Result: control.PerformResult{Error: "plugin x: broke"}}, nil))
	assert.Equal(t, "plugin x: broke", last())
	assert.Nil(t, act(control.SessionActed{}, nil))
	assert.Contains(t, last(), "nothing to choose")
	assert.Nil(t, act(control.SessionActed{}, errors.New("flash went away")))
	assert.Equal(t, "flash went away", last())
	assert.Nil(t, act(control.SessionActed{Ran: true, Result: control.PerformResult{Unhandled: true}}, nil))
	assert.Contains(t, last(), "no plugin")
	assert.Nil(t, act(control.SessionActed{Ran: true, Copy: "text", Result: control.PerformResult{OK: true}}, nil))
	assert.Equal(t, []string{"text"}, r.fake.copied)
	r.send(copiedMsg{"copied by the terminal"})
	assert.Equal(t, "copied by the terminal", last())
	cmd := act(control.SessionActed{Ran: true, Result: control.PerformResult{OK: true, Message: "went there"}}, nil)
	require.NotNil(t, cmd)
	assert.IsType(t, tea.QuitMsg{}, cmd())
	assert.Equal(t, "went there", r.ended.message)
}

func TestTabTakesWhatCompletionsHaveInCommonThenTheFirst(t *testing.T) {
	r := newRig(60, 10)
	complete := func(values ...string) (out []control.Entry) {
		for _, v := range values {
			out = append(out, control.Entry{ID: ">" + v, Kind: control.KindCompletion, Title: v, Value: v})
		}
		return out
	}
	r.press("@", "f", "tab") // before they are known
	r.show(complete("@firefox.tabs ", "@firefox.bookmarks ")...)
	assert.Equal(t, "@firefox.", r.prompt.Text())
	r.show(complete("@firefox.tabs ", "@firefox.bookmarks ")...)
	r.press("tab")
	assert.Equal(t, "@firefox.tabs ", r.prompt.Text())
	r.press("ctrl+u", "@")
	r.show(complete("@a ", "@b ")...)
	r.press("down", "tab")
	assert.Equal(t, "@b ", r.prompt.Text())
	r.press("ctrl+u", "@")
	r.show(complete("@a ", "@b ")...)
	r.press("enter")
	assert.Equal(t, "@a ", r.prompt.Text())
	assert.Empty(t, r.fake.acts)
}

func TestTheScreenIsLaidOutForAnySize(t *testing.T) {
	long := strings.Repeat("長い", 60)
	for width := range 45 {
		for height := range 12 {
			r := newRig(width, height)
			r.press("q")
			r.prompt.Insert(long)
			e := rows("Firefox", long)
			e[0].Subtitle, e[0].Highlights = long, [][2]int{{0, 2}}
			r.send(viewMsg(&control.SessionView{Generation: r.generation, Entries: e, Notices: []control.SessionNotice{{Plugin: "x", Text: long}}}))
			v := r.View()
			lines := strings.Split(v.Content, "\n")
			require.LessOrEqual(t, len(lines), max(1, height))
			for _, l := range lines {
				require.LessOrEqual(t, r.ruler.width(ansi.Strip(l)), max(1, width), "%dx%d %q", width, height, l)
			}
			require.Less(t, v.Cursor.X, max(1, width))
		}
	}
}

func TestARowHasMarkerTitleSubtitleAndBadge(t *testing.T) {
	r := newRig(50, 8)
	r.press("f")
	e := rows("Firefox", "Files")
	e[0].Subtitle = "Web Browser"
	e = append([]control.Entry{{ID: "=", Kind: control.KindAnswer, Title: "4", Plugin: "calculator", Enter: "Copy"}}, e...)
	r.show(e...)
	assert.Equal(t, []string{
		"❯ f                                              3",
		strings.Repeat("─", 50),
		"▌ = 4                                  calculator",
		"  Firefox  Web Browser                       apps",
		"  Files                                      apps",
		"", "",
		"Enter copies · Ctrl-K actions · Tab completes · E…",
	}, r.lines())
}

func TestTheHintsAreAboutTheLineUnderTheMarker(t *testing.T) {
	r := newRig(80, 8)
	hints := func() string { l := r.lines(); return l[len(l)-1] }
	r.press("f")
	r.show()
	assert.Equal(t, "Tab completes · Esc closes", hints(), "there is nothing that Enter could do anything with")
	e := rows("a", "b", "c", "d")
	e = append(e, rows("e")...)
	for i, enter := range []string{"Open", "Insert", "Run", "Go there", "End a\x1b process"} {
		e[i].Enter = enter
	}
	r.show(append([]control.Entry{{ID: ">", Kind: control.KindCompletion, Title: "@f", Value: "@f "}}, e...)...)
	for _, does := range []string{"takes it", "opens", "inserts", "runs", "goes there"} {
		assert.True(t, strings.HasPrefix(hints(), "Enter "+does+" · "), hints())
		r.press("down")
	}
	before := hints()
	assert.True(t, strings.HasPrefix(before, "Enter: End a process · "), before)
	r.press("x")
	assert.NotEmpty(t, before)
	assert.True(t, strings.HasPrefix(hints(), "Enter takes it · "), "the former lines stand until the new ones are there: %s", hints())
}

func TestATerminalWithoutUnicodeGetsNone(t *testing.T) {
	f := &fakeResident{}
	env := func(name string) string { return map[string]string{"LANG": "C"}[name] }
	r := &rig{newFlashlight(newScreen(50, 8, env), f, "", nil), f}
	r.show(rows("Firefox")...)
	for _, l := range r.lines() {
		for _, c := range l {
			assert.Less(t, c, rune(0x80), l)
		}
	}
	assert.True(t, isUnicode(func(string) string { return "" }))
	assert.True(t, isUnicode(func(string) string { return "de_DE.utf8" }))
}

func TestAPastedTextIsOneLineAndACutOneIsSaid(t *testing.T) {
	r := newRig(50, 8)
	r.send(tea.PasteMsg{Content: "one\ntwo\x1b"})
	assert.Equal(t, "one two", r.prompt.Text())
	assert.Len(t, r.fake.inputs, 1)
	r.send(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
	assert.Len(t, r.prompt.Text(), edit.MaxBytes)
	assert.Contains(t, r.lines()[7], "left out")
}

func TestTheActionsMenuFiltersAndGoesBack(t *testing.T) {
	r := newRig(50, 8)
	r.show(rows("Firefox")...)
	r.press("ctrl+k")
	require.Len(t, r.fake.asked, 1)
	r.send(actionsMsg{entry: r.fake.asked[0], actions: control.SessionActions{Title: "Firefox", Actions: []control.SessionAction{{ID: "", Title: "Open"}, {ID: "copy", Title: "Copy the title"}}}})
	assert.Equal(t, "▌ Open", r.lines()[2])
	r.press("t", "i", "t")
	assert.Equal(t, "▌ Copy the title", r.lines()[2])
	assert.Contains(t, r.lines()[7], "Firefox")
	r.press("enter")
	assert.Equal(t, "copy", r.fake.acts[0].Action)
	assert.Equal(t, "id Firefox", r.fake.acts[0].Entry)
	r.send(actedMsg{entry: r.fake.acts[0], err: errors.New("no")})
	r.press("ctrl+k")
	r.send(actionsMsg{entry: r.fake.asked[1], actions: control.SessionActions{Actions: []control.SessionAction{{ID: "", Title: "Open"}}}})
	assert.Nil(t, r.press("esc"))
	assert.Contains(t, r.lines()[2], "Firefox")
	assert.NotNil(t, r.press("esc"))
}

func TestKeysEditThePrompt(t *testing.T) {
	r := newRig(60, 10)
	for _, c := range []struct {
		key  tea.KeyPressMsg
		want string // with the cursor at the bar
	}{
		{tea.KeyPressMsg{Code: 'o', Text: "one two"}, "one two|"},
		{tea.KeyPressMsg{Code: tea.KeyLeft}, "one tw|o"},
		{tea.KeyPressMsg{Code: 'b', Mod: tea.ModCtrl}, "one t|wo"},
		{tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl}, "one tw|o"},
		{tea.KeyPressMsg{Code: tea.KeyRight}, "one two|"},
		{tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModCtrl}, "one |two"},
		{tea.KeyPressMsg{Code: 'b', Mod: tea.ModAlt}, "|one two"},
		{tea.KeyPressMsg{Code: 'f', Mod: tea.ModAlt}, "one| two"},
		{tea.KeyPressMsg{Code: tea.KeyRight, Mod: tea.ModAlt}, "one two|"},
		{tea.KeyPressMsg{Code: tea.KeyHome}, "|one two"},
		{tea.KeyPressMsg{Code: tea.KeyEnd}, "one two|"},
		{tea.KeyPressMsg{Code: 'a', Mod: tea.ModCtrl}, "|one two"},
		{tea.KeyPressMsg{Code: tea.KeyDelete}, "|ne two"},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "|e two"},
		{tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}, "e two|"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "e tw|"},
		{tea.KeyPressMsg{Code: 'h', Mod: tea.ModCtrl}, "e t|"},
		{tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl}, "e |"},
		{tea.KeyPressMsg{Code: 'x', Text: "x", Mod: tea.ModAlt}, "e |"},
		{tea.KeyPressMsg{Code: 'x', Text: "x y"}, "e x y|"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace, Mod: tea.ModAlt}, "e x |"},
		{tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}, "|"},
	} {
		before, asked := r.prompt.Text(), len(r.fake.inputs)
		r.send(c.key)
		text, at := r.prompt.Text(), r.prompt.Caret()
		assert.Equal(t, c.want, text[:at]+"|"+text[at:], c.key.String())
		assert.Empty(t, r.prompt.Selected(), "a terminal has no selection")
		assert.Equal(t, text != before, len(r.fake.inputs) > asked, "%s: only another text is another input", c.key)
	}
}
