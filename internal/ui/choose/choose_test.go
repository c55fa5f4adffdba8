package choose

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/protocol"
)

// fill makes the lines those of the ids.
func fill(l *List, ids ...string) {
	l.Set(len(ids), func(i int) string { return ids[i] }, func(id string) int { return slices.Index(ids, id) })
}

func TestTheSelectionIsKeptByWhatIsSelected(t *testing.T) {
	l := List{Height: 2}
	assert.Equal(t, -1, l.At(), "there is nothing yet")
	l.Move(1)
	assert.False(t, l.Picked())
	fill(&l, "a", "b", "c")
	assert.Equal(t, 0, l.At())
	l.Move(1)
	fill(&l, "x", "y", "a", "b", "c")
	assert.Equal(t, 3, l.At())
	assert.Equal(t, 2, l.Top(), "and still shows")
	fill(&l, "a", "c")
	assert.Equal(t, 0, l.At(), "its line is gone")
	assert.False(t, l.Picked())
	fill(&l, "x", "a", "c")
	assert.Equal(t, 0, l.At(), "the top stays the top")
}

func TestTheSelectionStopsAtEitherEnd(t *testing.T) {
	l := List{Height: 2}
	fill(&l, "a", "b", "c", "d", "e")
	for _, c := range []struct {
		do      func()
		at, top int
	}{
		{func() { l.Move(-1) }, 0, 0},
		{func() { l.Page(1) }, 2, 1},
		{func() { l.Page(1) }, 4, 3},
		{func() { l.Page(1) }, 4, 3},
		{func() { l.Page(-1) }, 2, 2},
		{func() { l.Select(99) }, 4, 3},
		{func() { l.Select(-99) }, 0, 0},
		{func() { l.Height = 0; l.Page(1) }, 1, 2},
	} {
		c.do()
		assert.Equal(t, []int{c.at, c.top}, []int{l.At(), l.Top()})
	}
}

func TestAnotherInputBeginsAtTheTop(t *testing.T) {
	l := List{Height: 2}
	fill(&l, "a", "b", "c")
	l.Select(2)
	l.Restart()
	assert.Equal(t, []int{0, 0}, []int{l.At(), l.Top()}, "also until its lines are there")
	assert.False(t, l.Picked())
	fill(&l, "c", "b")
	assert.Equal(t, 0, l.At())
}

func TestEnterMeansWhatTheUserSawOrWhateverComesFirst(t *testing.T) {
	for _, c := range []struct {
		name           string
		lines, picked  bool
		fresh, pending bool
		id             string
		ok             bool
	}{
		{"an older input's lines show", true, true, false, false, "", true},
		{"nothing is known yet", false, false, false, false, "", true},
		{"something may still come first", true, false, true, true, "", true},
		{"the user chose before all was there", true, true, true, true, "b", true},
		{"all is there", true, false, true, false, "a", true},
		{"the user chose", true, true, true, false, "b", true},
		{"something may still come", false, false, true, true, "", true},
		{"there is nothing", false, false, true, false, "", false},
	} {
		var l List
		if c.lines {
			fill(&l, "a", "b")
		}
		if c.picked {
			l.Move(1)
		}
		id, ok := l.Meant(c.fresh, c.pending)
		assert.Equal(t, []any{c.id, c.ok}, []any{id, ok}, c.name)
	}
}

func FuzzTheSelectionIsALineThatShows(f *testing.F) {
	f.Add([]byte{0, 9, 1, 3, 2, 1, 0, 4, 3, 0, 4, 7, 5, 0, 6, 2})
	f.Fuzz(func(t *testing.T, script []byte) {
		l := List{Height: 3}
		fill(&l)
		for len(script) > 1 {
			n := int(script[1])
			switch script[0] % 6 {
			case 0:
				ids := make([]string, n%50)
				for i := range ids {
					ids[i] = strconv.Itoa(i*7%50 + n%3)
				}
				before, picked := l.At(), l.Picked()
				id := ""
				if before >= 0 {
					id = l.id(before)
				}
				fill(&l, ids...)
				if at := slices.Index(ids, id); picked && at >= 0 {
					require.Equal(t, at, l.At(), "what was picked is still selected")
				}
			case 1:
				l.Move(n - 128)
			case 2:
				l.Page(n%5 - 2)
			case 3:
				l.Select(n - 128)
			case 4:
				l.Height = 1 + n%20
				l.Scroll()
			case 5:
				l.Restart()
				l.Scroll()
			}
			script = script[2:]
			if l.Len() == 0 {
				require.Equal(t, []int{-1, 0}, []int{l.At(), l.Top()})
				continue
			}
			require.True(t, 0 <= l.At() && l.At() < l.Len())
			require.True(t, l.Top() <= l.At() && l.At() < l.Top()+l.Height, "%d of %d from %d on", l.At(), l.Height, l.Top())
			require.True(t, 0 <= l.Top() && l.Top() <= max(0, l.Len()-l.Height), "no room stays empty")
		}
	})
}

func TestTabTakesWhatCompletionsHaveInCommonThenTheFirst(t *testing.T) {
	for _, c := range []struct {
		typed       string
		completions []string
		text        string
		ok          bool
	}{
		{"@f", nil, "", false},
		{"@f", []string{"@firefox.tabs "}, "@firefox.tabs ", true},
		{"@f", []string{"@firefox.tabs ", "@firefox.bookmarks "}, "@firefox.", true},
		{"@firefox.", []string{"@firefox.tabs ", "@firefox.bookmarks "}, "@firefox.tabs ", true},
		{"@", []string{"@a ", "@b "}, "@a ", true},
		{"@a ", []string{"@a "}, "@a ", false},
		{"!F", []string{"!firefox ", "!files "}, "!firefox ", true},
		{":e", []string{":e\u0301a", ":e\u0301b"}, ":e\u0301", true},
		{":", []string{":e\u0301", ":e"}, ":e\u0301", true},
	} {
		text, ok := Complete(c.typed, c.completions)
		assert.Equal(t, c.ok, ok, c.typed)
		if c.ok {
			assert.Equal(t, c.text, text, c.typed)
		}
	}
}

func FuzzCompletionGoesOnWithWhatIsTyped(f *testing.F) {
	f.Add("@f", "@firefox.tabs \n@firefox.bookmarks ")
	f.Fuzz(func(t *testing.T, typed, values string) {
		all := strings.Split(values, "\n")
		text, ok := Complete(typed, all)
		require.Equal(t, ok, text != typed)
		if ok && text != all[0] {
			require.Greater(t, len(text), len(typed))
			require.True(t, strings.HasPrefix(text, typed))
			for _, v := range all {
				require.True(t, strings.HasPrefix(v, text), "%q does not begin with %q", v, text)
			}
		}
	})
}

func TestActionsAreFoundByTheirTitles(t *testing.T) {
	f := NewFilter([]string{"Open", "Copy the title", "Show in its folder"})
	assert.Equal(t, []Found{{Place: 0}, {Place: 1}, {Place: 2}}, f.Find(""))
	assert.Equal(t, []Found{{Place: 1, Marks: [][2]int{{9, 14}}}}, f.Find("title"))
	assert.Empty(t, f.Find("xyzzy"))
	assert.Len(t, f.Find(" "), 3)
	assert.Empty(t, NewFilter(nil).Find(""))
}

func TestWhatWentWellClosesTheFlashlight(t *testing.T) {
	for _, c := range []struct {
		action string
		of     protocol.Outcome
		said   Notice
		closes bool
	}{
		{"", protocol.Done("went there"), Notice{}, true},
		{"copy", protocol.Done(""), Notice{}, true},
		{flashlight.ActionForget, protocol.Done(""), Notice{Text: "forgotten"}, false},
		{flashlight.ActionForget, protocol.Outcome{Err: "the disk is full"}, Notice{"the disk is full", true}, false},
		{"", protocol.Unhandled(), Notice{"no plugin knows what to do with this", true}, false},
		{"", protocol.Outcome{}, Notice{"it failed without a word", true}, false},
	} {
		said, closes := After(c.action, c.of)
		assert.Equal(t, c.said, said)
		assert.Equal(t, c.closes, closes)
	}
}

func TestAnEmptyListSaysWhyOnceItIsKnown(t *testing.T) {
	assert.Empty(t, Empty("", false, false))
	assert.Contains(t, Empty("", true, true), "Type to search")
	assert.Empty(t, Empty("x", true, true), "a notice says why")
	assert.Equal(t, "Nothing is called that.", Empty("x", true, false))
	assert.Equal(t, "Nothing is called that.", Empty("@tmux x ", true, false))
	assert.Equal(t, "There is nothing in @tmux at the moment.", Empty("@tmux ", true, false))
	assert.Equal(t, "Type what !f is to find.", Empty("!f ", true, false))
}
