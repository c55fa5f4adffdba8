package flashlight

import (
	"slices"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// parseBang handles a !token. What runs it is shown as a row that Enter takes,
// or the token's source is searched.
func (in *input) parseBang(token string, from, to int, finished bool) {
	in.kind = bang
	in.query = without(in.text, from, to)
	plugin, item := in.findBang(token)
	if !finished {
		in.completeBang(token, from)
	}
	if plugin == nil {
		if len(in.completions) == 0 {
			in.notices = append(in.notices, Notice{Text: "nothing takes !" + token})
		}
		return
	}
	detail := item.Description
	if detail == "" {
		detail = plugin.Manifest.Name
	}
	if item.Source != "" && finished && in.setScope(item.Source) {
		in.finish = finish{plugin.ID, token, detail}
		return
	}
	in.setRun(plugin.ID, strings.TrimSpace("!"+token+" "+in.query), detail)
}

// findBang returns who takes token: whoever declares it before whoever takes all.
func (in *input) findBang(token string) (*PluginInfo, *protocol.Bang) {
	var plugin *PluginInfo
	var all *protocol.Bang
	for i := range in.plugins {
		b := in.plugins[i].Manifest.Bangs
		if b == nil {
			continue
		}
		for k := range b.Items {
			switch item := &b.Items[k]; {
			case strings.EqualFold(item.Token, token):
				return &in.plugins[i], item
			case item.Token == "*" && all == nil:
				plugin, all = &in.plugins[i], item
			}
		}
	}
	return plugin, all
}

func (in *input) completeBang(token string, from int) {
	token = strings.ToLower(token)
	for _, p := range in.plugins {
		if p.Manifest.Bangs == nil {
			continue
		}
		for _, item := range p.Manifest.Bangs.Items {
			if item.Token != "*" && strings.HasPrefix(strings.ToLower(item.Token), token) {
				in.completions = append(in.completions, Completion{Value: in.text[:from] + "!" + item.Token + " ", Label: "!" + item.Token, Detail: item.Description, Plugin: p.ID})
			}
		}
	}
	slices.SortStableFunc(in.completions, func(a, b Completion) int { return strings.Compare(a.Label, b.Label) })
}

// typedCommand is `:command subcommand args` taken apart.
type typedCommand struct {
	command, subcommand string
	args                []string
}

func splitCommand(text string) typedCommand {
	words := strings.Fields(strings.TrimPrefix(strings.TrimLeft(text, " \t"), ":"))
	var t typedCommand
	if len(words) > 0 {
		t.command = words[0]
	}
	if len(words) > 1 {
		t.subcommand, t.args = words[1], words[2:]
	}
	return t
}

// parseCommand handles an input that begins with a colon.
func (in *input) parseCommand(text string) {
	in.kind, in.query = command, ""
	t := splitCommand(text)
	plugin, c := in.findCommand(t)
	if plugin != nil {
		detail := c.Description
		if detail == "" {
			detail = plugin.Manifest.Name
		}
		in.setRun(plugin.ID, strings.TrimSpace(text), detail)
	}
	// A command typed whole is what is meant, even where it begins another one's
	// name; one more letter brings the completions back.
	if c == nil || c.Subcommand != t.subcommand {
		in.completeCommand(text, t)
	}
	if plugin == nil && len(in.completions) == 0 {
		in.notices = append(in.notices, Notice{Text: "no command is called :" + strings.TrimSpace(t.command+" "+t.subcommand)})
	}
}

// findCommand returns who takes t: an exact subcommand before any, in turn.
func (in *input) findCommand(t typedCommand) (*PluginInfo, *protocol.Command) {
	var plugin *PluginInfo
	var found *protocol.Command
	for i := range in.plugins {
		c := in.plugins[i].Manifest.CommandFor(t.command, t.subcommand)
		if c == nil {
			continue
		}
		if c.Subcommand == t.subcommand {
			return &in.plugins[i], c
		}
		if found == nil && t.subcommand != "" {
			plugin, found = &in.plugins[i], c
		}
	}
	return plugin, found
}

// completeCommand completes the command, or the subcommand once a space or a
// further word follows it.
func (in *input) completeCommand(text string, t typedCommand) {
	if len(t.args) > 0 || t.subcommand != "" && endsInSpace(text) {
		return
	}
	names := t.subcommand == "" && !endsInSpace(text) || t.command == ""
	for _, p := range in.plugins {
		for _, c := range p.Manifest.Commands {
			done := Completion{Detail: c.Description, Plugin: p.ID}
			switch {
			case names && strings.HasPrefix(c.Command, t.command):
				done.Value, done.Label = ":"+c.Command+" ", ":"+c.Command
				done.Detail = p.Manifest.Name
			case !names && c.Command == t.command && c.Subcommand != "*" && c.Subcommand != "" && strings.HasPrefix(c.Subcommand, t.subcommand):
				done.Value, done.Label = ":"+c.Command+" "+c.Subcommand+" ", ":"+c.Command+" "+c.Subcommand
			default:
				continue
			}
			if !slices.ContainsFunc(in.completions, func(o Completion) bool { return o.Value == done.Value }) {
				in.completions = append(in.completions, done)
			}
		}
	}
	slices.SortStableFunc(in.completions, func(a, b Completion) int { return strings.Compare(a.Label, b.Label) })
}

func endsInSpace(s string) bool { return strings.TrimRight(s, " \t") != s }

// setRun offers what was typed as a row; its id is the text itself, which is all
// that Act needs.
func (in *input) setRun(plugin, text, detail string) {
	in.run = &Row{
		ID: text, Plugin: plugin, Title: text, Subtitle: detail,
		Row: protocol.Row{Title: text, Metadata: protocol.NewMetadata(map[string]string{protocol.MetaSubtitle: detail})},
	}
}
