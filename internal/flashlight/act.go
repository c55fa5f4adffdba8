package flashlight

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/protocol"
)

// The actions that every row has, beside those of its plugin's manifest. An
// empty action is what Enter does.
const (
	ActionCopy     = "copy"       // where the row leads, or what it copies, or its title
	ActionReveal   = "reveal"     // the folder of a file
	ActionOpenWith = "open_with:" // followed by a bundle id
	ActionForget   = "forget"     // the frecency of the row
)

// Act carries out an action on the row that a query gave that id. The id of a
// command or a bang is the text that was typed.
func (e *Engine) Act(ctx context.Context, rowID, action string) protocol.Outcome {
	row, err := e.named(rowID)
	if err != "" {
		return protocol.Failed(err)
	}
	return e.actOnRow(ctx, row, action)
}

// Missing says why there is nothing to act on of that id; "" if there is something.
func (e *Engine) Missing(rowID string) string {
	_, err := e.named(rowID)
	return err
}

// named returns what Act acts on, or why there is nothing.
func (e *Engine) named(rowID string) (Row, string) {
	if !strings.HasPrefix(rowID, ":") && !strings.HasPrefix(rowID, "!") {
		return e.rowByID(rowID)
	}
	switch in := e.parse(rowID); {
	case in.run != nil:
		return *in.run, ""
	case len(in.notices) > 0:
		return Row{}, in.notices[0].Text
	case in.kind == scoped:
		return Row{}, rowID + " searches; act on a row that it finds"
	default:
		return Row{}, rowID + " is not whole; a query for it lists how it goes on"
	}
}

// rowByID finds a row in the catalogues, or among the last live rows.
func (e *Engine) rowByID(id string) (Row, string) {
	plugin, key, err := catalog.ParseRowID(id)
	if err != nil {
		return Row{}, err.Error()
	}
	if p := e.catalog.Snapshot().Plugin(plugin); p != nil {
		if r := slices.Index(p.Keys, key); r >= 0 {
			return rowOf(p, r), ""
		}
	}
	e.mu.Lock()
	recent := e.recent[plugin]
	e.mu.Unlock()
	if i := slices.Index(catalog.KeysOf(recent), key); i >= 0 {
		return makeRow(plugin, id, recent[i]), ""
	}
	if plugin != CorePlugin && !slices.ContainsFunc(e.backend.Plugins(), func(p PluginInfo) bool { return p.ID == plugin }) {
		return Row{}, "plugin " + plugin + " is not installed, or off; `flash plugins` says which"
	}
	return Row{}, "plugin " + plugin + " has no such row any more; query again"
}

// actOnRow carries out an action on row, and learns from it if it is what the
// row is for.
func (e *Engine) actOnRow(ctx context.Context, row Row, action string) protocol.Outcome {
	switch {
	case action == ActionCopy:
		return e.effect(ctx, protocol.Effect{Type: protocol.EffectCopyText, Text: copyText(row.Row)})
	case action == ActionReveal:
		dir, ok := folderOf(row.URL)
		if !ok {
			return protocol.Failed("this row is no file that could be shown in its folder")
		}
		return e.effect(ctx, protocol.Effect{Type: protocol.EffectOpen, URL: dir})
	case strings.HasPrefix(action, ActionOpenWith):
		if row.URL == "" {
			return protocol.Failed("this row has no URL to open")
		}
		return e.effect(ctx, protocol.Effect{Type: protocol.EffectOpen, URL: row.URL, BundleID: strings.TrimPrefix(action, ActionOpenWith)})
	case action == ActionForget:
		return e.forget(row.ID)
	case action != "":
		return e.pluginAction(ctx, row, action)
	case row.Row.Source == "":
		return e.runTyped(ctx, row)
	case row.finish.token != "":
		return e.runFinished(ctx, row)
	}
	out := e.resolve(ctx, row)
	if out.OK && e.rank != nil {
		if err := e.rank.Bump(row.ID); err != nil && out.Message == "" {
			out.Message = err.Error()
		}
	}
	return out
}

func (e *Engine) actOnAnswer(ctx context.Context, a Answer) protocol.Outcome {
	if a.Effect.Type == protocol.EffectNone {
		return protocol.Unhandled()
	}
	return e.effect(ctx, a.Effect)
}

// resolve does what row is for: its effect, else what its plugin makes of it,
// else going where it leads.
func (e *Engine) resolve(ctx context.Context, row Row) protocol.Outcome {
	if row.Row.Effect.Type != protocol.EffectNone {
		return e.effect(ctx, row.Row.Effect)
	}
	out := protocol.Unhandled()
	if row.Plugin != CorePlugin {
		out = e.backend.Perform(ctx, row.Plugin, protocol.Perform{Kind: protocol.PerformResolve, Row: row.Row})
	}
	switch {
	case out.OK && out.NavigationURL != "":
		return e.navigate(ctx, out.NavigationURL, out)
	case !out.Unhandled:
		return out
	}
	if nav, _ := row.Row.Metadata.Get(protocol.MetaNavigationURL); nav != "" {
		return e.navigate(ctx, nav, out)
	}
	if row.URL != "" {
		return e.navigate(ctx, row.URL, out)
	}
	return out
}

// navigate goes to a URL: by the plugins that take it, else by opening it. done
// is the outcome so far, whose message is kept.
func (e *Engine) navigate(ctx context.Context, to string, done protocol.Outcome) protocol.Outcome {
	for _, p := range e.loaded() {
		if !slices.ContainsFunc(p.Manifest.Navigation, func(n string) bool { return takes(n, to) }) {
			continue
		}
		out := e.backend.Perform(ctx, p.ID, protocol.Perform{Kind: protocol.PerformNavigate, URL: to})
		if !out.Unhandled {
			out.NavigationURL = "" // a second hop could go round in circles
			if out.Message == "" {
				out.Message = done.Message
			}
			return out
		}
	}
	out := e.effect(ctx, protocol.Effect{Type: protocol.EffectOpen, URL: to})
	if out.OK {
		out.Message = done.Message
	}
	return out
}

// takes says whether a navigation entry of a manifest, a scheme or the beginning
// of a URL, takes to.
func takes(entry, to string) bool {
	if strings.Contains(entry, ":") {
		return strings.HasPrefix(to, entry)
	}
	scheme, _, ok := strings.Cut(to, ":")
	return ok && entry != "" && strings.EqualFold(scheme, entry)
}

// runTyped runs a command or a bang as typed.
func (e *Engine) runTyped(ctx context.Context, row Row) protocol.Outcome {
	text := row.ID
	if strings.HasPrefix(text, ":") {
		in := input{plugins: e.loaded()}
		t := splitCommand(text)
		plugin, _ := in.findCommand(t)
		if plugin == nil {
			return protocol.Failed("nothing takes this command any more")
		}
		return e.perform(ctx, plugin.ID, protocol.Perform{Kind: protocol.PerformCommand, Command: t.command, Subcommand: t.subcommand, Args: t.args, Raw: text})
	}
	token, from, to, _, ok := bangToken(text)
	in := input{plugins: e.loaded()}
	plugin, _ := in.findBang(token)
	if !ok || plugin == nil {
		return protocol.Failed("nothing takes this bang any more")
	}
	return e.perform(ctx, plugin.ID, protocol.Perform{
		Kind: protocol.PerformCommand, Command: plugin.Manifest.Bangs.Command, Subcommand: token,
		Args: strings.Fields(without(text, from, to)), Raw: text,
	})
}

// perform runs something that only that plugin can do, so that it says why where
// the plugin did not.
func (e *Engine) perform(ctx context.Context, plugin string, p protocol.Perform) protocol.Outcome {
	out := e.backend.Perform(ctx, plugin, p)
	switch {
	case out.OK && out.NavigationURL != "":
		return e.navigate(ctx, out.NavigationURL, out)
	case !out.Unhandled:
		return out
	}
	for _, q := range e.loaded() {
		if q.ID == plugin && q.Running {
			return protocol.Failed("plugin " + plugin + " does not know how to do this")
		}
	}
	return protocol.Failed("plugin " + plugin + " is not running; `flash doctor` says why")
}

// pluginAction runs an action of the row's plugin, which is told the row.
func (e *Engine) pluginAction(ctx context.Context, row Row, action string) protocol.Outcome {
	in := input{plugins: e.loaded()}
	m := in.plugin(row.Plugin)
	if m == nil || !slices.Contains(m.Actions, action) {
		return protocol.Failed("plugin " + row.Plugin + " has no action " + action)
	}
	args := append([]byte(`{"row":`), protocol.AppendRow(nil, row.Row)...)
	return e.perform(ctx, row.Plugin, protocol.Perform{Kind: protocol.PerformAction, Name: action, Context: e.context(), ActionArgs: append(args, '}')})
}

func (e *Engine) effect(ctx context.Context, f protocol.Effect) protocol.Outcome {
	if err := e.backend.Effect(ctx, f); err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

func (e *Engine) forget(id string) protocol.Outcome {
	if e.rank == nil {
		return protocol.Failed("no habit is kept")
	}
	if err := e.rank.Clear(id); err != nil {
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

// copyText is what copying row copies.
func copyText(row protocol.Row) string {
	switch {
	case row.Effect.Type == protocol.EffectCopyText, row.Effect.Type == protocol.EffectInsertText:
		return row.Effect.Text
	case row.URL != "":
		return row.URL
	case row.Effect.URL != "":
		return row.Effect.URL
	}
	return row.Title
}

// folderOf returns the URL of the folder that a file URL or path is in.
func folderOf(u string) (string, bool) {
	path := u
	if rest, ok := strings.CutPrefix(u, "file://"); ok {
		p, err := url.PathUnescape(strings.TrimPrefix(rest, "localhost"))
		if err != nil {
			return "", false
		}
		path = p
	}
	if !filepath.IsAbs(path) {
		return "", false
	}
	return (&url.URL{Scheme: "file", Path: filepath.Dir(path)}).String(), true
}
