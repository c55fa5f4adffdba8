package draw

import (
	"image"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bare are the fonts of a machine that has none.
func bare(t testing.TB) *Fonts {
	f := NewFonts(FontOptions{Dirs: []string{t.TempDir()}, Lang: "C"})
	t.Cleanup(f.Drop)
	return f
}

// system are the machine's fonts; the test needs one that has r.
func system(t testing.TB, r rune, pkg string) *Fonts {
	f := NewFonts(FontOptions{})
	t.Cleanup(f.Drop)
	if f.clusterFace([]rune{r}, f.primary(Style{Size: 10})) == f.primary(Style{Size: 10}) {
		if _, ok := f.primary(Style{Size: 10}).glyph(r); !ok {
			t.Skip("needs a font with " + string(r) + ": apt-get install " + pkg)
		}
	}
	return f
}

var plain = Style{Size: 16}

func TestAMachineWithoutFontsHasTheBuiltInOne(t *testing.T) {
	f := bare(t)
	for _, s := range []Style{plain, {Size: 16, Bold: true}, {Size: 16, Mono: true}} {
		tx := f.Text("Hello", s)
		assert.Greater(t, tx.Width, float32(20))
		im := NewImage(100, 30)
		im.Text(f, tx, 2, 20, RGB(0xffffff))
		assert.NotEqual(t, make([]byte, len(im.Pix)), im.Pix)
	}
	assert.Greater(t, f.Text("日本語", plain).Width, float32(0), "a box for each that no font has")
}

func TestWhatHasNoRoomIsCutBetweenGraphemes(t *testing.T) {
	f := bare(t)
	s := "e\u0301e\u0301e\u0301 \U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 Straße und so weiter"
	for w := float32(0); w < 400; w += 3 {
		tx := f.Fit(s, plain, w)
		assert.LessOrEqual(t, tx.Width, max(w, f.Text(ellipsis, plain).Width))
		if tx.Source == s || tx.Source == "" {
			continue
		}
		kept, ok := strings.CutSuffix(tx.Source, ellipsis)
		require.True(t, ok)
		require.True(t, strings.HasPrefix(s, kept))
		_, bounds := kept, map[int]bool{0: true}
		at, state, rest := 0, -1, s
		for rest != "" {
			var g string
			g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			at += len(g)
			bounds[at] = true
			if strings.TrimRight(s[:at], " ") == kept {
				bounds[len(kept)] = true
			}
		}
		assert.True(t, bounds[len(kept)], "%q is cut inside a grapheme", tx.Source)
	}
}

func TestTheCaretAndAClickAgree(t *testing.T) {
	f := bare(t)
	for _, s := range []string{"abc def", "fi ffl office", "e\u0301a", "שלום abc 12 עולם", "مرحبا"} {
		tx := f.Text(s, plain)
		at, state, rest := 0, -1, s
		for {
			if x := tx.Caret(at); tx.Caret(tx.Offset(x)) != x {
				assert.Failf(t, "a click on the caret means another place", "%q at %d", s, at)
			}
			if rest == "" {
				break
			}
			var g string
			g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			at += len(g)
		}
	}
	assert.Equal(t, 0, f.Text("abc", plain).Offset(-50))
	assert.Equal(t, 3, f.Text("abc", plain).Offset(500))
}

func TestHebrewRunsToTheLeftAndNumbersInItDoNot(t *testing.T) {
	f := bare(t)
	s := "אב 12 גד"
	tx := f.Text(s, plain)
	require.True(t, tx.RTL)
	x := func(sub string) float32 { return tx.Caret(strings.Index(s, sub)) }
	assert.Greater(t, x("א"), x("ב"))
	assert.Greater(t, x("ב"), x("ג"))
	assert.Less(t, x("1"), x("2"), "digits run to the right")
	assert.Greater(t, x("1"), x("ג"))
	mixed := f.Text("say אב now", plain)
	assert.False(t, mixed.RTL)
	assert.Less(t, mixed.Caret(0), mixed.Caret(4))
}

func TestPartOfATextThatMeetsAnotherDirectionHasSeveralSpans(t *testing.T) {
	f := bare(t)
	tx := f.Text("ab אב cd", plain)
	assert.Len(t, tx.Spans(0, 2), 1)
	assert.Len(t, tx.Spans(0, 5), 2) // "ab " and the first Hebrew letter, which is on the right
	all := tx.Spans(0, len(tx.Source))
	var sum float32
	for _, s := range all {
		sum += s.X1 - s.X0
	}
	assert.InDelta(t, tx.Width, sum, 0.01)
}

func TestLinesBreakBetweenWordsAndAtLineEnds(t *testing.T) {
	f := bare(t)
	s := "one two three four\nfive\n\nsix " + strings.Repeat("x", 60)
	var got []string
	for _, l := range f.Wrap(s, plain, 90, 20) {
		got = append(got, s[l.From:l.To])
		assert.LessOrEqual(t, f.Text(s[l.From:l.To], plain).Width, float32(90))
	}
	assert.Equal(t, []string{"one two", "three four", "five", "", "six"}, got[:5])
	assert.Equal(t, strings.Repeat("x", 60), strings.Join(got[5:], ""))
	assert.Len(t, f.Wrap(s, plain, 90, 2), 2)
	assert.Empty(t, f.Wrap("", plain, 90, 2))
}

func TestAMarkColoursOnlyItsLetters(t *testing.T) {
	f := bare(t)
	im := NewImage(120, 30)
	tx := f.Text("aaaa", plain)
	im.Text(f, tx, 0, 20, RGB(0xff0000), Mark{From: 1, To: 2, Color: RGB(0x0000ff)})
	in := func(from, to float32, channel int) (sum int) {
		for y := range im.H {
			for x := int(from) + 1; x < int(to)-1; x++ {
				sum += int(im.at(x, y)[channel])
			}
		}
		return sum
	}
	assert.Zero(t, in(tx.Caret(1), tx.Caret(2), 2))
	assert.NotZero(t, in(tx.Caret(1), tx.Caret(2), 0))
	assert.Zero(t, in(tx.Caret(2), tx.Caret(4), 0))
}

func TestOtherScriptsComeFromOtherFonts(t *testing.T) {
	for _, c := range []struct{ text, pkg string }{
		{"العربية", "fonts-dejavu-core"}, {"עברית", "fonts-dejavu-core"}, {"ไทย", "fonts-noto-core"}, {"日本", "fonts-droid-fallback"},
	} {
		r := []rune(c.text)[0]
		f := system(t, r, c.pkg)
		for _, g := range f.Text(c.text, plain).glyphs {
			assert.NotZero(t, g.id, "%s has a letter without a glyph", c.text)
		}
	}
}

func TestEmojisArePicturesAndSequencesAreOne(t *testing.T) {
	f := system(t, 0x1f600, "fonts-noto-color-emoji")
	if f.emojiFace() == nil {
		t.Skip("needs fonts-noto-color-emoji")
	}
	im := NewImage(40, 40)
	im.Text(f, f.Text("😀", Style{Size: 30}), 0, 30, RGB(0xffffff))
	assert.True(t, func() bool {
		for i := 0; i < len(im.Pix); i += 4 {
			if im.Pix[i+2] > im.Pix[i]+60 && im.Pix[i+3] == 255 {
				return true // yellow
			}
		}
		return false
	}())
	for _, s := range []string{"👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "1️⃣"} {
		assert.Len(t, f.Text(s, plain).clusters, 1, s)
		assert.InDelta(t, f.Text("😀", plain).Width, f.Text(s, plain).Width, 1, s)
	}
}

func TestTheGlyphsKeptStayWithinTheirBound(t *testing.T) {
	f := NewFonts(FontOptions{Dirs: []string{t.TempDir()}, CacheBytes: 20000})
	defer f.Drop()
	im := NewImage(800, 100)
	for size := float32(10); size < 60; size++ {
		im.Text(f, f.Text("The quick brown fox", Style{Size: size}), 0, 60, RGB(0xffffff))
		assert.LessOrEqual(t, f.maskBytes, 10000+10000)
	}
	for i := range 3000 {
		f.Text(strings.Repeat("x", i%900), plain)
		assert.LessOrEqual(t, len(f.texts)+len(f.oldTexts), cachedTexts)
	}
}

func TestDroppedFontsOpenAgain(t *testing.T) {
	f := NewFonts(FontOptions{})
	before := f.Text("Hello שלום", plain).Width
	f.Drop()
	assert.Nil(t, f.texts)
	assert.Equal(t, before, f.Text("Hello שלום", plain).Width)
	f.Drop()
	f.Drop()
}

func TestNothingIsPaintedOutsideTheClip(t *testing.T) {
	f := bare(t)
	im := NewImage(60, 40)
	in := image.Rect(10, 10, 30, 25)
	im.Clip(in)
	white := RGB(0xffffff)
	im.Fill(im.Bounds(), white.Alpha(200))
	im.Clear(image.Rect(-5, -5, 100, 100), white)
	im.RoundRect(im.Bounds(), 9, white)
	im.Ring(im.Bounds(), 9, 2.5, white)
	im.Line(-10, -10, 90, 90, 4, white)
	im.Text(f, f.Text("wide text over all of it", plain), -20, 20, white)
	im.Bitmap(&Bitmap{Pix: make([]byte, 100*100*4), W: 100, H: 100}, -20, -20)
	im.CutCorners(im.Bounds(), 20)
	for y := range im.H {
		for x := range im.W {
			if !(image.Point{X: x, Y: y}).In(in) {
				require.Equal(t, []byte{0, 0, 0, 0}, im.at(x, y), "%d,%d", x, y)
			}
		}
	}
}

func TestARingIsTheBorderOfItsRectangle(t *testing.T) {
	for _, radius := range []float32{0, 6} {
		im := NewImage(40, 30)
		r := image.Rect(4, 5, 36, 25)
		im.Ring(r, radius, 2, RGB(0xffffff))
		assert.EqualValues(t, 255, im.at(20, 5)[3])
		assert.EqualValues(t, 255, im.at(20, 6)[3])
		assert.EqualValues(t, 0, im.at(20, 7)[3])
		assert.EqualValues(t, 255, im.at(4, 15)[3])
		assert.EqualValues(t, 255, im.at(35, 15)[3])
		assert.EqualValues(t, 0, im.at(3, 15)[3])
		assert.EqualValues(t, 0, im.at(20, 15)[3])
		assert.Equal(t, radius == 0, im.at(4, 5)[3] == 255)
	}
}

func TestColoursAreReadAndWritten(t *testing.T) {
	for _, c := range []struct {
		in  string
		out Color
	}{{"#fff", RGB(0xffffff)}, {"#1a2B3c", RGB(0x1a2b3c)}, {"#10203040", Color{0x10, 0x20, 0x30, 0x40}}} {
		got, ok := ParseColor(c.in)
		require.True(t, ok, c.in)
		assert.Equal(t, c.out, got)
	}
	for _, s := range []string{"", "#", "fff", "#ff", "#ggg", "#fffff", "#123456789"} {
		_, ok := ParseColor(s)
		assert.False(t, ok, s)
	}
	assert.Equal(t, "#10203040", Color{0x10, 0x20, 0x30, 0x40}.Hex())
}
