package window

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestATitleIsOneLineOfValidText(t *testing.T) {
	for said, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"two\nlines\tand \x1b": "two lines and  ",
		"ends\x00here":         "ends",
		"bro\xffken":           "bro\uFFFDken",
		"日本語 – é":              "日本語 – é",
	} {
		assert.Equal(t, want, Text(said))
	}
	long := Text(strings.Repeat("é", MaxText))
	assert.True(t, utf8.ValidString(long))
	assert.LessOrEqual(t, len(long), MaxText)
	assert.Greater(t, len(long), MaxText-utf8.UTFMax)
	assert.LessOrEqual(t, len(Text("x"+strings.Repeat("é", MaxText))), MaxText)
}

func FuzzTextIsOneLine(f *testing.F) {
	f.Add("a\nb\x00c\xff")
	f.Fuzz(func(t *testing.T, said string) {
		got := Text(said)
		if !utf8.ValidString(got) || len(got) > MaxText || strings.ContainsAny(got, "\n\r\x00\x7f") {
			t.Fatalf("%q", got)
		}
		if Text(got) != got {
			t.Fatalf("%q is not a title as it stands", got)
		}
	})
}
