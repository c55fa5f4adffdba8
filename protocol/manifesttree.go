package protocol

import "strconv"

// node is one value of a manifest. A tree rather than a single pass, because
// all faults are reported at once and some rules look at several keys.
type node struct {
	kind   byte // '{', '[', '"', '0' number, 't' boolean, 'n' null
	text   string
	fields []field
	items  []node
}

type field struct {
	key   string
	value node
}

// tree reads the value at sc; duplicate keys are reported by path and the
// first of them stands.
func tree(sc *scanner, path string, faults *ManifestErrors) node {
	c := sc.peek()
	switch c {
	case '{':
		n := node{kind: '{'}
		seen := map[string]bool{}
		sc.open('{')
		for i := 0; sc.next(i, '}'); i++ {
			k, ok := sc.key()
			if !ok {
				break
			}
			at := join(path, k)
			v := tree(sc, at, faults)
			if seen[k] {
				*faults = append(*faults, ManifestFault{at, "stands there twice"})
				continue
			}
			seen[k] = true
			n.fields = append(n.fields, field{k, v})
		}
		return n
	case '[':
		n := node{kind: '['}
		sc.open('[')
		for i := 0; sc.next(i, ']'); i++ {
			n.items = append(n.items, tree(sc, element(path, i), faults))
		}
		return n
	case '"':
		s, _ := sc.str()
		return node{kind: '"', text: s}
	case 't', 'f':
		v, _ := sc.boolean()
		return node{kind: 't', text: strconv.FormatBool(v)}
	case 'n':
		sc.literal("null")
		return node{kind: 'n'}
	}
	text, _, _ := sc.number()
	return node{kind: '0', text: text}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// section reads the keys of one object of a manifest. Every key that it was
// not asked for is reported by close.
type section struct {
	path   string
	fields []field
	read   []bool
	faults *ManifestErrors
}

func newSection(n node, path string, faults *ManifestErrors) *section {
	s := &section{path: path, faults: faults}
	if n.kind != '{' {
		s.fault("", "is no object")
		return s
	}
	s.fields, s.read = n.fields, make([]bool, len(n.fields))
	return s
}

func (s *section) fault(key, problem string) {
	at := s.path
	if key != "" {
		at = join(s.path, key)
	}
	*s.faults = append(*s.faults, ManifestFault{at, problem})
}

func (s *section) close() {
	for i, f := range s.fields {
		if !s.read[i] {
			s.fault(f.key, "unknown key")
		}
	}
}

// get returns the value of key; null is an absent value.
func (s *section) get(key string) (node, bool) {
	for i, f := range s.fields {
		if f.key == key {
			s.read[i] = true
			return f.value, f.value.kind != 'n'
		}
	}
	return node{}, false
}

// required returns a string that must be there and not be empty.
func (s *section) required(key string) string {
	n, ok := s.get(key)
	if !ok {
		if s.read != nil { // otherwise the section itself was no object, which is said already
			s.fault(key, "is missing")
		}
		return ""
	}
	return s.filled(key, n)
}

// optional returns a string that, if it is there, must not be empty.
func (s *section) optional(key string) string {
	if n, ok := s.get(key); ok {
		return s.filled(key, n)
	}
	return ""
}

func (s *section) filled(key string, n node) string {
	switch {
	case n.kind != '"':
		s.fault(key, "is no string")
	case n.text == "":
		s.fault(key, "is empty")
	}
	return n.text
}

// free returns an optional string that may be empty.
func (s *section) free(key string) string {
	n, ok := s.get(key)
	if ok && n.kind != '"' {
		s.fault(key, "is no string")
	}
	return n.text
}

// choice returns one of the given words, the first by default.
func (s *section) choice(key string, words ...string) string {
	n, ok := s.get(key)
	if !ok {
		return words[0]
	}
	if n.kind != '"' {
		s.fault(key, "is no string")
		return words[0]
	}
	if !contains(words, n.text) {
		s.fault(key, notOneOf(n.text, words))
		return words[0]
	}
	return n.text
}

func notOneOf(text string, words []string) string {
	problem := strconv.Quote(text) + " is not one of "
	for i, w := range words {
		if i > 0 {
			problem += ", "
		}
		problem += w
	}
	return problem
}

func (s *section) bool(key string) bool {
	n, ok := s.get(key)
	if ok && n.kind != 't' {
		s.fault(key, "is no boolean")
		return false
	}
	return n.text == "true"
}

// int returns an integer within the bounds, or otherwise if it is absent.
func (s *section) int(key string, low, high, otherwise int64) int64 {
	n, ok := s.get(key)
	if !ok {
		return otherwise
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	if n.kind != '0' || err != nil {
		s.fault(key, "is no integer")
		return otherwise
	}
	if v < low || v > high {
		s.fault(key, "is not from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10))
		return otherwise
	}
	return v
}

// strings returns an array of distinct non-empty strings, each of which check
// may refuse with a problem.
func (s *section) strings(key string, check func(string) string) []string {
	n, ok := s.get(key)
	if !ok {
		return nil
	}
	out := s.argv(key, n)
	for i, v := range out {
		at := element(key, i)
		switch {
		case v == "":
		case contains(out[:i], v):
			s.fault(at, strconv.Quote(v)+" stands there twice")
		case check != nil:
			if problem := check(v); problem != "" {
				s.fault(at, problem)
			}
		}
	}
	return out
}

// argv returns an array of non-empty strings in which one may come twice.
func (s *section) argv(key string, n node) []string {
	if n.kind != '[' {
		s.fault(key, "is no array")
		return nil
	}
	out := make([]string, 0, len(n.items))
	for i, item := range n.items {
		s.filled(element(key, i), item)
		text := ""
		if item.kind == '"' {
			text = item.text
		}
		out = append(out, text)
	}
	return out
}

// each calls do with every element of an optional array of objects.
func (s *section) each(key string, do func(*section)) {
	n, ok := s.get(key)
	if !ok {
		return
	}
	if n.kind != '[' {
		s.fault(key, "is no array")
		return
	}
	for i, item := range n.items {
		in := newSection(item, element(join(s.path, key), i), s.faults)
		do(in)
		in.close()
	}
}

// section returns an optional object, nil when it is absent. The caller closes it.
func (s *section) section(key string) *section {
	n, ok := s.get(key)
	if !ok {
		return nil
	}
	return newSection(n, join(s.path, key), s.faults)
}
