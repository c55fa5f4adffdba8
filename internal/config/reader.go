package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// loader gathers every fault of one document.
type loader struct {
	doc    document
	faults []Fault
}

func (l *loader) fail(path []string, problem, remedy string) {
	pos := l.doc.find(path)
	l.faults = append(l.faults, Fault{Line: pos.line, Column: pos.column, Key: dotted(path), Problem: problem, Remedy: remedy})
}

// table reads one table. Each getter leaves its destination alone when the key
// is absent or wrong, so that what is right in a faulty file still holds.
type table struct {
	*loader
	path   []string
	values map[string]any
	known  []string
}

func (l *loader) rootTable() *table { return &table{loader: l, values: l.doc.root} }

func (t *table) key(name string) []string { return append(slices.Clone(t.path), name) }

func (t *table) take(name string) (any, bool) {
	t.known = append(t.known, name)
	v, ok := t.values[name]
	return v, ok
}

func (t *table) wrong(name, want string, got any) {
	t.fail(t.key(name), "is "+kind(got)+", not "+want, "")
}

// sub returns the named table, an empty one when it is absent.
func (t *table) sub(name string) *table {
	s := &table{loader: t.loader, path: t.key(name)}
	v, ok := t.take(name)
	if !ok {
		return s
	}
	if s.values, ok = v.(map[string]any); !ok {
		t.fail(s.path, "is "+kind(v)+", not a table", "write it as ["+dotted(s.path)+"]")
	}
	return s
}

func (t *table) boolean(name string, dst *bool) bool {
	v, ok := t.take(name)
	if !ok {
		return true
	}
	b, ok := v.(bool)
	if !ok {
		t.wrong(name, "true or false", v)
		return false
	}
	*dst = b
	return true
}

func (t *table) integer(name string, dst *int, low, high int) {
	v, ok := t.take(name)
	if !ok {
		return
	}
	n, ok := v.(int64)
	if !ok {
		t.wrong(name, "a whole number", v)
		return
	}
	if n < int64(low) || n > int64(high) {
		t.fail(t.key(name), "is "+strconv.FormatInt(n, 10), fmt.Sprintf("use %d to %d", low, high))
		return
	}
	*dst = int(n)
}

func (t *table) text(name string, dst *string, longest int) {
	v, ok := t.take(name)
	if !ok {
		return
	}
	s, ok := v.(string)
	if !ok {
		t.wrong(name, "a string", v)
		return
	}
	if len(s) > longest {
		t.fail(t.key(name), "is longer than "+strconv.Itoa(longest)+" bytes", "shorten it")
		return
	}
	*dst = s
}

func (t *table) choice(name string, dst *string, choices ...string) {
	s := *dst
	t.text(name, &s, 64)
	if slices.Contains(choices, s) {
		*dst = s
		return
	}
	remedy := "use one of " + strings.Join(choices, ", ")
	if n := nearest(s, choices); n != "" {
		remedy = "did you mean " + quote(n) + "?"
	}
	t.fail(t.key(name), quote(s)+" is not a choice", remedy)
}

func (t *table) duration(name string, dst *time.Duration, low, high time.Duration) {
	v, ok := t.take(name)
	if !ok {
		return
	}
	s, ok := v.(string)
	if !ok {
		t.fail(t.key(name), "is "+kind(v)+", not a duration", `write it as a string with its unit, like "5s"`)
		return
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.fail(t.key(name), quote(s)+" is not a duration", `write a number and a unit, like "5s" or "500ms"`)
		return
	}
	if d < low || d > high {
		t.fail(t.key(name), "is "+d.String(), fmt.Sprintf("use %s to %s", low, high))
		return
	}
	*dst = d
}

// list reads an array of strings. Each element passes through check, which
// returns what is kept, or the problem and its remedy.
func (t *table) list(name string, dst *[]string, check func(string) (kept, problem, remedy string)) {
	v, ok := t.take(name)
	if !ok {
		return
	}
	items, ok := v.([]any)
	if !ok {
		remedy := ""
		if s, is := v.(string); is {
			remedy = "write it as [" + quote(s) + "]"
		}
		t.fail(t.key(name), "is "+kind(v)+", not a list of strings", remedy)
		return
	}
	if len(items) > maxList {
		t.fail(t.key(name), "has "+strconv.Itoa(len(items))+" entries", "use at most "+strconv.Itoa(maxList))
		return
	}
	var out []string
	for i, item := range items {
		at := append(t.key(name), element(i))
		s, ok := item.(string)
		if !ok {
			t.fail(at, "is "+kind(item)+", not a string", "")
			continue
		}
		kept, problem, remedy := check(s)
		if problem != "" {
			t.fail(at, problem, remedy)
			continue
		}
		if !slices.Contains(out, kept) {
			out = append(out, kept)
		}
	}
	*dst = out
}

// done reports the keys that nothing asked for.
func (t *table) done() {
	for _, name := range sortedKeys(t.values) {
		if slices.Contains(t.known, name) {
			continue
		}
		remedy := "known here: " + strings.Join(t.known, ", ")
		if s := nearest(name, t.known); s != "" {
			remedy = "did you mean " + quote(s) + "?"
		}
		t.fail(t.key(name), "is not a setting of Flash", remedy)
	}
}

// rest returns the keys that nothing asked for.
func (t *table) rest() map[string]any {
	var out map[string]any
	for name, v := range t.values {
		if slices.Contains(t.known, name) {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = v
	}
	return out
}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64:
		return "a whole number"
	case float64:
		return "a decimal number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a date or time"
	}
}
