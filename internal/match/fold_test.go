package match

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

func foldedText(s string) string {
	var f folder
	f.fold(s)
	return string(f.text)
}

func TestFolding(t *testing.T) {
	for in, want := range map[string]string{
		"Firefox": "firefox", "  two \t words\n": "two words", "": "", " ": "",
		"Café": "cafe", "Cafe\u0301": "cafe", "u\u0308": "u", "ÅÄÖ": "aao", "\u212b": "a",
		"éŧø": "eto", "Łódź": "lodz", "Đ": "d", "ß": "ss", "ẞ": "ss", "æŒ": "aeoe", "þð": "thd",
		"İstanbul": "istanbul", "ISPARTA": "isparta", "ısparta": "isparta",
		"Яндекс": "яндекс", "Ёлка": "елка", "е\u0308": "е", "Йод": "йод", "и\u0306": "й", "Ї": "ї", "за\u0301мок": "замок",
		"Ελλάδος": "ελλαδοσ", "東京": "東京", "ガ": "ガ", "カ\u3099": "ガ", "ｶﾞ": "ガ", "한국": "한국", "\u1112\u1161\u11ab": "한",
		"Ｆｉｒｅ　Ｆｏｘ": "fire fox", "ﬁle": "file", "x²": "x2",
		"c++ .bashrc": "c++ .bashrc", "Don’t “x” – y": "don't \"x\" - y",
		"Skype™": "skype", "a\u200bb\u00adc": "abc", "❤\ufe0f": "❤", "كِتَاب": "كتاب", "शक्ति": "शक्ति",
	} {
		assert.Equal(t, want, foldedText(in), "%q", in)
	}
}

func TestFoldingTwiceIsFoldingOnce(t *testing.T) {
	for r := rune(1); r <= 0x2ffff; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		once := foldedText("a" + string(r) + "b")
		if !assert.Equal(t, once, foldedText(once), "U+%04X", r) {
			return
		}
	}
}

// slowly folds by the normalisation tables alone.
func slowly(s string) (string, []uint16) {
	f := folder{words: true}
	f.begin()
	for len(s) > 0 {
		if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
			f.put(unicode.ToLower(rune(s[0])), classOf(rune(s[0])))
			s = s[1:]
			continue
		}
		n := norm.NFKC.NextBoundaryInString(s, true)
		f.slow(s[:n])
		s = s[n:]
	}
	return string(f.text), f.starts
}

// Every character, alone and between others, before an accent and after one.
func TestTheQuickWaysToFoldAreTheSlowOne(t *testing.T) {
	for r := rune(1); r <= 0x1ffff; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		c := string(r)
		for _, s := range []string{c, "x" + c + "Y", c + "\u0301z", "e\u0323" + c, "Я" + c + "я", "가" + c, "カ" + c, "かー" + c, "AB" + c + "b" + c} {
			f := folder{words: true}
			f.fold(s)
			text, starts := slowly(s)
			if !assert.Equal(t, text, string(f.text), "U+%04X in %q", r, s) || !assert.Equal(t, starts, f.starts, "words of U+%04X in %q", r, s) {
				return
			}
		}
	}
}

func TestTheASCIIShortcutIsTheGeneralWay(t *testing.T) {
	for _, s := range strs("aAB1 -", 5) {
		quick, general := folder{words: true}, folder{words: true, tracking: true}
		quick.fold(s)
		general.fold(s)
		require.Equal(t, string(general.text), string(quick.text), "%q", s)
		require.Equal(t, general.starts, quick.starts, "%q", s)
		require.Equal(t, []uint64{general.mask, general.initials, uint64(general.letters)}, []uint64{quick.mask, quick.initials, uint64(quick.letters)}, "%q", s)
		require.Equal(t, presenceOf(quick.text), quick.mask, "%q", s)
	}
}

func TestWhereWordsBegin(t *testing.T) {
	for text, want := range map[string]string{
		"Visual Studio Code": "^      ^      ^",
		"HTMLParser":         "^   ^",
		"gVim":               "^^",
		"Office365":          "^     ^",
		"3DViewer":           "^^^",
		"node.js":            "^    ^",
		"a/b-c_d(e)[f]":      "^ ^ ^ ^ ^  ^",
		".bashrc":            " ^",
		"ATLauncher":         "^ ^",
		"PDF":                "^",
		"iPhone":             "^^",
		"東京":                 "^  ^",
		"東京タワー":              "^  ^  ^",
		"らーめんラーメン":           "^           ^",
		"한국어 사전":             "^         ^",
		"abc東":               "^  ^",
		"東abc":               "^  ^",
		"ЯндексДиск":         "^           ^",
	} {
		f := folder{words: true}
		f.fold(text)
		got := ""
		for _, s := range f.starts {
			got += strings.Repeat(" ", int(s)-len(got)) + "^"
		}
		assert.Equal(t, want, got, "%q", text)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Cafe\u0301 Straße 東京 ガ й")
	f.Fuzz(func(t *testing.T, s string) {
		quick, tracked := folder{words: true}, folder{words: true, tracking: true}
		quick.fold(s)
		tracked.fold(s)
		require.Equal(t, string(tracked.text), string(quick.text))
		require.Equal(t, tracked.starts, quick.starts)
		require.True(t, utf8.Valid(quick.text))
		require.Len(t, tracked.track, len(tracked.text))
		for i, src := range tracked.track {
			require.True(t, src.from < src.to && src.to <= len(s))
			if i > 0 {
				require.GreaterOrEqual(t, src.from, tracked.track[i-1].from)
			}
		}
	})
}
