package ewmh

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/desktop/window"
)

func TestTitlesOfTheOldEncodingsAreRead(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                     "plain",
		"caf\xe9":                   "café",
		"a\x1b%G名前 é\x1b%@b\xe9":    "a名前 ébé",
		"x\x1b%Gopen end ⚡":         "xopen end ⚡",
		"\x1b-A\xe9\x1b(Bz":         "éz",
		"\x1b$(BF|K\\8l\x1b(B!":     "日本語!",
		"\x1b$)B\xc6\xfc\x1b-A\xe9": "日é",
		"\x1b$(AVPND\x1b(B":         "中文",
		"\x1b$(CGQ19\x1b(B":         "한국",
		"\x1b)I\xb1\xb2":            "ｱｲ",
		"\x1b$(B\x46":               "\uFFFD",
		"\x1b$(Z\x46\x7c\x1b(B!":    "\uFFFD!",
		"\x1b-L\xc0\xe3\xe1 ru":     "Рус ru",
		"\x1b-F\xc1\xe8":            "Αθ",
		"\x1b-B\xe8\xb9":            "čš",
		"\x1b-H\xf9\xec":            "של",
		"\x1b-Z\xd6 ru":             "\uFFFD ru",
		"\x1b%/1\x80\x84abcdtail":   "\uFFFDtail",
		"\x1b":                      "",
		"\x1b%/1\x80":               "",
		"tab\tand\nline":            "tab and line",
		"ends\x00here":              "ends",
	} {
		assert.Equal(t, want, decodeCompound([]byte(in)), "%q", in)
	}
	assert.Equal(t, "café ÿ", decodeLatin1([]byte("caf\xe9 \xff")))
	assert.Equal(t, "a\uFFFDb", decodeUTF8([]byte("a\xffb")))
}

func TestATitleIsCutToWhatARowMayHave(t *testing.T) {
	s := decodeUTF8([]byte(strings.Repeat("é", window.MaxText)))
	assert.LessOrEqual(t, len(s), window.MaxText)
	assert.True(t, utf8.ValidString(s))
}

func TestTheClassOfAWindowIsTwoNames(t *testing.T) {
	for in, want := range map[string][2]string{
		"xterm\x00XTerm\x00": {"xterm", "XTerm"},
		"xterm\x00XTerm":     {"xterm", "XTerm"},
		"only":               {"only", ""},
		"":                   {"", ""},
		"\x00Class\x00":      {"", "Class"},
	} {
		instance, class := splitClass([]byte(in))
		assert.Equal(t, want, [2]string{instance, class}, "%q", in)
	}
}

func FuzzDecodeCompound(f *testing.F) {
	f.Add([]byte("a\x1b%G名\x1b%@b\xe9\x1b$(B\x46\x7c\x1b%/1\x80\x84abcd"))
	f.Add([]byte("\x1b$(BF|K\\8l\x1b(B!\x1b$)D\xb0\xa1\x1b)I\xb1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := decodeCompound(b); !utf8.ValidString(s) || len(s) > window.MaxText {
			t.Fatalf("%q", s)
		}
	})
}
