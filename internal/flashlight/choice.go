package flashlight

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flash-launcher/flash/protocol"
)

// Choice is one entry of a view; one of its fields is set.
type Choice struct {
	Answer     *Answer
	Completion *Completion
	Row        *Row
}

// choice returns entry i of v.
func (v *View) choice(i int) Choice {
	if i < len(v.Answers) {
		return Choice{Answer: &v.Answers[i]}
	}
	i -= len(v.Answers)
	if i < len(v.Completions) {
		return Choice{Completion: &v.Completions[i]}
	}
	return Choice{Row: &v.Rows[i-len(v.Completions)]}
}

// Choose returns the entry of that id, else the row of that id, or the first
// entry for "". It waits as Enter does; ok is false when the input changed
// meanwhile, or there is no such entry any more.
func (s *Session) Choose(ctx context.Context, entry string) (c Choice, ok bool) {
	v, ok := s.settled(ctx)
	if !ok {
		return Choice{}, false
	}
	for i := range v.Count() {
		if entry == "" || v.EntryID(i) == entry {
			return v.choice(i), true
		}
	}
	for i := range v.Rows {
		if v.Rows[i].ID == entry {
			return Choice{Row: &v.Rows[i]}, true
		}
	}
	return Choice{}, false
}

// ActOn carries out an action on c, which is no completion.
func (e *Engine) ActOn(ctx context.Context, c Choice, action string) protocol.Outcome {
	switch {
	case c.Row != nil:
		return e.actOnRow(ctx, *c.Row, action)
	case c.Answer == nil:
		return protocol.Unhandled()
	case action == ActionCopy:
		return e.effect(ctx, protocol.Effect{Type: protocol.EffectCopyText, Text: cmp.Or(c.Answer.Effect.Text, c.Answer.Title)})
	}
	return e.actOnAnswer(ctx, *c.Answer)
}

// Action is one thing that can be done with a choice.
type Action struct{ ID, Title string }

// Actions returns what can be done with c, what Enter does first.
func (e *Engine) Actions(c Choice) []Action {
	switch {
	case c.Answer != nil && c.Answer.Effect.Type == protocol.EffectCopyText:
		return []Action{{"", "Copy"}}
	case c.Answer != nil && c.Answer.Effect.Type == protocol.EffectInsertText:
		return []Action{{"", "Insert"}, {ActionCopy, "Copy"}}
	case c.Answer != nil:
		return []Action{{ActionCopy, "Copy"}}
	case c.Row == nil:
		return []Action{}
	}
	row := c.Row
	out := []Action{{"", enterTitle(row)}}
	if row.Row.Effect.Type != protocol.EffectCopyText {
		out = append(out, Action{ActionCopy, "Copy " + copyNoun(row.Row)})
	}
	if _, ok := folderOf(row.URL); ok {
		out = append(out, Action{ActionReveal, "Show in its folder"})
	}
	in := input{plugins: e.loaded()}
	if m := in.plugin(row.Plugin); m != nil && row.Source != "" {
		for _, name := range m.Actions {
			out = append(out, Action{name, actionTitle(name)})
		}
	}
	if e.rank != nil && e.rank.Score(row.ID, e.clock.Now()) > 0 {
		out = append(out, Action{ActionForget, "Forget that I use it"})
	}
	if row.URL != "" {
		out = append(out, e.openersOf(row.URL)...)
	}
	return out
}

// openersOf are the applications that take a URL or a file, the preferred one
// first; all of them by name where nobody knows who takes it.
func (e *Engine) openersOf(target string) []Action {
	p := e.catalog.Snapshot().Plugin(CorePlugin)
	if p == nil {
		return nil
	}
	var all []Action
	for i := range p.Rows {
		if id, _ := p.Rows[i].Metadata.Get(protocol.MetaBundleID); id != "" {
			all = append(all, Action{ActionOpenWith + id, "Open with " + p.Rows[i].Title})
		}
	}
	var out []Action
	for _, id := range e.openers(target) {
		if i := slices.IndexFunc(all, func(a Action) bool { return a.ID == ActionOpenWith+id }); i >= 0 {
			out = append(out, all[i])
		}
	}
	if len(out) > 0 {
		return out
	}
	slices.SortFunc(all, func(a, b Action) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	return all
}

// EnterTitle says what Enter does with entry i of v, which is no completion; ""
// where it does nothing.
func (v *View) EnterTitle(i int) string {
	c := v.choice(i)
	switch {
	case c.Row != nil:
		return enterTitle(c.Row)
	case c.Answer != nil && c.Answer.Effect.Type == protocol.EffectCopyText:
		return "Copy"
	case c.Answer != nil && c.Answer.Effect.Type == protocol.EffectInsertText:
		return "Insert"
	}
	return ""
}

func enterTitle(row *Row) string {
	switch {
	case row.finish.title != "":
		return row.finish.title
	case row.Source == "":
		return "Run"
	case row.Row.Effect.Type == protocol.EffectCopyText:
		return "Copy"
	case row.Row.Effect.Type == protocol.EffectInsertText:
		return "Insert"
	case row.URL != "", row.Row.Effect.Type == protocol.EffectOpen:
		return "Open"
	}
	return "Go there"
}

// copyNoun says what copyText takes.
func copyNoun(row protocol.Row) string {
	switch {
	case row.Effect.Type == protocol.EffectInsertText:
		return "the text"
	case row.URL != "", row.Effect.URL != "":
		return "the address"
	}
	return "the title"
}

// actionTitle makes a title of the name of a plugin's action: close_tab is
// "Close tab".
func actionTitle(name string) string {
	words := strings.NewReplacer("_", " ", "-", " ").Replace(name)
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}
