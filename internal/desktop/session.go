//go:build !darwin || cgo

package desktop

import (
	"errors"
	"strings"

	envblock "github.com/flash-launcher/flash/internal/environ"
)

func (e environ) get(key string) string { return envblock.Lookup(e, key) }

// checkURL refuses what no handler should be given: an empty text, a word that
// a program would take for an option, or control characters. An absolute path
// passes; the returned scheme is "file" for it.
func checkURL(url string) (scheme string, err error) {
	if strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", errors.New("open: the URL holds control characters")
	}
	if strings.HasPrefix(url, "/") {
		return "file", nil
	}
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok || rest == "" || !validScheme(scheme) {
		return "", errors.New("open: neither a URL with a scheme nor an absolute path")
	}
	return strings.ToLower(scheme), nil
}

func validScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if c >= 'a' && c <= 'z' {
			continue
		}
		if i == 0 || !(s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.') {
			return false
		}
	}
	return s != ""
}
