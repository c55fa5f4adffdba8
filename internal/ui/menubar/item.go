package menubar

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/status"
)

// Item is what one item of the menu bar shows and does.
type Item struct {
	Parts []Part
	Hover string
	// Clicks are what the buttons do, from the first on.
	Clicks []string
}

// Part is a stretch of one look.
type Part struct {
	Text                    string
	Ink, Ground             Ink
	Bold, Italic, Underline bool
}

// Ink is a colour: one that the menu bar has a name for and that follows its
// appearance, or RGB and the value. The zero Ink is the usual one.
type Ink struct {
	Kind  Kind
	Value uint32
}

// Kind says what an Ink is.
type Kind uint8

// The kinds. The order is the one in which the macOS side lists its colours.
const (
	Usual Kind = iota
	Dim
	Red
	Green
	Yellow
	Blue
	Purple
	Teal
	Grey
	Paper // what the menu bar is made of, for text on the colour of text
	RGB
)

// named are the sixteen colours of a terminal, in their order. Black and white
// are those that are written and not seen as such: what is meant is the usual
// colour, of which a menu bar has one on each appearance.
var named = [...]Kind{
	Usual, Red, Green, Yellow, Blue, Purple, Teal, Usual,
	Grey, Red, Green, Yellow, Blue, Purple, Teal, Usual,
}

func ink(colour string) Ink {
	if i, ok := status.ColourIndex(colour); ok {
		return Ink{Kind: named[i]}
	}
	if rest, ok := strings.CutPrefix(colour, "#"); ok {
		if v, err := strconv.ParseUint(rest, 16, 32); err == nil && len(rest) == 6 {
			return Ink{RGB, uint32(v)}
		}
	}
	return Ink{}
}

// maxText bounds the letters of an item: a menu bar that is too full shows none
// of what has no room.
const maxText = 48

// maxItems bounds the items; a template with more groups has its first ones.
const maxItems = 16

// items are those that a line has, from left to right.
func items(line status.Line) []Item {
	var out []Item
	for _, part := range [...][]status.Run{line.Left, line.Centre, line.Right} {
		for _, g := range status.Groups(part) {
			if it, ok := itemOf(g); ok && len(out) < maxItems {
				out = append(out, it)
			}
		}
	}
	return out
}

// itemOf makes the item of a group. What only parts one group from the next needs
// none: the menu bar parts its items by itself.
func itemOf(g status.Group) (Item, bool) {
	text := strings.TrimSpace(g.Text())
	if text == "" || g.Name == "" && len(g.Clicks) == 0 && strings.IndexFunc(text, means) < 0 {
		return Item{}, false
	}
	it := Item{Hover: g.Hover, Clicks: g.Clicks}
	room := maxText
	for i, r := range g.Runs {
		text := r.Text
		if len(it.Parts) == 0 {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if i == len(g.Runs)-1 {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		cut := false
		if text, cut = first(text, room); text == "" && !cut {
			continue
		}
		room -= uniseg.GraphemeClusterCount(text)
		it.Parts = append(it.Parts, partOf(text, r.Style))
		if cut {
			if whole := strings.TrimSpace(g.Text()); it.Hover == "" {
				it.Hover = whole
			} else {
				it.Hover = whole + "\n" + it.Hover
			}
			break
		}
	}
	return it, true
}

func means(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// first cuts a text to that many letters.
func first(text string, room int) (out string, cut bool) {
	rest, state := text, -1
	for n := 0; rest != ""; n++ {
		if n == room {
			return text[:len(text)-len(rest)] + "…", true
		}
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return text, false
}

func partOf(text string, s status.Style) Part {
	p := Part{Text: text, Ink: ink(s.FG), Ground: ink(s.BG), Bold: s.Bold, Italic: s.Italic, Underline: s.Underline}
	if s.Dim && p.Ink == (Ink{}) {
		p.Ink.Kind = Dim
	}
	if s.Reverse {
		p.Ink, p.Ground = p.Ground, p.Ink
		if s.BG == "" {
			p.Ink.Kind = Paper
		}
	}
	return p
}

// Equal reports whether nobody can tell the two apart.
func (it Item) Equal(o Item) bool {
	return it.Hover == o.Hover && slices.Equal(it.Parts, o.Parts) && slices.Equal(it.Clicks, o.Clicks)
}

// Text is what the item says.
func (it Item) Text() string {
	var b strings.Builder
	for _, p := range it.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Buttons, as X and the template count them.
const (
	buttonLeft   = 1
	buttonMiddle = 2
	buttonRight  = 3
)

// press says what a button does: an action, or the menu where there is none.
// With the menu asked for (the Option key) it is always the menu.
func (it Item) press(button int, ask bool) (action string, menu bool) {
	if button >= 1 && button <= len(it.Clicks) && !ask {
		action = it.Clicks[button-1]
	}
	return action, action == "" && button != buttonMiddle
}

// Entry is a line of a menu: text alone, something to do, or a line between.
type Entry struct {
	Title  string
	Action string
	Own    Own // something that Flash does itself
}

// Own is what the menu offers beside the item's clicks.
type Own uint8

// What Flash does itself.
const (
	Nothing Own = iota
	OpenFlashlight
	Settings
	Quit
	Separator
)

// maxHover bounds the lines of hover text in a menu.
const maxHover = 24

// menu is what an item can do, all of it, below what there is to read.
func (it Item) menu() []Entry {
	var out []Entry
	if it.Hover != "" {
		for _, line := range strings.SplitN(it.Hover, "\n", maxHover) {
			out = append(out, Entry{Title: line})
		}
		out = append(out, Entry{Own: Separator})
	}
	seen := map[string]bool{"": true}
	for _, action := range it.Clicks {
		if !seen[action] {
			seen[action] = true
			out = append(out, Entry{Title: title(action), Action: action})
		}
	}
	if len(seen) > 1 {
		out = append(out, Entry{Own: Separator})
	}
	return append(out, Entry{Title: "Open Flashlight", Own: OpenFlashlight}, Entry{Title: "Settings…", Own: Settings}, Entry{Title: "Quit Flash", Own: Quit})
}

// title says what an action does: it is a command, a bang, the id of a row, or
// text for the flashlight.
func title(action string) string {
	if plugin, _, err := catalog.ParseRowID(action); err == nil {
		return "Take the row of " + plugin
	}
	if action[0] == ':' || action[0] == '!' {
		return "Run " + action
	}
	return "Search for " + action
}
