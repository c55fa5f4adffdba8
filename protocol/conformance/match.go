package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// missing stands for a key that the object does not have.
type missing struct{}

// Match compares a decoded JSON value with an expectation and returns one
// line for each difference, none when they agree.
//
// A literal matches itself: objects have exactly the expected keys, arrays
// the expected length. An object whose keys begin with `$` is a matcher:
//
//	$any      true: any value that is there
//	$absent   true: the key is not there
//	$optional M: not there, or M
//	$type     string, integer, number, boolean, array, object or null
//	$len      N, or a matcher of N: bytes of a string, items, keys
//	$min/$max inclusive bounds of a number
//	$contains a part of a string
//	$prefix / $suffix of a string
//	$has      {…}: an object with at least these keys
//	$items    M: every item of an array
//	$includes M: at least one item of an array
//	$json     M: a string that is JSON of M
//	$not      M: anything else
//	$one_of   [M…] and $all [M…]
func Match(want, got any) []string {
	var m matcher
	m.value("", want, got)
	return m.differences
}

type matcher struct{ differences []string }

func (m *matcher) add(path, want string, got any) {
	if path == "" {
		path = "(whole)"
	}
	m.differences = append(m.differences, fmt.Sprintf("%s: want %s, got %s", path, want, show(got)))
}

func (m *matcher) value(path string, want, got any) {
	if w, ok := want.(map[string]any); ok && isOperator(w) {
		for _, key := range sortedKeys(w) {
			m.operator(path, key, w[key], got)
		}
		return
	}
	if _, ok := got.(missing); ok {
		m.add(path, show(want), got)
		return
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			m.add(path, "an object", got)
			return
		}
		m.keys(path, w, g)
		for _, key := range sortedKeys(g) {
			if _, ok := w[key]; !ok {
				m.add(path+"."+key, "no such key", g[key])
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			m.add(path, "an array", got)
			return
		}
		if len(w) != len(g) {
			m.add(path, fmt.Sprintf("%d items", len(w)), fmt.Sprintf("%d items", len(g)))
			return
		}
		for i := range w {
			m.value(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])
		}
	case json.Number:
		if g, ok := got.(json.Number); !ok || !sameNumber(w, g) {
			m.add(path, w.String(), got)
		}
	default:
		if want != got {
			m.add(path, show(want), got)
		}
	}
}

func (m *matcher) keys(path string, want, got map[string]any) {
	for _, key := range sortedKeys(want) {
		g, ok := got[key]
		if !ok {
			m.value(path+"."+key, want[key], missing{})
			continue
		}
		m.value(path+"."+key, want[key], g)
	}
}

func (m *matcher) operator(path, op string, arg, got any) {
	_, gone := got.(missing)
	switch op {
	case "$absent":
		if !gone {
			m.add(path, "no such key", got)
		}
		return
	case "$optional":
		if !gone {
			m.value(path, arg, got)
		}
		return
	case "$not":
		if len(Match(arg, got)) == 0 {
			m.add(path, "anything but "+show(arg), got)
		}
		return
	}
	if gone {
		m.add(path, show(map[string]any{op: arg}), got)
		return
	}
	switch op {
	case "$any":
	case "$type":
		if name, _ := arg.(string); !hasType(name, got) {
			m.add(path, "a value of type "+name, got)
		}
	case "$len":
		if n := length(got); n < 0 {
			m.add(path, "something with a length", got)
		} else {
			m.value(path+"(length)", arg, json.Number(fmt.Sprint(n)))
		}
	case "$min", "$max":
		m.bound(path, op, arg, got)
	case "$contains", "$prefix", "$suffix":
		part, _ := arg.(string)
		s, ok := got.(string)
		test := map[string]func(string, string) bool{"$contains": strings.Contains, "$prefix": strings.HasPrefix, "$suffix": strings.HasSuffix}[op]
		if !ok || !test(s, part) {
			m.add(path, fmt.Sprintf("a string with %s %s", op[1:], show(part)), got)
		}
	case "$has":
		if g, ok := got.(map[string]any); !ok {
			m.add(path, "an object", got)
		} else if w, ok := arg.(map[string]any); ok {
			m.keys(path, w, g)
		}
	case "$items", "$includes":
		m.items(path, op, arg, got)
	case "$json":
		s, _ := got.(string)
		v, err := decodeAny([]byte(s))
		if err != nil {
			m.add(path, "a string that holds JSON", got)
			return
		}
		m.value(path+"(json)", arg, v)
	case "$all", "$one_of":
		m.several(path, op, arg, got)
	default:
		m.add(path, "a known matcher instead of "+op, got)
	}
}

func (m *matcher) items(path, op string, arg, got any) {
	list, ok := got.([]any)
	if !ok {
		m.add(path, "an array", got)
		return
	}
	for i, item := range list {
		if op == "$items" {
			m.value(fmt.Sprintf("%s[%d]", path, i), arg, item)
		} else if len(Match(arg, item)) == 0 {
			return
		}
	}
	if op == "$includes" {
		m.add(path, "an item like "+show(arg), got)
	}
}

func (m *matcher) several(path, op string, arg, got any) {
	list, _ := arg.([]any)
	for _, w := range list {
		if op == "$all" {
			m.value(path, w, got)
		} else if len(Match(w, got)) == 0 {
			return
		}
	}
	if op == "$one_of" {
		m.add(path, "one of "+show(arg), got)
	}
}

func (m *matcher) bound(path, op string, arg, got any) {
	limit, _ := arg.(json.Number)
	n, ok := got.(json.Number)
	if ok {
		w, err1 := limit.Float64()
		g, err2 := n.Float64()
		ok = err1 == nil && err2 == nil && (op == "$min" && g >= w || op == "$max" && g <= w)
	}
	if !ok {
		m.add(path, fmt.Sprintf("a number with %s %s", op[1:], limit), got)
	}
}

func isOperator(o map[string]any) bool {
	for key := range o {
		if strings.HasPrefix(key, "$") {
			return true
		}
	}
	return false
}

func hasType(name string, v any) bool {
	switch x := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(x.String(), ".eE")
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

func length(v any) int {
	switch x := v.(type) {
	case string:
		return len(x)
	case []any:
		return len(x)
	case map[string]any:
		return len(x)
	}
	return -1
}

// sameNumber compares by value, exactly for integers: 2^53-1 and 2^53 differ.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, ok1 := new(big.Int).SetString(a.String(), 10)
	y, ok2 := new(big.Int).SetString(b.String(), 10)
	if ok1 && ok2 {
		return x.Cmp(y) == 0
	}
	f, err1 := a.Float64()
	g, err2 := b.Float64()
	return err1 == nil && err2 == nil && f == g
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// show renders a value for a person: compact JSON, cut where it gets long.
func show(v any) string {
	if _, ok := v.(missing); ok {
		return "nothing"
	}
	return shown(encode(v), 400)
}

func shown(b []byte, limit int) string {
	if len(b) <= limit {
		return string(b)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(b[:limit]), ""), len(b))
}
