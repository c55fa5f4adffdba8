package printable

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestALineHasNothingThatDoesSomethingInsteadOfShowingIt(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":                  "plain text",
		"Straße, 東京, 👩‍👩‍👧":           "Straße, 東京, 👩‍👩‍👧",
		"a\nb\tc\u202ed\x00":          "a b cd",
		"a\r\nb\u2028c\u2029d\u0085e": "a b c d e",
		"a\x1b[31mb\u009b31mc":        "a[31mb31mc",
		"\u2066a\u2069\u200fb\u061c":  "ab",
		"\ufeffa\u200b\u00ad\u2060b":  "ab",
		"a\xffb\ufffdc":               "a\ufffdb\ufffdc",
	} {
		assert.Equal(t, want, Line(text))
	}
}

func FuzzALineIsTextAndStaysAsItIs(f *testing.F) {
	f.Add("a\nb\x1b\u202e\xff")
	f.Add("\r\r\n\n")
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, Harmful) || strings.ContainsFunc(line, Breaks) {
			t.Fatalf("%q became %q", s, line)
		}
		if Line(line) != line {
			t.Fatalf("%q becomes %q", line, Line(line))
		}
	})
}
