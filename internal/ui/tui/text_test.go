package tui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/internal/ui/choose"
)

func shown(r ruler, s string) (string, int) {
	var b strings.Builder
	n := 0
	for s != "" {
		size, text, w := r.next(s)
		b.WriteString(text)
		s, n = s[size:], n+w
	}
	return b.String(), n
}

func TestTextIsMeasuredAsTheTerminalShowsIt(t *testing.T) {
	clusters, codes := ruler{ansi.GraphemeWidth}, ruler{ansi.WcWidth}
	for _, c := range []struct {
		text            string
		shown           string // where code points are added up
		cells, composed int    // there, and where clusters have widths
	}{
		{"Firefox", "Firefox", 7, 7},
		{"東京", "東京", 4, 4},
		{"cafe\u0301", "cafe\u0301", 4, 4},
		{"שלום", "שלום", 4, 4},
		{"👪", "👪", 2, 2},
		{"👩‍👩‍👧", "👩", 2, 2},
		{"👍🏽", "👍", 2, 2},
		{"❤️", "❤", 1, 2},
		{"1️⃣", "1", 1, 2},
		{"\u0301", "\u25cc\u0301", 1, 1},
	} {
		text, n := shown(codes, c.text)
		assert.Equal(t, c.shown, text)
		assert.Equal(t, c.cells, n, c.text)
		_, n = shown(clusters, c.text)
		assert.Equal(t, c.composed, n, c.text)
		assert.Equal(t, c.composed, clusters.width(c.text))
	}
}

func TestNothingInATitleCanMoveTheCursorOrTurnTheText(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb":                        "a[31mb",
		"a\nb\tc\r\nd":                      "a b c d",
		"a\u202eb\u2066c":                   "abc",
		"a\u009b31mb":                       "a31mb",
		"a\xffb":                            "a\ufffdb",
		"\ufeffa\u200b\u00ad":               "a",
		"e" + strings.Repeat("\u0301", 500): "e" + strings.Repeat("\u0301", maxClusterRunes-1),
	} {
		got, _ := shown(ruler{ansi.GraphemeWidth}, text)
		assert.Equal(t, want, got)
	}
}

func FuzzShownTextIsHarmlessAndAsWideAsSaid(f *testing.F) {
	f.Add("a\x1b[2Jb", true)
	f.Add("👩‍👩‍👧\u202e\n", false)
	f.Fuzz(func(t *testing.T, s string, clusters bool) {
		r := ruler{ansi.WcWidth}
		if clusters {
			r.method = ansi.GraphemeWidth
		}
		total := 0
		for rest := s; rest != ""; {
			size, text, w := r.next(rest)
			if size <= 0 || size > len(rest) {
				t.Fatalf("took %d of %d bytes", size, len(rest))
			}
			if !utf8.ValidString(text) {
				t.Fatalf("%q shows as %q", rest[:size], text)
			}
			for _, c := range text {
				if unicode.IsControl(c) {
					t.Fatalf("%q shows as %q", rest[:size], text)
				}
			}
			if w < 0 || (w == 0) != (text == "") {
				t.Fatalf("%q takes %d cells", text, w)
			}
			rest, total = rest[size:], total+w
		}
		if !r.fits(s, total) || total > 0 && r.fits(s, total-1) {
			t.Fatalf("%q does not fit in just its %d cells", s, total)
		}
	})
}

func TestALineHoldsWhatHasRoomAndMarksWholeGraphemes(t *testing.T) {
	l := &line{r: ruler{ansi.GraphemeWidth}, width: 6, more: "…"}
	l.put("東京タワー", nil, 6)
	assert.Equal(t, "東京…", ansi.Strip(l.String()), "half of a wide character is no room for it")
	l.padTo(6)
	assert.Equal(t, "東京… ", ansi.Strip(l.String()))

	l = &line{r: ruler{ansi.GraphemeWidth}, width: 20, more: "…"}
	l.putMarked("cafe\u0301 x", [][2]int{{3, 4}}, nil, ansi.NewStyle().Bold(), 20)
	assert.Contains(t, l.String(), "caf\x1b[m\x1b[1me\u0301\x1b[m x")
}

func TestNoticesBreakAtSpaces(t *testing.T) {
	s := newScreen(20, 10, func(string) string { return "" })
	out := s.wrap([]choose.Notice{{Text: "no flash is running; `flash start` starts it", Warn: true}}, 20, 4)
	assert.Equal(t, []choose.Notice{{Text: "no flash is running;", Warn: true}, {Text: "`flash start` starts", Warn: true}, {Text: "it", Warn: true}}, out)
	assert.Len(t, s.wrap([]choose.Notice{{Text: strings.Repeat("x", 100)}}, 20, 2), 2)
}

func TestTheFlashlightsOwnSignsTakeOneCell(t *testing.T) {
	for _, sign := range ownSigns {
		s := string(sign)
		assert.Equal(t, len(s), ownSign(s+" "), s)
		assert.Equal(t, len(s), ownSign(s+s), s)
		assert.Zero(t, ownSign(s+"\u0301"), "%s with a mark", s)
		assert.Equal(t, 1, ansi.StringWidthWc(s), s)
		assert.Equal(t, 1, ansi.StringWidth(s), s)
	}
	assert.Zero(t, ownSign("a"))
	assert.Zero(t, ownSign("\xff"))
}
