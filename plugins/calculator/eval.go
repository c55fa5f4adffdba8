package calculator

import (
	"math/big"
	"strings"
)

// Grammar, loosest first:
//
//	sum     = term { ("+" | "-") term }        a + b% adds b percent of a
//	term    = factor { ("*" | "/" | mod | of | off | on | nothing) factor }
//	factor  = ("+" | "-") factor | postfix [ "^" factor ]       powers go from the right
//	postfix = atom { "!" | "%" | "°" }
//	atom    = number | constant | function "(" sum { ";" sum } ")" | function factor | "(" sum ")"
//
// A bracket that is still open at the end counts as closed.

// maxDepth bounds nesting, so that no input can exhaust the stack. A bracket
// takes two.
const maxDepth = 400

// sumError is why an input has no result. Users do not see it: they see no answer.
type sumError string

func (e sumError) Error() string { return string(e) }

const (
	errSyntax sumError = "not a sum"
	errDepth  sumError = "nested too deep"
	errDomain sumError = "has no value"
	errSize   sumError = "too large a number"
	errWork   sumError = "takes too long"
)

// evaluate computes a sum.
func evaluate(text string, st style) (value, error) { return calculate(text, st, true) }

// calculate computes a sum. Unless it is forced, the text must be meant as one.
func calculate(text string, st style, forced bool) (value, error) {
	w := newWork()
	tokens, err := lex(text, st, w)
	if err != nil {
		return value{}, err
	}
	if !forced && !meant(text, tokens) {
		return value{}, errSyntax
	}
	p := parser{tokens: tokens, work: w}
	v, err := p.sum()
	if err != nil {
		return value{}, err
	}
	if p.peek().kind != end {
		return value{}, errSyntax
	}
	return v.settled(), nil
}

type parser struct {
	tokens []token
	at     int
	depth  int
	work   *work
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take(symbols string) (string, bool) {
	if t := p.peek(); t.is(symbols) {
		p.at++
		return t.text, true
	}
	return "", false
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return errDepth
	}
	return nil
}

func (p *parser) sum() (value, error) {
	if err := p.enter(); err != nil {
		return value{}, err
	}
	defer func() { p.depth-- }()
	left, err := p.term()
	for err == nil {
		op, ok := p.take("+-")
		if !ok {
			break
		}
		var right value
		if right, err = p.term(); err == nil {
			if err = p.work.spend(left.rat, right.rat); err == nil {
				left, err = add(left, right, op == "-")
			}
		}
	}
	return left, err
}

func (p *parser) term() (value, error) {
	left, err := p.factor()
	for err == nil {
		op := p.operator()
		if op == "" {
			break
		}
		var right value
		if right, err = p.factor(); err == nil {
			if err = p.work.spend(left.rat, right.rat); err == nil {
				left, err = multiply(left, right, op)
			}
		}
	}
	return left, err
}

// operator takes what stands between two factors, which may be nothing: 2pi, 2(3+4).
func (p *parser) operator() string {
	t := p.peek()
	switch {
	case t.is("*/"):
		p.at++
		return t.text
	case t.is("%"): // postfix left it: a number follows
		p.at++
		return "mod"
	case t.is("("), t.kind == name && (isConstant(t.text) || isFunction(t.text)):
		return "*"
	case t.kind != name:
	case t.text == "x": // 3 x 4
		p.at++
		return "*"
	case t.text == "mod", t.text == "of", t.text == "off", t.text == "on":
		p.at++
		return t.text
	}
	return ""
}

func (p *parser) factor() (value, error) {
	if err := p.enter(); err != nil {
		return value{}, err
	}
	defer func() { p.depth-- }()
	if op, ok := p.take("+-"); ok {
		v, err := p.factor()
		if err == nil && op == "-" {
			v.rat = new(big.Rat).Neg(v.rat)
		}
		return v, err
	}
	base, err := p.postfix()
	if err != nil {
		return value{}, err
	}
	if _, ok := p.take("^"); !ok {
		return base, nil
	}
	exponent, err := p.factor()
	if err != nil {
		return value{}, err
	}
	return p.spent(power(base.settled(), exponent.settled()))
}

// spent accounts for an operation whose result is its largest number.
func (p *parser) spent(v value, err error) (value, error) {
	if err == nil {
		err = p.work.spend(v.rat, v.rat)
	}
	return v, err
}

func (p *parser) postfix() (value, error) {
	v, err := p.atom()
	for err == nil {
		t := p.peek()
		if !t.is("!%°") || t.text == "%" && p.tokens[p.at+1].kind == number { // 10 % 3
			break
		}
		p.at++
		switch t.text {
		case "!":
			v, err = p.spent(factorial(v.settled()))
		case "%":
			v, err = p.spent(percent(v))
		default:
			v, err = p.spent(degrees(v.settled()))
		}
	}
	return v, err
}

func (p *parser) atom() (value, error) {
	t := p.peek()
	if t.kind == end {
		return value{}, errSyntax
	}
	p.at++
	switch {
	case t.kind == number:
		return value{rat: t.value}, nil
	case t.is("("):
		v, err := p.sum()
		if err != nil {
			return value{}, err
		}
		return v.settled(), p.closing()
	case t.kind == name && isConstant(t.text):
		return constant(t.text), nil
	case t.kind == name && isFunction(t.text):
		return p.call(t.text)
	}
	return value{}, errSyntax
}

func (p *parser) closing() error {
	if _, ok := p.take(")"); ok || p.peek().kind == end {
		return nil
	}
	return errSyntax
}

func (p *parser) call(function string) (value, error) {
	least, most := arity(function)
	if _, ok := p.take("("); !ok {
		if most > 1 {
			return value{}, errSyntax // max 13 is somebody's name
		}
		arg, err := p.factor() // sqrt 2
		if err != nil {
			return value{}, err
		}
		return p.spent(apply(function, []value{arg.settled()}))
	}
	var args []value
	for {
		arg, err := p.sum()
		if err != nil {
			return value{}, err
		}
		args = append(args, arg.settled())
		if err := p.work.spend(arg.rat, arg.rat); err != nil {
			return value{}, err
		}
		if _, ok := p.take(";"); !ok {
			break
		}
	}
	if err := p.closing(); err != nil {
		return value{}, err
	}
	if len(args) < least || len(args) > most {
		return value{}, errSyntax
	}
	return p.spent(apply(function, args))
}

// work is what an evaluation may still spend. It counts words that are
// multiplied rather than time, so that an input has the same answer on every
// machine and under every load.
type work struct{ left int }

// maxWork is about 2 ms of a core; a keystroke has 10.
const maxWork = 1 << 19

func newWork() *work { return &work{left: maxWork} }

// spend accounts for an operation on two fractions: it takes time in the square
// of their length, and some whatever their length.
func (w *work) spend(a, b *big.Rat) error {
	words := (a.Num().BitLen() + a.Denom().BitLen() + b.Num().BitLen() + b.Denom().BitLen()) / 64
	if w.left -= words*words + 32; w.left < 0 {
		return errWork
	}
	return nil
}

// meant reports whether a text that was not marked as a sum is one: it has a
// number and something to do with it, and is no date, address or phone number.
func meant(text string, tokens []token) bool {
	if isDate(text) || isPhone(text) || isAddress(text) {
		return false
	}
	numbers, works := false, false
	var prev token
	for i, t := range tokens {
		switch {
		case t.padded: // 030-12345, 2026-01
			return false
		case t.kind == number:
			numbers = true
			works = works || t.based
		case t.is("*/^%!°"), t.is("+-") && prev.kind != end:
			works = true
		case t.kind == name && isConstant(t.text):
			if t.text != "e" { // which is a letter of 2e3 and e-mail
				numbers, works = true, works || prev.kind == number
			}
		case t.kind == name:
			works = true
			numbers = numbers || isFunction(t.text) && tokens[i+1].is("(")
		}
		prev = t
	}
	return numbers && works
}

// isDate reports whether text is 2026-11-30 or 30/11/2026, which nobody means
// as a difference or a quotient.
func isDate(text string) bool {
	for _, sep := range []string{"-", "/"} {
		parts := strings.Split(text, sep)
		if len(parts) != 3 {
			continue
		}
		years, days := 0, 0
		for _, p := range parts {
			switch n := len(p); {
			case n == 0 || strings.Trim(p, "0123456789") != "":
			case n == 4 && (p[0] == '1' || p[0] == '2'):
				years++
			case n == 1, n == 2 && p <= "31":
				days++
			}
		}
		if years == 1 && days == 2 && len(parts[1]) <= 2 {
			return true
		}
	}
	return false
}

// isPhone reports whether text is 555-123-4567, with or without a country.
func isPhone(text string) bool {
	parts := strings.Split(strings.TrimPrefix(text, "+"), "-")
	n := len(parts)
	if n < 3 || n > 4 || len(parts[n-1]) != 4 || len(parts[n-2]) != 3 || len(parts[n-3]) != 3 || len(parts[0]) > 3 {
		return false
	}
	return strings.Trim(strings.Join(parts, ""), "0123456789") == ""
}

// isAddress reports whether text begins with four bytes, as 192.168.100.200/24
// does, which a style with points between thousands could read as a number.
func isAddress(text string) bool {
	address, _, _ := strings.Cut(text, "/")
	parts := strings.Split(address, ".")
	for _, p := range parts {
		if len(p) < 1 || len(p) > 3 || strings.Trim(p, "0123456789") != "" || len(p) == 3 && p > "255" {
			return false
		}
	}
	return len(parts) == 4
}
