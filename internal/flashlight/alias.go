package flashlight

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Alias is what a name that the user chose stands for, one of the two. Typed
// exactly, the name has it come first.
type Alias struct {
	Row  string // the id of a row
	Text string // what to type; a command or a bang is run by Enter
}

// SetAliases replaces all aliases, from the next keystroke on.
func (e *Engine) SetAliases(aliases map[string]Alias) {
	aliases = maps.Clone(aliases)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.aliases = aliases
}

// takeAlias notes what the input is an alias for.
func (e *Engine) takeAlias(in *input) {
	name := strings.TrimSpace(in.text)
	e.mu.Lock()
	a, ok := e.aliases[name]
	e.mu.Unlock()
	if !ok || name == "" {
		return
	}
	switch {
	case a.Row != "":
		in.alias = a.Row
	case strings.HasPrefix(a.Text, ":"), strings.HasPrefix(a.Text, "!"):
		if meant := e.parse(a.Text); meant.run != nil {
			in.run = meant.run
		} else {
			in.notices = append(in.notices, Notice{Text: "nothing takes " + a.Text + ", which this is an alias for"})
		}
	default:
		in.completions = slices.Insert(in.completions, 0, Completion{Value: a.Text, Label: a.Text})
	}
}

// find returns the rows that in shows without asking anybody, what it is an
// alias for before the others; nil when ctx ended meanwhile.
func (f *finder) find(ctx context.Context, in input, limit int) []Row {
	rows := f.match(ctx, in, limit)
	in.finish.mark(rows)
	if in.kind == completed || in.kind == command || in.kind == bang || ctx.Err() != nil {
		return rows
	}
	var first Row
	switch {
	case in.run != nil:
		first = *in.run
		first.Highlights = [][2]int{}
	case in.alias != "":
		row, gone := f.e.rowByID(in.alias)
		if gone != "" {
			return rows
		}
		first = row
	default:
		return rows
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.ID == first.ID })
	rows = slices.Insert(rows, 0, first)
	return rows[:min(len(rows), limit)]
}
