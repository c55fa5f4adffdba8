package protocol

import (
	"math"
	"strconv"
)

// Object is strict access to one JSON object, for the small values of the
// wire. Getters return the zero value after a fault and the first fault is
// kept; Done reports it, or a key that nobody asked for. A null is an absent
// value. Getters without Opt require the key.
type Object struct {
	path    string
	raw     []byte
	members []member
	root    *Object // itself, or the object that it lies in
	err     error   // of the root only, so that one Done says all
	room    [4]member
}

type member struct {
	key        string
	text       string // the value as it stands in the document
	start, end int    // of text within raw
	read       bool
}

// ParseObject validates raw whole and returns its members. Empty raw, an
// envelope without params, is the empty object.
func ParseObject(raw []byte) (*Object, error) {
	o := &Object{raw: raw}
	o.root = o
	if len(raw) == 0 {
		return o, nil
	}
	if o.parse(string(raw)); o.err != nil {
		return nil, o.err
	}
	return o, nil
}

func (o *Object) parse(text string) {
	sc := scanner{s: text}
	o.members = o.room[:0]
	sc.open('{')
	set := sc.newKeySet()
	for n := 0; sc.next(n, '}'); n++ {
		k, ok := sc.key()
		if !ok || !o.fresh(&sc, &set, k) {
			break
		}
		start := sc.here().i
		if !sc.skip() {
			break
		}
		o.members = append(o.members, member{key: k, text: text[start:sc.i], start: start, end: sc.i})
	}
	if !sc.end() {
		o.Fail("", sc.fault)
	}
}

// fresh reports whether k is no duplicate. The few keys of a usual object are
// compared with the members; only a large one takes a set.
func (o *Object) fresh(sc *scanner, set *keySet, k string) bool {
	if len(o.members) >= smallObject {
		if set.big == nil {
			for i := range o.members {
				set.add(sc, o.members[i].key)
			}
		}
		return set.add(sc, k)
	}
	for i := range o.members {
		if o.members[i].key == k {
			return sc.fail("duplicate key")
		}
	}
	return true
}

// Fail records a fault of key, unless there is one already.
func (o *Object) Fail(key, problem string) {
	if o.root.err == nil {
		o.root.err = &DecodeError{o.at(key), problem}
	}
}

// Err returns the first fault so far, without asking for unread keys.
func (o *Object) Err() error { return o.root.err }

// Done returns the first fault, or names a key that nobody read.
func (o *Object) Done() error {
	o.unread()
	return o.root.err
}

func (o *Object) unread() {
	for i := range o.members {
		if m := &o.members[i]; !m.read {
			o.Fail("", "unknown key"+shown(m.key))
			return
		}
	}
}

func (o *Object) at(key string) string {
	switch {
	case key == "":
		return o.path
	case o.path == "":
		return key
	}
	return o.path + "." + key
}

// Ignore marks keys as known.
func (o *Object) Ignore(keys ...string) {
	for _, k := range keys {
		o.find(k)
	}
}

// IgnoreRest marks every key as known, for values that a later version may extend.
func (o *Object) IgnoreRest() {
	for i := range o.members {
		o.members[i].read = true
	}
}

// Keys returns the keys in the order of the document.
func (o *Object) Keys() []string {
	keys := make([]string, len(o.members))
	for i := range o.members {
		keys[i] = o.members[i].key
	}
	return keys
}

// find returns the member with key, nil when it is absent or null.
func (o *Object) find(key string) *member {
	for i := range o.members {
		if m := &o.members[i]; m.key == key {
			m.read = true
			if m.text == "null" {
				return nil
			}
			return m
		}
	}
	return nil
}

// need returns the member with key or records that it is missing.
func (o *Object) need(key string) *member {
	m := o.find(key)
	if m == nil {
		o.Fail(key, "is missing")
	}
	return m
}

// Has reports whether key is there and not null.
func (o *Object) Has(key string) bool { return o.find(key) != nil }

// Raw returns the bytes of the value as they stand in the document, nil if
// the key is absent or null.
func (o *Object) Raw(key string) []byte {
	m := o.find(key)
	if m == nil {
		return nil
	}
	return o.raw[m.start:m.end:m.end]
}

// String returns a required string.
func (o *Object) String(key string) string { return o.string(key, o.need(key)) }

// OptString returns an optional string and whether it is there.
func (o *Object) OptString(key string) (string, bool) {
	m := o.find(key)
	return o.string(key, m), m != nil
}

func (o *Object) string(key string, m *member) string {
	if m == nil {
		return ""
	}
	if m.text[0] != '"' {
		o.Fail(key, "is no string")
		return ""
	}
	sc := scanner{s: m.text}
	s, _ := sc.str()
	return s
}

// Int returns a required integer; 1.0 and 1e3 are none.
func (o *Object) Int(key string) int64 { return o.int(key, o.need(key)) }

// OptInt returns an optional integer and whether it is there.
func (o *Object) OptInt(key string) (int64, bool) {
	m := o.find(key)
	return o.int(key, m), m != nil
}

func (o *Object) int(key string, m *member) int64 {
	if m == nil {
		return 0
	}
	v, err := strconv.ParseInt(m.text, 10, 64)
	if err != nil {
		o.Fail(key, "is no integer of 64 bits")
		return 0
	}
	return v
}

// PID returns a required process id.
func (o *Object) PID(key string) int { return o.pid(key, o.need(key)) }

// OptPID returns an optional process id and whether it is there.
func (o *Object) OptPID(key string) (int, bool) {
	m := o.find(key)
	return o.pid(key, m), m != nil
}

func (o *Object) pid(key string, m *member) int {
	if m == nil {
		return 0
	}
	v, err := strconv.ParseInt(m.text, 10, 64)
	if err != nil || v < 1 || v > MaxPID {
		o.Fail(key, "is no pid from 1 to 2147483647")
		return 0
	}
	return int(v)
}

// Float returns a required number.
func (o *Object) Float(key string) float64 { return o.float(key, o.need(key)) }

// OptFloat returns an optional number and whether it is there.
func (o *Object) OptFloat(key string) (float64, bool) {
	m := o.find(key)
	return o.float(key, m), m != nil
}

func (o *Object) float(key string, m *member) float64 {
	if m == nil {
		return 0
	}
	if c := m.text[0]; c != '-' && (c < '0' || c > '9') {
		o.Fail(key, "is no number")
		return 0
	}
	v, err := strconv.ParseFloat(m.text, 64)
	if err != nil || math.IsInf(v, 0) {
		o.Fail(key, "is out of range")
		return 0
	}
	return v
}

// Bool returns a required boolean.
func (o *Object) Bool(key string) bool { return o.bool(key, o.need(key)) }

// OptBool returns an optional boolean and whether it is there.
func (o *Object) OptBool(key string) (bool, bool) {
	m := o.find(key)
	return o.bool(key, m), m != nil
}

func (o *Object) bool(key string, m *member) bool {
	if m == nil || m.text == "false" {
		return false
	}
	if m.text != "true" {
		o.Fail(key, "is no boolean")
		return false
	}
	return true
}

// Strings returns a required array of strings, never nil when it is there.
func (o *Object) Strings(key string) []string { return o.strings(key, o.need(key)) }

// OptStrings returns an optional array of strings and whether it is there.
func (o *Object) OptStrings(key string) ([]string, bool) {
	m := o.find(key)
	return o.strings(key, m), m != nil
}

func (o *Object) strings(key string, m *member) []string {
	if m == nil {
		return nil
	}
	sc := scanner{s: m.text}
	out := []string{}
	sc.open('[')
	for n := 0; sc.next(n, ']'); n++ {
		s, _ := sc.str()
		out = append(out, s)
	}
	if sc.fault != "" {
		o.Fail(key, "is no array of strings")
		return nil
	}
	return out
}

// Object returns a required object. Its faults are faults of o; its unread
// keys are only reported by its own Done.
func (o *Object) Object(key string) *Object { return o.object(key, o.need(key)) }

// OptObject returns an optional object, nil when it is absent.
func (o *Object) OptObject(key string) *Object {
	m := o.find(key)
	if m == nil {
		return nil
	}
	return o.object(key, m)
}

func (o *Object) object(key string, m *member) *Object {
	in := &Object{path: o.at(key), root: o.root}
	if m == nil {
		return in
	}
	if m.text[0] != '{' {
		o.Fail(key, "is no object")
		return in
	}
	in.raw = o.raw[m.start:m.end:m.end]
	in.parse(m.text)
	return in
}

// Objects calls each with every element of a required array of objects and
// holds it to have read all keys. It stops at the first fault.
func (o *Object) Objects(key string, each func(*Object)) {
	m := o.need(key)
	if m == nil {
		return
	}
	sc := scanner{s: m.text}
	if !sc.open('[') {
		o.Fail(key, "is no array")
		return
	}
	for n := 0; sc.next(n, ']') && o.root.err == nil; n++ {
		start := sc.here().i
		sc.skip()
		in := &Object{path: o.at(key) + "[" + strconv.Itoa(n) + "]", root: o.root}
		if m.text[start] != '{' {
			in.Fail("", "is no object")
			return
		}
		in.raw = o.raw[m.start+start : m.start+sc.i : m.start+sc.i]
		in.parse(m.text[start:sc.i])
		each(in)
		in.unread()
	}
}

// frame reads a required rectangle with finite numbers and an area.
func (o *Object) frame(key string) Frame {
	f := o.Object(key)
	if o.root.err != nil {
		return Frame{}
	}
	r := Frame{X: f.Float("x"), Y: f.Float("y"), Width: f.Float("width"), Height: f.Float("height")}
	if f.unread(); o.root.err == nil && !r.Valid() {
		f.Fail("", "has no area")
	}
	return r
}
