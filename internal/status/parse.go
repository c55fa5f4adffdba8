package status

import (
	"strconv"
	"strings"
)

const (
	referenceRoot = "flash.plugin."
	// maxDepth bounds nesting; nobody reads as deep.
	maxDepth = 32
)

// parser reads a template whose brackets are matched beforehand, so that a
// bracket that is never closed costs no second reading.
type parser struct {
	s      string
	close  map[int]int // of an opening `#{` or `#[`, where it closes
	faults []Fault
}

func newParser(s string) *parser {
	p := &parser{s: s, close: map[int]int{}}
	var open []int
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '#' && i+1 < len(s):
			switch s[i+1] {
			case '{', '[':
				open = append(open, i)
				i++
			case '#':
				i++
			case ',', '}', ']':
				if len(open) > 0 {
					i++
				}
			}
		case s[i] == '}' || s[i] == ']':
			opener := byte('{')
			if s[i] == ']' {
				opener = '['
			}
			// A `}` closes over a `#[` that nobody closed; a `]` within braces
			// is text.
			for n := len(open) - 1; n >= 0; n-- {
				if s[open[n]+1] == opener {
					p.close[open[n]] = i
					open = open[:n]
					break
				}
				if opener == '[' {
					break
				}
			}
		}
	}
	return p
}

func (p *parser) fault(at int, problem, remedy string) {
	p.faults = append(p.faults, Fault{at + 1, problem, remedy})
}

// nodes reads s[lo:hi]. At depth 0 it is the template's own text, where only
// `##` is an escape; below, `#,` `#}` and `#]` are too.
func (p *parser) nodes(lo, hi, depth int) []node {
	var out []node
	plain := func(text string) {
		if n := len(out); n > 0 && out[n-1].kind == kindText {
			out[n-1].text += text
		} else if text != "" {
			out = append(out, node{kind: kindText, text: text})
		}
	}
	for i := lo; i < hi; {
		at := strings.IndexByte(p.s[i:hi], '#')
		if at < 0 || i+at+1 >= hi {
			plain(p.s[i:hi])
			break
		}
		plain(p.s[i : i+at])
		i += at
		switch c := p.s[i+1]; c {
		case '#':
			plain("#")
			i += 2
		case ',', '}', ']':
			if depth > 0 {
				plain(string(c))
			} else {
				plain(p.s[i : i+2])
			}
			i += 2
		case '(':
			p.fault(i, "`#(` runs a program in tmux; a template runs none", "show a plugin's segment, or write `##(` for the text")
			plain("#(")
			i += 2
		case '{', '[':
			end, ok := p.close[i]
			if !ok || end >= hi {
				p.fault(i, "`#"+string(c)+"` is not closed", "close it with `"+string(c+2)+"`, or write `##"+string(c)+"` for the text")
				plain(p.s[i : i+2])
				i += 2
				continue
			}
			n, ok := node{}, false
			switch {
			case depth >= maxDepth:
				p.fault(i, "is nested deeper than "+strconv.Itoa(maxDepth), "take it apart")
			case c == '{':
				n, ok = p.braces(i, end, depth+1)
			default:
				n, ok = p.styles(i, end, depth+1)
			}
			if ok {
				out = append(out, n)
			} else {
				plain(p.s[i : end+1])
			}
			i = end + 1
		default:
			plain("#")
			i++
		}
	}
	return out
}

// split cuts s[lo:hi] at commas that are neither escaped nor within brackets.
func (p *parser) split(lo, hi int) [][2]int {
	var out [][2]int
	from := lo
	for i := lo; i < hi; i++ {
		switch {
		case p.s[i] == '#' && i+1 < hi:
			if end, ok := p.close[i]; ok && end < hi {
				i = end
			} else {
				i++
			}
		case p.s[i] == ',':
			out = append(out, [2]int{from, i})
			from = i + 1
		}
	}
	return append(out, [2]int{from, hi})
}

// braces reads what stands between `#{` at open and the brace at end.
func (p *parser) braces(open, end, depth int) (node, bool) {
	lo := open + 2
	body := p.s[lo:end]
	if strings.HasPrefix(body, "?") {
		return p.choose(open, lo+1, end, depth)
	}
	if n, ok := reference(body); ok {
		return n, true
	}
	// A modifier ends at the first colon; what follows is its operands.
	head, _, has := strings.Cut(body, ":")
	if !has || strings.Contains(head, "#") {
		p.fault(open, strconv.Quote(short(body))+" is no segment", "write #{flash.plugin.<id>.<segment>}")
		return node{}, false
	}
	name, arg, _ := strings.Cut(head, "/")
	from := lo + len(head) + 1
	switch {
	case isComparison(head):
		return p.two(open, from, end, depth, node{kind: kindCompare, op: head})
	case head == "&&" || head == "||":
		return p.two(open, from, end, depth, node{kind: kindLogic, op: head})
	case head == "!" || head == "!!":
		n := node{kind: kindLogic, op: head}
		n.args = [][]node{p.operand(from, end, depth)}
		return n, true
	case strings.HasPrefix(head, "e|"):
		return p.math(open, from, end, depth, head)
	case head == "l":
		return node{kind: kindText, text: unescape(p.s[from:end])}, true
	case head == "T":
		return p.clock(open, from, end)
	case name == "spark" || name == "meter":
		return p.graph(open, from, end, depth, name, arg)
	case strings.HasPrefix(head, "=") || strings.HasPrefix(head, "p"):
		if n, ok := p.width(open, from, end, depth, head); ok {
			return n, true
		}
	}
	p.fault(open, strconv.Quote(short(head))+" is nothing that a template does", "use ?, ==, !=, <, >, <=, >=, e|op, &&, ||, !, =N, pN, T, l, spark or meter")
	return node{}, false
}

// reference reads `flash.plugin.<id>.<segment>`. Ids may hold dots and segment
// names may not, so the last dot parts the two.
func reference(body string) (node, bool) {
	name, is := strings.CutPrefix(body, referenceRoot)
	dot := strings.LastIndexByte(name, '.')
	if !is || dot < 1 || dot == len(name)-1 || strings.ContainsAny(body, "#{}[],:? \t\n") {
		return node{}, false
	}
	return node{kind: kindReference, plugin: name[:dot], segment: name[dot+1:]}, true
}

// operand reads a segment's bare name, or text with parts of its own.
func (p *parser) operand(lo, hi, depth int) []node {
	if n, ok := reference(strings.TrimSpace(p.s[lo:hi])); ok {
		return []node{n}
	}
	return p.nodes(lo, hi, depth)
}

func (p *parser) two(open, lo, end, depth int, n node) (node, bool) {
	parts := p.split(lo, end)
	if len(parts) != 2 {
		p.fault(open, n.op+" has "+strconv.Itoa(len(parts))+" operands", "give it two, as in #{"+n.op+":a,b}; a comma within one is written #,")
		return node{}, false
	}
	for _, part := range parts {
		n.args = append(n.args, p.operand(part[0], part[1], depth))
	}
	return n, true
}

func (p *parser) choose(open, lo, end, depth int) (node, bool) {
	parts := p.split(lo, end)
	if len(parts) < 2 {
		p.fault(open, "a condition has no part for when it holds", "write #{?test,then,else}")
		return node{}, false
	}
	n := node{kind: kindChoose}
	for i, part := range parts {
		if i%2 == 1 || i == len(parts)-1 {
			n.args = append(n.args, p.nodes(part[0], part[1], depth))
			continue
		}
		test := p.operand(part[0], part[1], depth)
		if constant(test) {
			p.fault(part[0], "the condition "+strconv.Quote(short(p.s[part[0]:part[1]]))+" is no segment", "write a segment's name or a part like #{==:a,b}")
			return node{}, false
		}
		n.args = append(n.args, test)
	}
	return n, true
}

func constant(nodes []node) bool {
	for _, n := range nodes {
		if n.kind != kindText {
			return false
		}
	}
	return true
}

// math reads the head `e|op[|f[|decimals]]`.
func (p *parser) math(open, lo, end, depth int, head string) (node, bool) {
	// `||` within would be cut too, but is no operator here.
	f := strings.Split(head, "|")
	n := node{kind: kindMath, op: f[1]}
	bad := !isComparison(n.op) && !strings.Contains("|+|-|*|/|m|%|%%|", "|"+n.op+"|") || len(f) > 4
	if len(f) > 2 {
		n.float = f[2] == "f"
		n.n = 2
		bad = bad || f[2] != "f" && f[2] != ""
	}
	if len(f) > 3 {
		d, err := strconv.Atoi(f[3])
		n.n = d
		bad = bad || err != nil || d < 0 || d > 9
	}
	if bad {
		p.fault(open, strconv.Quote(short(head))+" is no calculation", "write it like e|>=:a,b or e|*|f|1:a,b")
		return node{}, false
	}
	return p.two(open, lo, end, depth, n)
}

// width reads the heads `=N`, `=/N/mark` and `pN`; a negative N counts from the end.
func (p *parser) width(open, lo, end, depth int, head string) (node, bool) {
	n := node{kind: kindCut}
	digits := head[1:]
	if head[0] == 'p' {
		n.kind = kindPad
	} else if rest, ok := strings.CutPrefix(digits, "/"); ok {
		digits, n.text, _ = strings.Cut(rest, "/")
	}
	var err error
	// Wider than any bar would be a mistake or an attack on memory.
	if n.n, err = strconv.Atoi(digits); err != nil || n.n < -1000 || n.n > 1000 {
		return node{}, false
	}
	return p.one(open, lo, end, depth, n)
}

const (
	defaultSamples, defaultCells = 20, 8
	maxCells                     = 200
)

// graph reads `spark[/samples[/top]]` and `meter[/cells]`.
func (p *parser) graph(open, lo, end, depth int, name, arg string) (node, bool) {
	n := node{kind: kindSpark, n: defaultSamples}
	if name == "meter" {
		n.kind, n.n, n.top = kindMeter, defaultCells, 100
	}
	count, top, more := strings.Cut(arg, "/")
	var err1, err2 error
	if count != "" {
		n.n, err1 = strconv.Atoi(count)
	}
	if more {
		n.top, err2 = strconv.ParseFloat(top, 64)
	}
	if err1 != nil || err2 != nil || n.n < 1 || n.n > maxCells || !(n.top >= 0) || n.top > 1e18 {
		p.fault(open, strconv.Quote(short(arg))+" is no size of a "+name, "write it like #{"+name+"/12:…}, at most "+strconv.Itoa(maxCells)+", or #{"+name+"/12/100:…} with what is full")
		return node{}, false
	}
	return p.one(open, lo, end, depth, n)
}

func (p *parser) one(open, lo, end, depth int, n node) (node, bool) {
	operand := p.operand(lo, end, depth)
	if constant(operand) {
		p.fault(open, strconv.Quote(short(p.s[lo:end]))+" is no segment", "write a segment's name: flash.plugin.<id>.<segment>")
		return node{}, false
	}
	n.args = [][]node{operand}
	return n, true
}

// unescape is the text of s as `#{l:…}` shows it.
func unescape(s string) string {
	return strings.NewReplacer("##", "#", "#,", ",", "#}", "}", "#]", "]").Replace(s)
}

// short is s for a message.
func short(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
