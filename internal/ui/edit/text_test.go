package edit

import (
	"strings"
	"testing"
)

func FuzzGraphemesAreTheWholeText(f *testing.F) {
	f.Add("a\nb\x1b\u202e\xff")
	f.Add("e\u0301👩‍👩‍👧")
	f.Fuzz(func(t *testing.T, s string) {
		rest := s
		for g := range Graphemes(s) {
			if g == "" || !strings.HasPrefix(rest, g) {
				t.Fatalf("%q is not what %q goes on with", g, rest)
			}
			rest = rest[len(g):]
		}
		if rest != "" {
			t.Fatalf("%q is left of %q", rest, s)
		}
	})
}
