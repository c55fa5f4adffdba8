package conformance

import (
	"encoding/json"
	"strconv"
	"strings"
)

// vars are the `${name}` of a scenario: what the manifest declares and the
// counters of repeats.
type vars map[string]string

// expand replaces `${name}` in every string of v, and `{"$repeat":{"text":…,
// "times":N}}` by the long string it stands for. A string that is nothing but
// one counter becomes a number.
func (vs vars) expand(v any) any {
	switch x := v.(type) {
	case string:
		if name, ok := wholeVariable(x); ok {
			if n, err := strconv.ParseInt(vs[name], 10, 64); err == nil {
				return json.Number(strconv.FormatInt(n, 10))
			}
		}
		return vs.text(x)
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = vs.expand(item)
		}
		return out
	case map[string]any:
		if s, ok := vs.repeated(x); ok {
			return s
		}
		out := make(map[string]any, len(x))
		for key, item := range x {
			out[vs.text(key)] = vs.expand(item)
		}
		return out
	}
	return v
}

func (vs vars) repeated(o map[string]any) (string, bool) {
	spec, ok := o["$repeat"].(map[string]any)
	if !ok {
		return "", false
	}
	text, _ := spec["text"].(string)
	n, _ := spec["times"].(json.Number)
	times, err := n.Int64()
	if err != nil || times < 0 {
		return "", false
	}
	return strings.Repeat(text, int(times)), true
}

// text replaces `${name}` in s; an unknown name stays as it is.
func (vs vars) text(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := vs[name]
		if !closed || !known {
			b.WriteString("${")
			s = rest
			continue
		}
		b.WriteString(value)
		s = after
	}
}

func wholeVariable(s string) (string, bool) {
	name, ok := strings.CutPrefix(s, "${")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, "}")
	return name, ok && !strings.Contains(name, "}")
}
