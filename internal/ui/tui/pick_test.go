package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// chunk is a message with those lines.
func chunk(from int, lines ...string) chunkMsg {
	rows := make([]protocol.Row, len(lines))
	for i, l := range lines {
		rows[i].Title = l
	}
	return chunkMsg{from, match.NewIndex(rows)}
}

func newTestPicker(multi bool) *picker {
	return newPicker(newScreen(40, 8, func(string) string { return "" }), PickOptions{Multi: multi})
}

func pickerLines(m *picker) string { return ansi.Strip(m.View().Content) }

func TestThePickerFollowsLinesAndKeepsTheSelection(t *testing.T) {
	m := newTestPicker(false)
	assert.Nil(t, m.accept(), "no line is there yet")
	m.Update(chunk(0, "apple", "banana"))
	m.Update(key("down"))
	m.Update(chunk(0, "apple", "banana", "cherry")) // the chunk grew
	m.Update(chunk(3, "apricot"))
	it, _ := m.list.selected()
	assert.Equal(t, "banana", it.title)
	assert.Contains(t, pickerLines(m), "4/4…")
	m.Update(endMsg{})
	m.Update(key("a"))
	m.Update(key("p"))
	assert.Contains(t, pickerLines(m), "2/4")
	m.Update(key("down"))
	require.NotNil(t, m.accept())
	require.NoError(t, m.ended)
	assert.Equal(t, []string{"apricot"}, m.chosen())
}

func TestMarksStandForLinesWhateverIsTyped(t *testing.T) {
	m := newTestPicker(true)
	m.Update(chunk(0, "one", "two"))
	m.Update(chunk(2, "three"))
	m.Update(key("down"))
	m.Update(key("down"))
	m.Update(key("tab"))
	m.Update(key("o"))
	m.Update(key("n"))
	m.Update(key("tab"))
	m.Update(key("backspace"))
	m.Update(key("backspace"))
	require.NotNil(t, m.accept())
	assert.Equal(t, []string{"one", "three"}, m.chosen())

	m = newTestPicker(true)
	m.Update(chunk(0, "one", "two"))
	m.Update(key("tab"))
	m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	m.Update(key("tab")) // takes the mark away
	assert.Empty(t, m.marked)
}

func TestThePickerClosesWithoutAChoice(t *testing.T) {
	m := newTestPicker(false)
	m.Update(endMsg{errors.New("broken pipe")})
	assert.Contains(t, pickerLines(m), "stdin: broken pipe")
	require.NotNil(t, m.accept())
	require.ErrorIs(t, m.ended, ErrNothing)
	_, cmd := m.Update(key("ctrl+c"))
	require.NotNil(t, cmd)
	require.ErrorIs(t, m.ended, ErrInterrupted)
}

func TestLinesGatherUntilTheirTimeIsUpOrAChunkIsFull(t *testing.T) {
	lines, due := make(chan string), make(chan time.Time)
	told := make(chan any)
	go func() {
		gather(lines, func(time.Duration) <-chan time.Time { return due }, func(msg any) { told <- msg })
		close(told)
	}()
	lines <- "a"
	lines <- "b"
	due <- time.Time{}
	assert.Equal(t, []int{0, 2}, size(<-told))
	lines <- "c"
	due <- time.Time{}
	assert.Equal(t, []int{0, 3}, size(<-told), "the last chunk is told anew")
	for i := 3; i < pickChunk; i++ {
		lines <- fmt.Sprint(i)
	}
	assert.Equal(t, []int{0, pickChunk}, size(<-told))
	lines <- "next"
	close(lines)
	assert.Equal(t, []int{pickChunk, 1}, size(<-told))
	_, more := <-told
	assert.False(t, more)
}

func size(msg any) []int {
	c := msg.(chunkMsg)
	return []int{c.from, c.index.Len()}
}

func TestLinesAreReadAsTheyAre(t *testing.T) {
	var got []string
	var end any
	readLines(strings.NewReader("a\r\n\nb\xff\nlast"), func(msg any) {
		if c, ok := msg.(chunkMsg); ok {
			got = got[:c.from]
			for _, r := range c.index.Rows() {
				got = append(got, r.Title)
			}
			return
		}
		end = msg
	})
	assert.Equal(t, []string{"a\r", "", "b\xff", "last"}, got)
	assert.Equal(t, endMsg{}, end)
}
