package wlipc

import "strings"

// maxTitle is what a row's title may be; a longer one is cut.
const maxTitle = 4096

// clean cuts a title to what a row may have, and takes out what would break a
// line.
func clean(s string) string {
	if len(s) > maxTitle {
		s = s[:maxTitle]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
