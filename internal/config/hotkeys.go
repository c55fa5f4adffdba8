package config

import (
	"maps"
	"slices"
	"strings"
)

func (l *loader) hotkeys(t *table, h *Hotkeys) {
	open := h.Open
	t.text("open", &open, 64)
	if open == "" {
		h.Open = ""
	} else if c, problem := parseChord(open); problem != "" {
		t.fail(t.key("open"), problem, chordRemedy)
	} else {
		h.Open = c
	}
	bind := t.sub("bind")
	for _, chord := range sortedKeys(bind.values) {
		target, ok := bind.target(chord)
		c, problem := parseChord(chord)
		_, twice := h.Bind[c]
		switch {
		case problem != "":
			bind.fail(bind.key(chord), problem, chordRemedy)
		case c == h.Open || twice:
			bind.fail(bind.key(chord), "is bound twice", "give one of the two another key")
		case ok:
			if h.Bind == nil {
				h.Bind = map[string]Target{}
			}
			h.Bind[c] = target
		}
	}
	t.done()
}

func (l *loader) aliases(t *table, to *map[string]Target) {
	for _, name := range sortedKeys(t.values) {
		target, ok := t.target(name)
		switch {
		case name != strings.TrimSpace(name) || name == "" || len(name) > maxAlias || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
			t.fail(t.key(name), "is no name that could be typed", "use 1 to 64 bytes without blanks around them")
		case strings.ContainsRune(":!@=", rune(name[0])):
			t.fail(t.key(name), "begins with "+quote(name[:1])+", which means something else in the flashlight", "begin it with a letter")
		case ok:
			if *to == nil {
				*to = map[string]Target{}
			}
			(*to)[name] = target
		}
	}
}

const targetRemedy = `write a text, or one of { query = "text" }, { row = "plugin/0123456789abcdef" }, { command = ":command" }`

// target reads what a hot key or an alias stands for. A text is what is typed
// into the flashlight; "" is nothing.
func (t *table) target(name string) (Target, bool) {
	v, _ := t.take(name)
	if s, is := v.(string); is {
		return Target{Query: s}, t.fits(name, s) && s != ""
	}
	if _, is := v.(map[string]any); !is {
		t.fail(t.key(name), "is "+kind(v)+", neither a string nor a table", targetRemedy)
		return Target{}, false
	}
	in := t.sub(name)
	var to Target
	before := len(t.faults)
	in.text("query", &to.Query, maxText)
	in.text("row", &to.Row, maxText)
	in.text("command", &to.Command, maxText)
	in.done()
	if len(t.faults) > before {
		return Target{}, false
	}
	set := slices.DeleteFunc([]string{to.Query, to.Row, to.Command}, func(s string) bool { return s == "" })
	switch {
	case len(set) != 1:
		t.fail(t.key(name), "does not say one thing to do", targetRemedy)
	case to.Row != "" && !validRow(to.Row):
		t.fail(in.key("row"), quote(to.Row)+" is no row id", "take it from `flash query --json`")
	case to.Command != "" && to.Command[0] != ':' && to.Command[0] != '!':
		t.fail(in.key("command"), "begins with neither : nor !", `write it as you would type it, like ":clipboard clear"`)
	default:
		return to, true
	}
	return Target{}, false
}

func (t *table) fits(name, s string) bool {
	if len(s) > maxText {
		t.fail(t.key(name), "is longer than 4096 bytes", "shorten it")
		return false
	}
	return true
}

// validRow knows the form of a row's id, PLUGIN/16 hexadecimal digits.
func validRow(s string) bool {
	plugin, key, ok := strings.Cut(s, "/")
	return ok && validID(plugin) && len(key) == 16 && strings.Trim(key, "0123456789abcdef") == ""
}

// view is the target as the file has it.
func (t Target) view() any {
	switch {
	case t.Row != "":
		return map[string]any{"row": t.Row}
	case t.Command != "":
		return map[string]any{"command": t.Command}
	}
	return t.Query
}

// Text is what of a target can be typed, "" for a row.
func (t Target) Text() string {
	if t.Command != "" {
		return t.Command
	}
	return t.Query
}

func targetsView(m map[string]Target) map[string]any {
	if len(m) == 0 {
		return nil
	}
	out := map[string]any{}
	for name, t := range maps.All(m) {
		out[name] = t.view()
	}
	return out
}
