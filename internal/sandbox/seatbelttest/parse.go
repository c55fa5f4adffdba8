package seatbelttest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is one s-expression: a list, a string or a bare word.
type node struct {
	kind nodeKind
	text string // of a string or a word
	list []node
	at   int // where it begins, for errors
}

type nodeKind uint8

const (
	isList nodeKind = iota
	isString
	isWord
)

// maxDepth bounds nesting: the generator goes four deep.
const maxDepth = 16

// reader reads s-expressions. Comments and every escape other than \" and \\
// are refused: the generator writes none.
type reader struct {
	text string
	at   int
}

func readAll(text string) ([]node, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the profile is not UTF-8")
	}
	r := &reader{text: text}
	var nodes []node
	for {
		r.space()
		if r.at == len(r.text) {
			return nodes, nil
		}
		n, err := r.node(0)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \n\t", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *reader) fail(at int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(r.text[:at], "\n"), fmt.Sprintf(format, args...))
}

func (r *reader) node(depth int) (node, error) {
	switch c := r.text[r.at]; {
	case c == '(':
		return r.listOf(depth)
	case c == '"':
		return r.str()
	case isWordByte(c):
		begin := r.at
		for r.at < len(r.text) && isWordByte(r.text[r.at]) {
			r.at++
		}
		return node{kind: isWord, text: r.text[begin:r.at], at: begin}, nil
	}
	return node{}, r.fail(r.at, "unexpected %q", r.text[r.at])
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '*'
}

func (r *reader) listOf(depth int) (node, error) {
	n := node{at: r.at}
	if depth == maxDepth {
		return n, r.fail(r.at, "nested deeper than %d", maxDepth)
	}
	r.at++
	for {
		r.space()
		if r.at == len(r.text) {
			return n, r.fail(n.at, "this list has no end")
		}
		if r.text[r.at] == ')' {
			r.at++
			return n, nil
		}
		child, err := r.node(depth + 1)
		if err != nil {
			return n, err
		}
		n.list = append(n.list, child)
	}
}

func (r *reader) str() (node, error) {
	begin := r.at
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return node{kind: isString, text: b.String(), at: begin}, nil
		case c == '\\':
			r.at++
			if r.at == len(r.text) || r.text[r.at] != '"' && r.text[r.at] != '\\' {
				return node{}, r.fail(begin, "unknown escape in a string")
			}
			b.WriteByte(r.text[r.at])
		case c < utf8.RuneSelf && unicode.IsControl(rune(c)):
			return node{}, r.fail(begin, "control character in a string")
		default:
			b.WriteByte(c)
		}
	}
	return node{}, r.fail(begin, "this string has no end")
}
