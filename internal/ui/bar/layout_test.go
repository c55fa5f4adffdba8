package bar

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/status"
	"github.com/flash-launcher/flash/internal/ui/draw"
)

// ten is a font whose letters are ten wide.
func ten(r status.Run) float32 { return float32(10 * len(r.Text)) }

var test = sizes{width: 300, height: 20, scale: 1, pad: 8, gap: 16}

func run(text, name string) status.Run { return status.Run{Text: text, Name: name} }

// spans are the pieces' places, by text.
func spans(l layout) map[string][2]float32 {
	out := map[string][2]float32{}
	for _, p := range l.pieces {
		out[p.Text] = [2]float32{p.x, p.x + p.w}
	}
	return out
}

func TestThePartsStandAtTheirSides(t *testing.T) {
	l := arrange(status.Line{
		Left:   []status.Run{run("ab", "a"), run("c", "b")},
		Centre: []status.Run{run("mid", "m")},
		Right:  []status.Run{run("xyz", "x")},
	}, test, ten)
	assert.Equal(t, map[string][2]float32{"ab": {8, 28}, "c": {28, 38}, "mid": {135, 165}, "xyz": {262, 292}}, spans(l))
	assert.Equal(t, 0, l.at(8))
	assert.Equal(t, 1, l.at(37.5))
	assert.Equal(t, -1, l.at(100))
	assert.Equal(t, -1, l.at(0))
}

func TestTheCentreGivesWayAndTheLeftIsCutBeforeTheRight(t *testing.T) {
	l := arrange(status.Line{
		Left:   []status.Run{run("fifteen letters", "l")},
		Centre: []status.Run{run("mid", "m")},
		Right:  []status.Run{run("r", "r")},
	}, test, ten)
	assert.Equal(t, [2]float32{174, 204}, spans(l)["mid"])

	l = arrange(status.Line{
		Left:   []status.Run{run("fifteen letters", "l"), run("gone", "g")},
		Centre: []status.Run{run("mid", "m")},
		Right:  []status.Run{run("fifteen letters", "r")},
	}, test, ten)
	require.Len(t, l.pieces, 2)
	assert.Equal(t, float32(8), l.pieces[0].x)
	assert.Equal(t, float32(118), l.pieces[0].w)
	assert.True(t, l.areas[0].cut)
	assert.Equal(t, "fifteen letters", l.areas[0].tip(), "what is cut can be read by pointing at it")
	assert.False(t, l.areas[len(l.areas)-1].cut)
	assert.NotPanics(t, func() {
		tiny := test
		tiny.width = 3
		arrange(status.Line{Left: []status.Run{run("a", "")}, Centre: []status.Run{run("b", "")}, Right: []status.Run{run("c", "")}}, tiny, ten)
	})
}

func TestATextWithNoRoomForTheSignOfACutDoesNotShow(t *testing.T) {
	narrow := test
	narrow.width = 2*8 + 35 // the sign is three letters wide here
	l := arrange(status.Line{Left: []status.Run{run("a", "a"), {Text: "long", Style: status.Style{Reverse: true}}}}, narrow, ten)
	assert.Equal(t, map[string][2]float32{"a": {8, 18}}, spans(l))
	assert.True(t, l.areas[1].cut)
	narrow.width += 5
	l = arrange(status.Line{Left: []status.Run{run("a", "a"), {Text: "long", Style: status.Style{Reverse: true}}}}, narrow, ten)
	assert.Equal(t, [2]float32{18, 48}, spans(l)["long"])
}

func TestOnlyWhatLooksDifferentIsDamaged(t *testing.T) {
	line := status.Line{Left: []status.Run{run("ab", "a"), run("cd", "c")}, Right: []status.Run{run("x", "x")}}
	old := arrange(line, test, ten)
	line.Left = []status.Run{{Text: "ab", Name: "a", Hover: "told anew"}, run("ce", "c")}
	now := arrange(line, test, ten)
	assert.Equal(t, [][2]int{{24, 52}}, damage(&old, &now, test))
	assert.Empty(t, damage(&now, &now, test))
	line.Right = nil
	gone := arrange(line, test, ten)
	assert.Equal(t, [][2]int{{278, 296}}, damage(&now, &gone, test))
}

func TestColumnsThatTouchAreOneAndStayWithinTheBar(t *testing.T) {
	assert.Equal(t, [][2]int{{0, 20}, {30, 40}}, merge([][2]int{{30, 50}, {-5, 10}, {10, 20}, {60, 70}}, 40))
}

func TestEveryPieceIsPaintedWithinItsExtent(t *testing.T) {
	p := painter{fonts: draw.NewFonts(draw.FontOptions{}), theme: Light(), sizes: measures(400, 26, 1)}
	for _, r := range []status.Run{
		{Text: "Ägypten j", Style: status.Style{Bold: true, Underline: true}},
		{Text: "pill", Style: status.Style{Reverse: true}},
		{Text: "▁▂", Graph: &status.Graph{Values: []float64{0, 1, 0.5}, Cells: 20}},
		{Text: "██", Graph: &status.Graph{Values: []float64{1}, Meter: true, Cells: 5}},
		{Text: "░", Graph: &status.Graph{Values: []float64{0.01}, Meter: true, Cells: 1}},
	} {
		l := arrange(status.Line{Centre: []status.Run{r}}, p.sizes, p.measure)
		require.Len(t, l.pieces, 1)
		im, bare := draw.NewImage(400, 26), draw.NewImage(400, 26)
		p.paint(im, 0, &l, -1)
		p.paint(bare, 0, &layout{}, -1)
		e := l.pieces[0].extent(p.sizes)
		inside := false
		for i := range im.Pix {
			if im.Pix[i] == bare.Pix[i] {
				continue
			}
			x := i / 4 % 400
			require.True(t, x >= e[0] && x < e[1], "%q paints column %d outside %v", r.Text, x, e)
			inside = true
		}
		assert.True(t, inside, r.Text)

		// A strip is the same picture.
		strip := draw.NewImage(e[1]-e[0], 26)
		p.paint(strip, e[0], &l, -1)
		for y := range 26 {
			from := y*im.Stride + e[0]*4
			require.Equal(t, im.Pix[from:from+strip.Stride], strip.Pix[y*strip.Stride:(y+1)*strip.Stride], "%q line %d", r.Text, y)
		}
	}
}

func TestColoursWithANameAreTheThemesOwn(t *testing.T) {
	for _, theme := range []Theme{Dark(), Light()} {
		fg, _, ground := theme.ink(status.Style{FG: "red"})
		assert.Equal(t, theme.Named[1], fg)
		assert.False(t, ground)
		fg, bg, ground := theme.ink(status.Style{FG: "#102030", Reverse: true})
		assert.Equal(t, theme.Background, fg)
		assert.Equal(t, draw.RGB(0x102030), bg)
		assert.True(t, ground)
		fg, _, _ = theme.ink(status.Style{Dim: true})
		assert.Equal(t, theme.Muted, fg)
	}
}

func TestTheThemeOfOtherWindowsChoosesTheNamedColours(t *testing.T) {
	t1 := Of(draw.RGB(0), draw.RGB(0xffffff), draw.RGB(0xe0e0e0), draw.RGB(0x8cd3ff), draw.RGB(0xffffff))
	assert.Equal(t, Dark().Named, t1.Named)
	assert.Equal(t, draw.RGB(0), t1.Background)
	assert.Equal(t, Light().Named, Of(draw.RGB(0xffffff), draw.RGB(0), draw.RGB(0x262626), draw.RGB(0xc8), draw.RGB(0)).Named)
}

func TestAWordStandsOutFromItsGround(t *testing.T) {
	for _, theme := range []Theme{Dark(), Light()} {
		for name, c := range map[string]draw.Color{"text": theme.Text, "muted": theme.Muted, "accent": theme.Accent} {
			diff := c.Luma() - theme.Background.Luma()
			assert.Greater(t, max(diff, -diff), 80, name)
		}
		for _, i := range []int{1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14} {
			diff := theme.Named[i].Luma() - theme.Background.Luma()
			assert.Greater(t, max(diff, -diff), 70, "colour %d", i)
		}
	}
}
