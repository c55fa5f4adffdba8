package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/pointer/engine"
)

// reader takes keys out of the table one by one; what is left is unknown.
type reader struct {
	values map[string]json.RawMessage
	known  []string
	faults Faults
}

func newReader(data []byte) (*reader, error) {
	r := &reader{values: map[string]json.RawMessage{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return r, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r.values); err != nil || r.values == nil {
		return nil, fmt.Errorf("pointer: the table is not a JSON object; write [pointer] in config.toml")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("pointer: there is text after the table; write one [pointer] in config.toml")
	}
	return r, nil
}

func (r *reader) take(key string) (json.RawMessage, bool) {
	r.known = append(r.known, key)
	v, ok := r.values[key]
	return v, ok
}

func (r *reader) fault(key, problem, remedy string) {
	r.faults = append(r.faults, Fault{Key: key, Value: clip(r.values[key]), Problem: problem, Remedy: remedy})
}

// clip keeps a value that somebody pasted from filling the terminal.
func clip(v json.RawMessage) string {
	const longest = 60
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return ""
	}
	if s := b.String(); len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(b.String()[:longest], "") + "…"
}

func (r *reader) boolean(key string, to *bool) {
	v, ok := r.take(key)
	if !ok {
		return
	}
	switch string(v) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		r.fault(key, "is not a boolean", "use true or false")
	}
}

func (r *reader) number(key string, to *float64, low, high float64) {
	v, ok := r.take(key)
	if !ok {
		return
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsNaN(f) || f < low || f > high {
		r.fault(key, "is not a number in range", fmt.Sprintf("use %g to %g", low, high))
		return
	}
	*to = f
}

func (r *reader) integer(key string, to *int64, low, high int64) {
	v, ok := r.take(key)
	if !ok {
		return
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < low || n > high {
		r.fault(key, "is not a whole number in range", fmt.Sprintf("use %d to %d", low, high))
		return
	}
	*to = n
}

// Button numbers that may be bound. 0 and 1 are the left and right buttons: a
// mouse without them could not even open this file.
const (
	firstButton = 2
	lastButton  = 31
)

func (r *reader) button(key string, to *int32) {
	n := int64(*to)
	r.integer(key, &n, firstButton, lastButton)
	if v, ok := r.values[key]; ok && (string(v) == "0" || string(v) == "1") {
		r.faults[len(r.faults)-1].Problem = "is the left or right button, which stays as it is"
	}
	*to = int32(n)
}

func (r *reader) distinct(e *engine.Config) {
	if len(r.faults) > 0 {
		return
	}
	for _, p := range [...]struct {
		key, other string
		same       bool
	}{
		{"back", "gesture", e.Back == e.Gesture},
		{"forward", "gesture", e.Forward == e.Gesture},
		{"forward", "back", e.Forward == e.Back},
	} {
		if p.same {
			key := p.key
			if _, set := r.values[key]; !set {
				key = p.other
			}
			r.fault(key, "is one button for both "+p.other+" and "+p.key, "give each its own; `flash pointer inspect` shows the numbers of yours")
		}
	}
}

func choose[T any](r *reader, key string, to *T, words []string, values ...T) {
	v, ok := r.take(key)
	if !ok {
		return
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		if i := slices.Index(words, s); i >= 0 {
			*to = values[i]
			return
		}
	}
	r.fault(key, "is not one of its values", "use "+alternatives(words))
}

func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func (r *reader) done() Faults {
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		if !slices.Contains(r.known, key) {
			r.fault(key, "is not a key of [pointer]", "remove it; the keys are "+strings.Join(r.known, ", "))
		}
	}
	return r.faults
}

// sub reads the table at key; its faults come out under key.
func (r *reader) sub(key string) *reader {
	v, ok := r.take(key)
	if !ok {
		return nil
	}
	s, err := newReader(v)
	if err != nil {
		r.fault(key, "is not a table", "write [pointer."+key+"]")
		return nil
	}
	return s
}

func (r *reader) adopt(key string, s *reader) {
	for _, f := range s.faults {
		f.Key = key + "." + f.Key
		r.faults = append(r.faults, f)
	}
}

func (r *reader) actions() map[string]Action {
	t := r.sub("actions")
	if t == nil {
		return nil
	}
	out := map[string]Action{}
	for _, stroke := range strokes {
		v, ok := t.take(stroke)
		if !ok {
			continue
		}
		a, problem, remedy := action(v)
		if problem != "" {
			t.fault(stroke, problem, remedy)
			continue
		}
		out[stroke] = a
	}
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if !slices.Contains(strokes[:], key) {
			t.fault(key, "is not a stroke or button", "use "+alternatives(strokes[:]))
		}
	}
	r.adopt("actions", t)
	return out
}

func action(v json.RawMessage) (a Action, problem, remedy string) {
	words := append(slices.Clone(Names[:]), "none")
	var name string
	if json.Unmarshal(v, &name) == nil {
		if name == "none" {
			return Action{}, "", ""
		}
		if slices.Contains(Names[:], name) {
			return Action{Kind: Named, Name: name}, "", ""
		}
		return a, "is not an action", "use " + alternatives(words) + ", {keys = \"ctrl+alt+left\"} or {command = [\"prog\"]}"
	}
	t, err := newReader(v)
	if err != nil {
		return a, "is not an action", "use a name, {keys = \"ctrl+alt+left\"} or {command = [\"prog\"]}"
	}
	if len(t.values) != 1 {
		return a, "has not exactly one of keys and command", "use {keys = \"…\"} or {command = [\"…\"]}"
	}
	if v, ok := t.values["keys"]; ok {
		var chord string
		if json.Unmarshal(v, &chord) != nil {
			return a, "has keys that are not a string", "use keys = \"ctrl+alt+left\""
		}
		keys, err := ParseChord(chord)
		if err != nil {
			return a, err.Error(), "use modifiers (ctrl, alt, shift, super) and one key, such as ctrl+alt+left"
		}
		return Action{Kind: Chord, Keys: keys}, "", ""
	}
	var argv []string
	if v, ok := t.values["command"]; !ok || json.Unmarshal(v, &argv) != nil || len(argv) == 0 || argv[0] == "" {
		return a, "has no command that could run", "use command = [\"program\", \"argument\"]"
	}
	return Action{Kind: Command, Argv: argv}, "", ""
}

func (r *reader) devices() map[string]Device {
	t := r.sub("devices")
	if t == nil {
		return nil
	}
	out := map[string]Device{}
	for _, name := range slices.Sorted(maps.Keys(t.values)) {
		d, err := newReader(t.values[name])
		if err != nil {
			t.fault(name, "is not a table", "write [pointer.devices."+strconv.Quote(name)+"]")
			continue
		}
		var v Device
		choose(d, "class", &v.Class, []string{"mx_master", "mouse", "trackpad"}, engine.MX, engine.Mouse, engine.Trackpad)
		d.boolean("skip_first_report", &v.SkipFirstReport)
		d.boolean("ignore", &v.Ignore)
		d.faults = d.done()
		t.adopt(strconv.Quote(name), d)
		out[name] = v
	}
	r.adopt("devices", t)
	return out
}
