package calculator

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind byte

const (
	end kind = iota
	number
	name
	symbol // one of + - * / ^ % ! ° ( ) ;
)

type token struct {
	kind   kind
	text   string   // of a name or symbol
	value  *big.Rat // of a number
	padded bool     // a number with a zero in front, as in 007 and 030
	based  bool     // a number such as 0xff
}

func (t token) is(symbols string) bool { return t.kind == symbol && strings.Contains(symbols, t.text) }

// lex splits a sum into tokens. Signs that people paste from elsewhere stand
// for the plain ones.
func lex(text string, st style, w *work) ([]token, error) {
	l := lexer{text: text, style: st, work: w}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.tokens = append(l.tokens, t)
		if t.kind == end {
			return l.tokens, nil
		}
	}
}

type lexer struct {
	text   string
	style  style
	work   *work
	at     int
	lists  []bool // of each open bracket: whether arguments are listed in it
	tokens []token
}

func (l *lexer) next() (token, error) {
	for l.at < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[l.at:])
		switch {
		case unicode.IsSpace(r):
			l.at += n
			continue
		case digit(l.text[l.at]) || l.fractionAt(l.at):
			return l.number()
		case unicode.IsLetter(r):
			return l.word(), nil
		}
		l.at += n
		return l.symbol(r)
	}
	return token{kind: end}, nil
}

func (l *lexer) symbol(r rune) (token, error) {
	switch r {
	case '×', '·', '∙', '⋅', '∗':
		r = '*'
	case '÷', '∕', '⁄':
		r = '/'
	case '−', '–':
		r = '-'
	case '√':
		return token{kind: name, text: "sqrt"}, nil
	case '²', '³':
		l.tokens = append(l.tokens, token{kind: symbol, text: "^"})
		return token{kind: number, value: big.NewRat(exponentOf(r), 1)}, nil
	case ',':
		r = ';'
	}
	switch r {
	case '(':
		list := false
		if n := len(l.tokens); n > 0 && l.tokens[n-1].kind == name {
			_, most := arity(l.tokens[n-1].text)
			list = most > 1
		}
		l.lists = append(l.lists, list)
	case ')':
		if len(l.lists) > 0 {
			l.lists = l.lists[:len(l.lists)-1]
		}
	case '*':
		if strings.HasPrefix(l.text[l.at:], "*") { // ** is a power in most languages
			l.at++
			r = '^'
		}
	case '+', '-', '/', '^', '%', '!', '°', ';':
	default:
		return token{}, errSyntax
	}
	return token{kind: symbol, text: string(r)}, nil
}

func exponentOf(superscript rune) int64 {
	if superscript == '²' {
		return 2
	}
	return 3
}

func (l *lexer) word() token {
	begin := l.at
	for l.at < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[l.at:])
		if !unicode.IsLetter(r) {
			break
		}
		l.at += n
	}
	text := l.text[begin:l.at]
	if text == "E" { // the constant is a small letter; E-3 is the name of something
		return token{kind: name, text: text}
	}
	text = strings.ToLower(text)
	if text == "log" { // log10 and log2 are words, while pi2 is two tokens
		for _, base := range []string{"10", "2"} {
			if rest, ok := strings.CutPrefix(l.text[l.at:], base); ok && (rest == "" || !digit(rest[0])) {
				text += base
				l.at += len(base)
				break
			}
		}
	}
	return token{kind: name, text: text}
}

// fractionAt reports whether a number begins with its decimal sign at i, as in `.5`.
func (l *lexer) fractionAt(i int) bool {
	return i+1 < len(l.text) && (l.text[i] == '.' || l.text[i] == ',' && l.style.comma) && digit(l.text[i+1])
}

func (l *lexer) number() (token, error) {
	if t, ok, err := l.based(); ok || err != nil {
		return t, err
	}
	whole, fraction, ok := l.run().split(l.style)
	if !ok {
		return token{}, errSyntax
	}
	exponent, ok := l.exponent()
	if !ok {
		return token{}, errSize
	}
	text := whole + "." + fraction + exponent
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return token{}, errSyntax
	}
	if err := l.work.spend(v, v); err != nil {
		return token{}, err
	}
	return token{kind: number, value: v, padded: len(whole) > 1 && whole[0] == '0'}, nil
}

// maxExponent bounds numbers such as 1e999999999, which are small to type and
// take all memory to hold.
const maxExponent = 4000

// exponent takes `e3`, `E-3` and the like, and leaves an e that is the constant.
// It refuses one that is out of bounds.
func (l *lexer) exponent() (text string, ok bool) {
	i := l.at
	if i >= len(l.text) || l.text[i] != 'e' && l.text[i] != 'E' {
		return "", true
	}
	i++
	if i < len(l.text) && (l.text[i] == '+' || l.text[i] == '-') {
		i++
	}
	digits, n := i, 0
	for i < len(l.text) && digit(l.text[i]) {
		n = min(n*10+int(l.text[i]-'0'), maxExponent+1)
		i++
	}
	if i == digits {
		return "", true
	}
	text = l.text[l.at:i]
	l.at = i
	return text, n <= maxExponent
}

// based takes 0x, 0b and 0o numbers.
func (l *lexer) based() (token, bool, error) {
	rest := l.text[l.at:]
	if len(rest) < 3 || rest[0] != '0' {
		return token{}, false, nil
	}
	base := 0
	switch rest[1] | 0x20 {
	case 'x':
		base = 16
	case 'b':
		base = 2
	case 'o':
		base = 8
	default:
		return token{}, false, nil
	}
	n := 2
	for n < len(rest) && (digit(rest[n]) || base == 16 && hexLetter(rest[n])) {
		n++
	}
	i, ok := new(big.Int).SetString(rest[2:n], base)
	if !ok {
		return token{}, false, errSyntax
	}
	l.at += n
	v := new(big.Rat).SetInt(i)
	return token{kind: number, value: v, based: true}, true, l.work.spend(v, v)
}

func digit(c byte) bool     { return '0' <= c && c <= '9' }
func hexLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'f' }
