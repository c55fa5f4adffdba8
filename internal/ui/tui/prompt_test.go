package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// at makes a prompt whose cursor is at the bar.
func at(text string) *prompt {
	i := strings.Index(text, "|")
	p := &prompt{}
	p.set(text[:i]+text[i+1:], i)
	return p
}

func (p *prompt) String() string { return p.text[:p.at] + "|" + p.text[p.at:] }

func TestThePromptIsEditedByWholeGraphemes(t *testing.T) {
	for _, c := range []struct {
		name, before string
		do           func(p *prompt)
		after        string
	}{
		{"backspace", "cafe\u0301|", (*prompt).backspace, "caf|"},
		{"backspace at the start", "|a", (*prompt).backspace, "|a"},
		{"backspace over a family", "a👩‍👩‍👧|b", (*prompt).backspace, "a|b"},
		{"delete", "|👍🏽b", (*prompt).delete, "|b"},
		{"left over a flag", "🇩🇪🇫🇷|", (*prompt).left, "🇩🇪|🇫🇷"},
		{"right", "|e\u0301x", (*prompt).right, "e\u0301|x"},
		{"right at the end", "a|", (*prompt).right, "a|"},
		{"cut the word", "one two  |three", (*prompt).cutWord, "one |three"},
		{"cut the only word", "one|", (*prompt).cutWord, "|"},
		{"cut a word after a wide space", "一\u3000二|", (*prompt).cutWord, "一\u3000|"},
		{"cut to the start", "one two| three", (*prompt).cutToStart, "| three"},
		{"word left", "one two|", (*prompt).wordLeft, "one |two"},
		{"word right", "one| two three", (*prompt).wordRight, "one two| three"},
		{"home", "ab|c", (*prompt).home, "|abc"},
		{"end", "ab|c", (*prompt).end, "abc|"},
		{"a mark joins what it follows", "e|x", func(p *prompt) { p.insert("\u0301") }, "e\u0301|x"},
		{"lines become one", "|", func(p *prompt) { p.insert("a\nb\x1b[31m\u202ec") }, "a b[31mc|"},
	} {
		p := at(c.before)
		c.do(p)
		assert.Equal(t, c.after, p.String(), c.name)
	}
}

func TestThePromptHoldsOnlySoMuch(t *testing.T) {
	p := &prompt{}
	assert.True(t, p.insert(strings.Repeat("a", maxInput-3)))
	assert.False(t, p.insert("東京"))
	assert.Len(t, p.text, maxInput)
	assert.True(t, utf8.ValidString(p.text))
}
