package status

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Template is a parsed bar template in the language of tmux's status formats:
// text, `#{flash.plugin.<id>.<segment>}`, conditions, comparisons, styles. What
// is no well-formed part of it stands as it is written, and Faults says so.
type Template struct {
	nodes  []node
	faults []Fault
	hover  bool
}

// Fault is one place of a template that is not understood.
type Fault struct {
	Column  int // 1-based, in bytes
	Problem string
	Remedy  string
}

func (f Fault) Error() string {
	return "column " + strconv.Itoa(f.Column) + ": " + f.Problem + "; " + f.Remedy
}

// ParseTemplate reads a template. It never fails: see Faults.
func ParseTemplate(text string) Template {
	p := newParser(text)
	t := Template{nodes: p.nodes(0, len(text), 0), faults: p.faults}
	slices.SortStableFunc(t.faults, func(a, b Fault) int { return a.Column - b.Column })
	return t
}

// Faults returns what was not understood, in order of the columns.
func (t Template) Faults() []Fault { return t.faults }

// Hovering returns the template for a viewer that has hover text: a segment
// whose hover text the template leaves open has its plugin's `details`.
func (t Template) Hovering() Template {
	t.hover = true
	return t
}

// detailsSegment is what the monitors call their long form.
const detailsSegment = "details"

// Render writes the template as plain text, its parts one after the other, and
// says when the outcome changes by itself; the zero time is never.
func (t Template) Render(s *Snapshot, now time.Time) (text string, next time.Time) {
	line, next := t.Line(s, now)
	var b strings.Builder
	for _, part := range [...][]Run{line.Left, line.Centre, line.Right} {
		for _, r := range part {
			b.WriteString(r.Text)
		}
	}
	return b.String(), next
}

// Line makes what the template shows of s at that time, and says when that
// changes by itself: when a carousel turns or a clock goes on. The zero time is
// never. A segment without a value is nothing.
func (t Template) Line(s *Snapshot, now time.Time) (line Line, next time.Time) {
	w := &writer{eval: eval{snapshot: s, now: now, hover: t.hover}}
	w.write(t.nodes)
	return w.line, w.next
}

// References returns the segments that the template shows or decides by, by
// plugin, sorted and without repeats. Both branches of a condition count: what
// the other one needs must be there when the condition turns.
func (t Template) References() map[string][]string {
	out := map[string][]string{}
	walk(t.nodes, func(n *node) {
		if n.kind == kindReference {
			out[n.plugin] = append(out[n.plugin], n.segment)
			if t.hover {
				out[n.plugin] = append(out[n.plugin], detailsSegment)
			}
		}
	})
	for id, names := range out {
		slices.Sort(names)
		out[id] = slices.Compact(names)
	}
	return out
}

type kind uint8

const (
	kindText kind = iota
	kindReference
	kindChoose  // args: test, then, test, then, … [else]
	kindCompare // op; args: two
	kindLogic   // op; args: one or two
	kindMath    // op, n decimals, float; args: two
	kindCut     // n, text the mark
	kindPad     // n
	kindSpark   // n samples, top
	kindMeter   // n cells
	kindTime    // text the format
	kindStyle   // style
)

// node is one part of a parsed template.
type node struct {
	kind            kind
	text            string
	plugin, segment string
	op              string
	n               int
	top             float64
	float           bool
	args            [][]node
	style           []attribute
}

// attribute is one part of a style. An empty key is several at once, that only
// a value tells.
type attribute struct {
	key    string
	value  []node
	change change // when the key alone says all
}

func walk(nodes []node, visit func(*node)) {
	for i := range nodes {
		n := &nodes[i]
		visit(n)
		for _, a := range n.args {
			walk(a, visit)
		}
		for _, a := range n.style {
			walk(a.value, visit)
		}
	}
}
