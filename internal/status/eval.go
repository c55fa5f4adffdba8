package status

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/flash-launcher/flash/internal/printable"
)

// eval is what parts are worked out from.
type eval struct {
	snapshot *Snapshot
	now      time.Time
	next     time.Time
	hover    bool
}

// turns notes that the outcome changes by itself at that time.
func (e *eval) turns(at time.Time) {
	if !at.IsZero() && (e.next.IsZero() || at.Before(e.next)) {
		e.next = at
	}
}

// text works nodes out to plain text; styles in them are nothing.
func (e *eval) text(nodes []node) string {
	if len(nodes) == 1 {
		s, _ := e.one(&nodes[0])
		return s
	}
	var b strings.Builder
	for i := range nodes {
		s, _ := e.one(&nodes[i])
		b.WriteString(s)
	}
	return b.String()
}

// one works a single node out; a graph also has its figures.
func (e *eval) one(n *node) (string, *Graph) {
	switch n.kind {
	case kindText:
		return n.text, nil
	case kindReference:
		v, ok := e.snapshot.Get(n.plugin, n.segment)
		if !ok {
			return "", nil
		}
		text, turn := v.Text(e.now)
		e.turns(turn)
		return text, nil
	case kindChoose:
		if branch := e.choose(n); branch != nil {
			return e.text(branch), nil
		}
		return "", nil
	case kindCompare:
		return truth(compare(n.op, e.text(n.args[0]), e.text(n.args[1]))), nil
	case kindLogic:
		return truth(e.logic(n)), nil
	case kindMath:
		return e.math(n), nil
	case kindCut:
		return cut(e.text(n.args[0]), n.n, n.text), nil
	case kindPad:
		return pad(e.text(n.args[0]), n.n), nil
	case kindSpark:
		return spark(e.text(n.args[0]), n.n, n.top)
	case kindMeter:
		return meter(e.text(n.args[0]), n.n, n.top)
	case kindTime:
		text, unit := strftime(n.text, e.now)
		if unit > 0 {
			// Truncate counts from the zero time, and a zone may be off by minutes.
			_, offset := e.now.Zone()
			shift := time.Duration(offset) * time.Second
			e.turns(e.now.Add(shift).Truncate(unit).Add(unit - shift))
		}
		return text, nil
	}
	return "", nil
}

// choose returns the branch that holds, nil for none.
func (e *eval) choose(n *node) []node {
	i := 0
	for ; i+1 < len(n.args); i += 2 {
		if holds(e.text(n.args[i])) {
			return n.args[i+1]
		}
	}
	if i < len(n.args) {
		return n.args[i]
	}
	return nil
}

// holds is tmux's rule: neither nothing nor a nought.
func holds(s string) bool { return s != "" && s != "0" }

func truth(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func (e *eval) logic(n *node) bool {
	a := holds(e.text(n.args[0]))
	switch n.op {
	case "!":
		return !a
	case "!!":
		return a
	case "&&":
		return a && holds(e.text(n.args[1]))
	}
	return a || holds(e.text(n.args[1]))
}

func isComparison(op string) bool {
	switch op {
	case "==", "!=", "<", ">", "<=", ">=":
		return true
	}
	return false
}

// compare compares as numbers where both are, `9%` being less than `80%`, and
// as texts otherwise.
func compare(op, a, b string) bool {
	if x, ok := number(a); ok {
		if y, ok := number(b); ok {
			return ordered(op, x, y)
		}
	}
	return ordered(op, a, b)
}

func ordered[T string | float64](op string, a, b T) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	}
	return a >= b
}

// number reads a finite number, with a percent or degree sign or without.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	for _, unit := range [...]string{"%", "°C", "°F", "°"} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// math calculates; with an operand that is no number it is nothing.
func (e *eval) math(n *node) string {
	a, ok1 := number(e.text(n.args[0]))
	b, ok2 := number(e.text(n.args[1]))
	if !ok1 || !ok2 {
		return ""
	}
	if isComparison(n.op) {
		return truth(ordered(n.op, a, b))
	}
	if !n.float {
		a, b = math.Trunc(a), math.Trunc(b)
	}
	var r float64
	switch n.op {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		r = a * b
	case "/":
		r = a / b
	default:
		r = math.Mod(a, b)
	}
	if math.IsInf(r, 0) || math.IsNaN(r) {
		return ""
	}
	if !n.float {
		r = math.Trunc(r)
	}
	return strconv.FormatFloat(r, 'f', n.n, 64)
}

// cut keeps the first n columns, or the last for a negative n, and marks that.
func cut(s string, n int, mark string) string {
	most := max(n, -n)
	if uniseg.StringWidth(s) <= most {
		return s
	}
	var parts []string
	for g := uniseg.NewGraphemes(s); g.Next(); {
		parts = append(parts, g.Str())
	}
	width, kept := 0, ""
	for i := range parts {
		p := parts[i]
		if n < 0 {
			p = parts[len(parts)-1-i]
		}
		if width += uniseg.StringWidth(p); width > most {
			break
		}
		if n < 0 {
			kept = p + kept
		} else {
			kept += p
		}
	}
	if n < 0 {
		return mark + kept
	}
	return kept + mark
}

// pad fills up to n columns at the end, or at the start for a negative n.
func pad(s string, n int) string {
	missing := max(n, -n) - uniseg.StringWidth(s)
	if missing <= 0 {
		return s
	}
	fill := strings.Repeat(" ", missing)
	if n < 0 {
		return fill + s
	}
	return s + fill
}

// writer makes a line of nodes.
type writer struct {
	eval
	line Line
	pen  pen
}

func (w *writer) write(nodes []node) {
	for i := range nodes {
		n := &nodes[i]
		switch n.kind {
		case kindStyle:
			w.restyle(n.style)
		case kindChoose:
			w.write(w.choose(n))
		default:
			text, graph := w.one(n)
			w.put(n, printable.Line(text), graph)
		}
	}
}

func (w *writer) put(n *node, text string, graph *Graph) {
	if text == "" {
		return
	}
	r := Run{Text: text, Style: w.pen.style, Graph: graph, Name: w.pen.name, Hover: w.pen.hover, Clicks: w.pen.clicks}
	if plugin := owner(n); plugin != "" {
		if r.Name == "" {
			r.Name = plugin
		}
		if r.Hover == "" && w.hover {
			if v, ok := w.snapshot.Get(plugin, detailsSegment); ok {
				r.Hover, _ = v.Text(w.now)
			}
		}
	}
	to := [...]*[]Run{left: &w.line.Left, centre: &w.line.Centre, right: &w.line.Right}[w.pen.part]
	if k := len(*to); k > 0 && (*to)[k-1].sameButText(r) {
		(*to)[k-1].Text += r.Text
		return
	}
	*to = append(*to, r)
}

// owner is the plugin of the first segment that a node shows.
func owner(n *node) string {
	if n.kind == kindReference {
		return n.plugin
	}
	for _, a := range n.args {
		for i := range a {
			if id := owner(&a[i]); id != "" {
				return id
			}
		}
	}
	return ""
}

// restyle applies a style. What a value says that is no style is nothing: the
// template was checked, and a plugin's text must not break the bar.
func (w *writer) restyle(attributes []attribute) {
	for _, a := range attributes {
		switch {
		case a.change != nil:
			a.change(&w.pen)
		case a.key != "":
			w.pen.setFreeText(a.key, w.text(a.value))
		default:
			for _, word := range words(w.text(a.value)) {
				if c, problem := parseAttribute(word); problem == "" {
					c(&w.pen)
				}
			}
		}
	}
}
