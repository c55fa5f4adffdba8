package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// MaxBytes bounds a file. Icons have some 5 KiB, the largest 200 KiB.
	MaxBytes = 1 << 20
	maxNodes = 20_000
	maxDepth = 64
	maxRules = 500
)

var (
	errNotSVG   = errors.New("it is no SVG")
	errTooLarge = errors.New("it is larger than an icon may be")
	errTooDeep  = errors.New("its elements lie deeper than an icon's may")
	errEmpty    = errors.New("nothing of it can be shown")
	errTooMuch  = errors.New("it takes more work than an icon may")
)

// node is an element.
type node struct {
	name  string
	attrs []attr
	kids  []*node
}

type attr struct{ key, value string }

func (n *node) get(key string) string {
	for i := range n.attrs {
		if n.attrs[i].key == key {
			return n.attrs[i].value
		}
	}
	return ""
}

// tree is a file that was read.
type tree struct {
	root  *node
	ids   map[string]*node
	rules []rule

	ruleBytes int // that all rules say together
}

func read(data []byte) (*tree, error) {
	if len(data) > MaxBytes {
		return nil, errTooLarge
	}
	t := &tree{ids: map[string]*node{}}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		// Names and numbers are ASCII in all that icons come in.
		switch strings.ToLower(name) {
		case "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1252":
			return in, nil
		}
		return nil, fmt.Errorf("its encoding %q is not known", name)
	}
	var open []*node
	var sheet strings.Builder
	nodes := 0
	for {
		tok, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if t.root == nil {
				return nil, errNotSVG
			}
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if nodes++; nodes > maxNodes {
				return nil, errTooMuch
			}
			if len(open) >= maxDepth {
				return nil, errTooDeep
			}
			n := &node{name: tok.Name.Local, attrs: make([]attr, 0, len(tok.Attr))}
			for _, a := range tok.Attr {
				if a.Name.Space == "" || a.Name.Local == "href" {
					n.attrs = append(n.attrs, attr{a.Name.Local, a.Value})
				}
			}
			if len(open) > 0 {
				up := open[len(open)-1]
				up.kids = append(up.kids, n)
			} else if t.root == nil {
				if n.name != "svg" {
					return nil, errNotSVG
				}
				t.root = n
			}
			if id := n.get("id"); id != "" {
				if _, taken := t.ids[id]; !taken {
					t.ids[id] = n
				}
			}
			open = append(open, n)
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1].name == "style" {
				sheet.Write(tok)
			}
		}
	}
	if t.root == nil {
		return nil, errNotSVG
	}
	t.rules = readSheet(sheet.String())
	for i := range t.rules {
		t.ruleBytes += len(t.rules[i].text)
	}
	return t, nil
}

// ref is the element that "#id" or "url(#id)" means, nil if there is none here.
func (t *tree) ref(s string) *node {
	s = strings.TrimSpace(s)
	if in, ok := strings.CutPrefix(s, "url("); ok {
		in, _, _ = strings.Cut(in, ")")
		s = strings.Trim(in, `"' `)
	}
	id, ok := strings.CutPrefix(s, "#")
	if !ok {
		return nil
	}
	return t.ids[id]
}
