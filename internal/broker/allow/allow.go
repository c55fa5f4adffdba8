// Package allow decides whether a URL lies within a list of URL prefixes, as
// manifests (`fetch_urls`) and the configuration write them. It owns the one
// canonical form in which a URL is judged and then sent; it resolves no name
// and opens no connection, so where a host name leads is checked elsewhere.
package allow

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// longest is the wire's quota for a URL.
const longest = 16384

const httpsPort = "443"

// deepest is how many layers of escapes a path may have: no honest one has
// more than two.
const deepest = 4

// URL is a URL in canonical form: scheme https, lower-case ASCII host without
// a trailing dot, explicit port, path without dot segments and with the fewest
// percent-escapes.
type URL struct {
	host, port string
	path       string // begins with '/'
	query      string // without '?'
	hasQuery   bool
}

// Parse brings a URL into canonical form. What could be read in two ways by
// two programs is refused, not guessed at: the judge and the server must see
// the same URL. Errors do not quote the URL; it may be logged or shown.
func Parse(raw string) (URL, error) {
	if len(raw) > longest {
		return URL{}, errors.New("url is longer than 16384 bytes")
	}
	if !utf8.ValidString(raw) {
		return URL{}, errors.New("url is not UTF-8")
	}
	for i := range len(raw) {
		if raw[i] <= ' ' || raw[i] == 0x7f || raw[i] == '\\' {
			return URL{}, errors.New("url holds a space, a control character or a backslash")
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return URL{}, errors.New("url is malformed")
	}
	switch {
	case !strings.EqualFold(u.Scheme, "https"):
		return URL{}, errors.New("url is not https")
	case u.User != nil:
		return URL{}, errors.New("url holds a user name or password")
	case u.Opaque != "" || u.Host == "":
		return URL{}, errors.New("url has no host")
	}
	host, err := canonicalHost(u.Hostname())
	if err != nil {
		return URL{}, err
	}
	port := u.Port()
	if port == "" {
		if strings.HasSuffix(u.Host, ":") {
			return URL{}, errors.New("url has an empty port")
		}
		port = httpsPort
	}
	if port = strings.TrimLeft(port, "0"); port == "" || len(port) > 5 || len(port) == 5 && port > "65535" {
		return URL{}, errors.New("url has a bad port")
	}
	path, err := canonicalPath(u.EscapedPath())
	if err != nil {
		return URL{}, err
	}
	return URL{host: host, port: port, path: path, query: upperEscapes(u.RawQuery), hasQuery: u.RawQuery != "" || u.ForceQuery}, nil
}

// String is the URL to send. Its fragment is gone: it is never sent anyway.
func (u URL) String() string {
	var b strings.Builder
	b.WriteString("https://")
	if strings.Contains(u.host, ":") {
		b.WriteString("[" + u.host + "]")
	} else {
		b.WriteString(u.host)
	}
	if u.port != httpsPort {
		b.WriteString(":" + u.port)
	}
	b.WriteString(u.path)
	if u.hasQuery {
		b.WriteString("?" + u.query)
	}
	return b.String()
}

// Host is the canonical host, an address without brackets.
func (u URL) Host() string { return u.host }

func canonicalHost(h string) (string, error) {
	// The longest name that fits once mapped; the mapping itself takes time
	// with the square of what it is given.
	if len(h) > 4*253 {
		return "", errors.New("url has a bad host name")
	}
	if strings.ContainsRune(h, '%') {
		return "", errors.New("url has a zone or an escape in its host")
	}
	if a, err := netip.ParseAddr(h); err == nil {
		return a.String(), nil
	}
	if strings.Contains(h, ":") {
		return "", errors.New("url has a bad address as its host")
	}
	// Lookup maps case, width and the ideographic full stop, and answers the
	// ASCII form; it refuses what no resolver should be asked for.
	a, err := idna.Lookup.ToASCII(strings.TrimSuffix(h, "."))
	if err != nil || a == "" || len(a) > 253 {
		return "", errors.New("url has a bad host name")
	}
	if again, err := idna.Lookup.ToASCII(a); err != nil || again != a {
		return "", errors.New("url has a bad host name")
	}
	for label := range strings.SplitSeq(a, ".") {
		if label == "" || len(label) > 63 {
			return "", errors.New("url has a bad host name")
		}
	}
	// 127.1, 0x7f.0.0.1 and 2130706433 are addresses to some resolvers and
	// names to others.
	last := a[strings.LastIndexByte(a, '.')+1:]
	if last[0] >= '0' && last[0] <= '9' {
		return "", errors.New("url has a host that ends in a number")
	}
	return a, nil
}

// canonicalPath decodes needless escapes, takes out dot segments, and refuses
// a path that would grow one when decoded again or split at an escaped slash.
func canonicalPath(p string) (string, error) {
	p, err := fewestEscapes(p)
	if err != nil {
		return "", err
	}
	p = removeDots(p)
	// A chain of servers and proxies may each decode once more.
	for seen, round := p, 0; ; round++ {
		next := decodeOnce(seen)
		if next == seen {
			break
		}
		if round == deepest {
			return "", errors.New("url is escaped too many times over")
		}
		for segment := range strings.FieldsFuncSeq(next, func(r rune) bool { return r == '/' || r == '\\' }) {
			// A server may cut path parameters (`..;x`) before it resolves.
			if segment, _, _ = strings.Cut(segment, ";"); segment == "." || segment == ".." {
				return "", errors.New("url hides a dot segment in escapes")
			}
		}
		seen = next
	}
	for segment := range strings.SplitSeq(p, "/") {
		if name, _, cut := strings.Cut(segment, ";"); cut && (name == "." || name == "..") {
			return "", errors.New("url hides a dot segment in path parameters")
		}
	}
	return p, nil
}

// fewestEscapes decodes escaped unreserved characters and writes the others
// with upper-case digits (RFC 3986, 6.2.2).
func fewestEscapes(p string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '%' {
			b.WriteByte(p[i])
			continue
		}
		if i+2 >= len(p) || !isHex(p[i+1]) || !isHex(p[i+2]) {
			return "", errors.New("url has a bad escape")
		}
		c := unhex(p[i+1])<<4 | unhex(p[i+2])
		switch {
		case c == 0:
			return "", errors.New("url has an escaped NUL byte")
		case unreserved(c):
			b.WriteByte(c)
		default:
			b.WriteString("%" + strings.ToUpper(p[i+1:i+3]))
		}
		i += 2
	}
	return b.String(), nil
}

// decodeOnce decodes every good escape and leaves a bad one as it is, as
// lenient servers do.
func decodeOnce(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == '%' && i+2 < len(p) && isHex(p[i+1]) && isHex(p[i+2]) {
			b.WriteByte(unhex(p[i+1])<<4 | unhex(p[i+2]))
			i += 2
			continue
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// removeDots is RFC 3986, 5.2.4, for a path that begins with '/' or is empty.
func removeDots(p string) string {
	segments := strings.Split(strings.TrimPrefix(p, "/"), "/")
	out := segments[:0]
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		case ".":
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return "/" + strings.Join(out, "/")
}

func upperEscapes(q string) string {
	var b strings.Builder
	for i := 0; i < len(q); i++ {
		if q[i] == '%' && i+2 < len(q) && isHex(q[i+1]) && isHex(q[i+2]) {
			b.WriteString(strings.ToUpper(q[i : i+3]))
			i += 2
			continue
		}
		b.WriteByte(q[i])
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	default:
		return c - 'A' + 10
	}
}
