package allow

import (
	"errors"
	"strings"
)

// List is a set of prefixes. The zero List allows nothing.
type List []URL

// ParsePrefix reads one entry of a list. Its host must be whole: there are no
// wildcards, since a suffix of a host name says little about who serves it.
func ParsePrefix(raw string) (URL, error) {
	u, err := Parse(raw)
	if err != nil {
		return URL{}, err
	}
	if strings.Contains(u.host, "*") || strings.Contains(u.path, "*") {
		return URL{}, errors.New("url holds a wildcard; prefixes match whole hosts and path components")
	}
	return u, nil
}

// NewList reads the entries of several lists. One that is no good URL allows
// nothing and is counted in bad.
func NewList(lists ...[]string) (l List, bad int) {
	for _, list := range lists {
		for _, raw := range list {
			if p, err := ParsePrefix(raw); err != nil {
				bad++
			} else {
				l = append(l, p)
			}
		}
	}
	return l, bad
}

// Allows reports whether u lies within one of the prefixes.
func (l List) Allows(u URL) bool {
	for _, p := range l {
		if p.within(u) {
			return true
		}
	}
	return false
}

// within reports whether u lies within the prefix p: same host and port, and
// p's path and query end where a component of u ends. `/api` covers `/api`,
// `/api/x` and `/api?q`, and not `/apis`; `/find?k=a` covers `/find?k=a&n=2`,
// and not `/find?k=ab`.
func (p URL) within(u URL) bool {
	if p.host != u.host || p.port != u.port {
		return false
	}
	if p.hasQuery {
		return p.path == u.path && u.hasQuery && boundary(u.query, p.query, '&')
	}
	return boundary(u.path, p.path, '/')
}

// boundary reports whether s is prefix, or goes on after it with a separator
// that either of them supplies.
func boundary(s, prefix string, separator byte) bool {
	if !strings.HasPrefix(s, prefix) {
		return false
	}
	return len(s) == len(prefix) || prefix == "" || prefix[len(prefix)-1] == separator || s[len(prefix)] == separator
}
