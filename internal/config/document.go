package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

type position struct{ line, column int }

// document is a parsed file: its values, and where each key and array element
// stands, so that a fault found in a value can name its line.
type document struct {
	root  map[string]any
	where map[string]position
}

// separator joins the parts of a key in the index; TOML forbids the byte in a
// key, so no two keys share an entry.
const separator = "\x00"

// deepest is how far keys, arrays and tables may nest. No setting comes near;
// without a bound a mistaken file could keep the host busy for minutes.
const deepest = 64

// parse reads a whole document. The library decodes the values and judges the
// syntax, duplicate keys included; it does not tell where a good value stood,
// which the walk over its syntax tree adds.
func parse(data []byte) (document, *Fault) {
	doc := document{where: map[string]position{}}
	if deep := doc.index(data); deep != nil {
		return document{}, deep
	}
	if err := toml.Unmarshal(data, &doc.root); err != nil {
		return document{}, syntaxFault(err)
	}
	return doc, nil
}

func syntaxFault(err error) *Fault {
	f := &Fault{Problem: err.Error(), Remedy: "nothing else in the file can be checked until this is fixed"}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		f.Line, f.Column = de.Position()
		f.Key = strings.Join(de.Key(), ".")
		f.Problem = strings.TrimPrefix(de.Error(), "toml: ")
	}
	return f
}

// index notes where everything stands, up to a syntax error. It returns a fault
// if something nests too deep.
func (d document) index(data []byte) *Fault {
	var p unstable.Parser
	p.Reset(data)
	w := walker{parser: &p, where: d.where, counts: map[string]int{}}
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Table:
			table = w.header(n, false)
		case unstable.ArrayTable:
			table = w.header(n, true)
		case unstable.KeyValue:
			w.keyValue(table, n)
		}
		if w.deep != (position{}) {
			return &Fault{Line: w.deep.line, Column: w.deep.column, Problem: fmt.Sprintf("nests deeper than %d levels", deepest), Remedy: "nothing else in the file can be checked until this is fixed"}
		}
	}
	return nil
}

type walker struct {
	parser *unstable.Parser
	where  map[string]position
	counts map[string]int // array tables seen, by path
	deep   position       // where something nests too deep, zero if nothing does
}

func (w *walker) at(n *unstable.Node) position {
	s := w.parser.Shape(n.Raw).Start
	return position{s.Line, s.Column}
}

// note says whether there is room to go on below path.
func (w *walker) note(path []string, pos position) bool {
	if len(path) > deepest {
		w.deep = pos
		return false
	}
	key := strings.Join(path, separator)
	if _, ok := w.where[key]; !ok {
		w.where[key] = pos
	}
	return true
}

func (w *walker) header(n *unstable.Node, array bool) []string {
	var path []string
	var pos position
	for it := n.Key(); it.Next(); {
		if pos == (position{}) {
			pos = w.at(it.Node())
		}
		path = append(path, string(it.Node().Data))
		if !it.IsLast() || !array {
			if !w.note(path, pos) {
				return path
			}
			// A table below an array table belongs to its newest element.
			if c, ok := w.counts[strings.Join(path, separator)]; ok && !it.IsLast() {
				path = append(path, element(c-1))
			}
		}
	}
	if array {
		key := strings.Join(path, separator)
		w.note(path, pos)
		path = append(path, element(w.counts[key]))
		w.counts[key]++
		w.note(path, pos)
	}
	return path
}

func (w *walker) keyValue(table []string, n *unstable.Node) {
	path := append([]string(nil), table...)
	var pos position
	for it := n.Key(); it.Next(); {
		if pos == (position{}) {
			pos = w.at(it.Node())
		}
		path = append(path, string(it.Node().Data))
		if !w.note(path, pos) {
			return
		}
	}
	w.value(path, n.Value(), pos)
}

// value indexes what stands inside an array or inline table. An element that
// has no range of its own (an array in an array) is placed at its parent.
func (w *walker) value(path []string, n *unstable.Node, pos position) {
	switch n.Kind {
	case unstable.Array:
		i := 0
		for it := n.Children(); it.Next(); {
			c := it.Node()
			if c.Kind == unstable.Comment {
				continue
			}
			at := pos
			if c.Raw.Length > 0 {
				at = w.at(c)
			}
			p := append(path[:len(path):len(path)], element(i))
			if !w.note(p, at) {
				return
			}
			w.value(p, c, at)
			i++
		}
	case unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				w.keyValue(path, it.Node())
			}
		}
	}
}

func element(i int) string { return "[" + strconv.Itoa(i) + "]" }

// find returns where a key stands, or the nearest enclosing key that is known.
func (d document) find(path []string) position {
	for n := len(path); n > 0; n-- {
		if pos, ok := d.where[strings.Join(path[:n], separator)]; ok {
			return pos
		}
	}
	return position{1, 1}
}

// dotted writes a key the way the user would.
func dotted(path []string) string {
	var b strings.Builder
	for i, part := range path {
		if strings.HasPrefix(part, "[") {
			b.WriteString(part)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		if bare(part) {
			b.WriteString(part)
		} else {
			b.WriteString(quote(part))
		}
	}
	return b.String()
}

func bare(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}
