package flashlight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/match"
	"github.com/flash-launcher/flash/protocol"
)

// CorePlugin is the id under which the host's own rows are published; its
// sources are locations without a manifest saying so.
const CorePlugin = "core"

// input is a parsed text together with whom it concerns, by the plugins that
// were loaded when it was typed.
type input struct {
	text        string // as typed
	kind        kind
	query       string // what rows are matched with
	scope       string // the source token that query is scoped to, "" for the pool
	plugins     []PluginInfo
	core        []string // the host's own sources
	live        []liveAsk
	evaluators  []PluginInfo
	run         *Row   // the command or bang that Enter would run
	finish      finish // the bang whose source is searched
	alias       string // the id of the row that the text is an alias for
	completions []Completion
	notices     []Notice
}

// parse routes text. It asks the backend which plugins there are, and nothing else.
func (e *Engine) parse(text string) input {
	in := input{text: text, query: text, plugins: e.loaded()}
	if p := e.catalog.Snapshot().Plugin(CorePlugin); p != nil {
		in.core = p.Index.Sources()
	}
	trimmed := strings.TrimLeft(text, " \t")
	if strings.HasPrefix(trimmed, ":") {
		in.parseCommand(trimmed)
		return in
	}
	if token, from, to, finished, ok := bangToken(text); ok {
		in.parseBang(token, from, to, finished)
		return in
	}
	if before, ok := strings.CutSuffix(text, "!"); ok && (before == "" || endsInSpace(before)) {
		in.completeBang("", len(before)) // it is no bang yet, and may become any
	}
	if token, from, to, finished, ok := atToken(text); ok {
		in.parseSource(token, from, to, finished)
		if in.kind == completed {
			return in
		}
	}
	in.chooseEvaluators()
	e.takeAlias(&in)
	return in
}

// loaded returns the plugins in the order in which they come to turn: by
// manifest priority, the highest first, then id.
func (e *Engine) loaded() []PluginInfo {
	plugins := slices.Clone(e.backend.Plugins())
	plugins = slices.DeleteFunc(plugins, func(p PluginInfo) bool { return p.Manifest == nil })
	slices.SortFunc(plugins, func(a, b PluginInfo) int {
		if c := cmp.Compare(b.Manifest.Priority, a.Manifest.Priority); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return plugins
}

func (in *input) plugin(id string) *protocol.Manifest {
	for i := range in.plugins {
		if in.plugins[i].ID == id {
			return in.plugins[i].Manifest
		}
	}
	return nil
}

// parseSource handles the first @token.
func (in *input) parseSource(token string, from, to int, finished bool) {
	if !finished {
		in.kind = completed
		in.completeSource(token, from)
		return
	}
	if !in.setScope(token) {
		in.notices = append(in.notices, Notice{Text: "no source is called @" + token})
		return
	}
	in.query = without(in.text, from, to)
}

// setScope scopes the input to the sources that token names; false if there are none.
func (in *input) setScope(token string) bool {
	found := slices.ContainsFunc(in.core, func(source string) bool { return covers(token, source) })
	for _, p := range in.plugins {
		var live []string
		for _, s := range p.Manifest.Sources {
			if covers(token, s.Name) {
				found = true
				if s.Live {
					live = append(live, s.Name)
				}
			}
		}
		if len(live) > 0 {
			in.live = append(in.live, liveAsk{p.ID, live})
		}
	}
	if found {
		in.kind, in.scope = scoped, token
	}
	return found
}

func (in *input) completeSource(token string, from int) {
	token = strings.ToLower(token)
	add := func(name, detail, plugin string) {
		if strings.Contains(strings.ToLower(name), token) {
			in.completions = append(in.completions, Completion{Value: in.text[:from] + "@" + name + " ", Label: "@" + name, Detail: detail, Plugin: plugin})
		}
	}
	for _, source := range in.core {
		add(source, "", CorePlugin)
	}
	for _, p := range in.plugins {
		for _, s := range p.Manifest.Sources {
			add(s.Name, p.Manifest.Name, p.ID)
		}
	}
	begins := func(c Completion) bool { return strings.HasPrefix(strings.ToLower(c.Label[1:]), token) }
	slices.SortStableFunc(in.completions, func(a, b Completion) int {
		if x, y := begins(a), begins(b); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Label, b.Label)
	})
	if len(in.completions) == 0 {
		in.notices = append(in.notices, Notice{Text: "no source is called @" + token})
	}
}

// include says whether rows of source of plugin are searched, and their priority.
func (in *input) include(plugin, source string) (bool, match.Priority) {
	if m := in.plugin(plugin); m != nil {
		s := m.Source(source)
		if s == nil {
			return false, match.Normal
		}
		if in.kind == scoped {
			return covers(in.scope, source), match.ParsePriority(s.Priority)
		}
		return s.Kind == protocol.SourceLocations, match.ParsePriority(s.Priority)
	}
	if plugin != CorePlugin {
		return false, match.Normal
	}
	return in.kind != scoped || covers(in.scope, source), match.Normal
}

// chooseEvaluators says who is asked for answers: of a plain input all
// evaluators, or only those that declare a literal prefix that it begins with;
// of a scoped one those that own a source in scope.
func (in *input) chooseEvaluators() {
	if strings.TrimSpace(in.query) == "" {
		return
	}
	text := strings.TrimLeft(in.query, " \t")
	claimed := false
	for _, p := range in.plugins {
		if p.Manifest.Query == nil || !p.Running {
			continue
		}
		if in.kind == scoped && !slices.ContainsFunc(p.Manifest.Sources, func(s protocol.Source) bool { return covers(in.scope, s.Name) }) {
			continue
		}
		claims := slices.ContainsFunc(p.Manifest.Query.Prefixes, func(prefix string) bool {
			return prefix != "" && strings.HasPrefix(text, prefix)
		})
		switch {
		case claims && !claimed:
			claimed, in.evaluators = true, []PluginInfo{p}
		case claims || !claimed:
			in.evaluators = append(in.evaluators, p)
		}
	}
}
