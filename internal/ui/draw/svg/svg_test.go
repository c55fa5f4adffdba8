package svg

import (
	"fmt"
	"image"
	"image/color"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paints is a picture 10 units wide and high at as many pixels.
func paints(t *testing.T, inside string) *image.RGBA {
	t.Helper()
	im, err := Decode([]byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10">`+inside+`</svg>`), 10)
	require.NoError(t, err, inside)
	return im
}

func at(im *image.RGBA, x, y int) string {
	c := color.NRGBAModel.Convert(im.At(x, y)).(color.NRGBA)
	return fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}

const (
	red   = "ff0000ff"
	blue  = "0000ffff"
	black = "000000ff"
	none  = "00000000"
)

func TestWhatAnIconIsMadeOfIsPainted(t *testing.T) {
	type pixels map[[2]int]string
	for inside, want := range map[string]pixels{
		`<rect width="5" height="10" fill="red"/>`:                            {{4, 5}: red, {5, 5}: none},
		`<path d="M0 0h5v10H0z" style="fill:#00f"/>`:                          {{4, 5}: blue, {5, 5}: none},
		`<path d="m1,1 8,0 0,8 -8,0zM3-3"/>`:                                  {{1, 1}: black, {8, 8}: black, {0, 0}: none, {9, 9}: none},
		`<circle cx="5" cy="5" r="5" fill="red"/>`:                            {{5, 1}: red, {5, 5}: red, {0, 0}: none},
		`<ellipse cx="5" cy="5" rx="5" ry="2" fill="red"/>`:                   {{5, 5}: red, {5, 1}: none},
		`<path d="M0 5a5 5 0 1110 0 5 5 0 01-10 0" fill="red"/>`:              {{5, 5}: red, {1, 5}: red, {0, 0}: none},
		`<path d="M0 10C0-3 10-3 10 10" fill="red"/>`:                         {{5, 8}: red, {0, 0}: none},
		`<path d="M0 10Q5-10 10 10T20 10" fill="red"/>`:                       {{5, 8}: red, {0, 0}: none},
		`<polygon points="0,0 10,0 10,10" fill="red"/>`:                       {{9, 1}: red, {1, 9}: none},
		`<rect width="10" height="10" rx="4" fill="red"/>`:                    {{5, 5}: red, {0, 0}: none},
		`<path d="M0 0h10v10H0zM2 2h6v6H2z" fill="red"/>`:                     {{5, 5}: red},
		`<path d="M0 0h10v10H0zM2 2h6v6H2z" fill-rule="evenodd" fill="red"/>`: {{5, 5}: none, {1, 1}: red},
		// Strokes.
		`<path d="M0 5H10" stroke="red" stroke-width="2"/>`:                                                                    {{5, 4}: red, {5, 5}: red, {5, 3}: none},
		`<line x1="2" y1="5" x2="8" y2="5" stroke="red" stroke-width="2" stroke-linecap="square"/>`:                            {{1, 5}: red, {8, 5}: red, {0, 5}: none},
		`<path d="M2 5H8" stroke="red" stroke-width="2"/>`:                                                                     {{1, 5}: none, {2, 5}: red},
		`<path d="M1 9V1H9" fill="none" stroke="red" stroke-width="2"/>`:                                                       {{0, 0}: red, {5, 5}: none},
		`<path d="M1 9V1H9" fill="none" stroke="red" stroke-width="2" stroke-linejoin="bevel"/>`:                               {{0, 0}: "ff000080"},
		`<path d="M0 5H10" stroke="red" stroke-width="2" stroke-dasharray="2 3"/>`:                                             {{1, 5}: red, {3, 5}: none, {6, 5}: red},
		`<g transform="scale(2)"><path d="M0 2.5H5" stroke="red"/></g>`:                                                        {{5, 4}: red, {5, 5}: red, {5, 3}: none},
		`<rect x="2" y="2" width="6" height="6" fill="none" stroke="red" transform="matrix(-1 0 0 1 10 0)" stroke-width="2"/>`: {{1, 5}: red, {5, 5}: none},
		// Where it stands, and how it is styled.
		`<g transform="translate(5 0) rotate(90 2.5 2.5)"><rect width="5" height="2" fill="red"/></g>`:                                                                    {{9, 2}: red, {6, 2}: none},
		`<style>.a{fill:red} rect{fill:#000} #b{fill:blue !important}</style><rect class="x a" width="5" height="5"/><rect id="b" class="a" x="5" width="5" height="5"/>`: {{1, 1}: red, {6, 1}: blue},
		`<g color="red"><rect width="5" height="5" fill="currentColor"/></g>`:                                                                                             {{1, 1}: red},
		`<g fill="rgb(100%,0,0)"><rect width="5" height="5"/></g>`:                                                                                                        {{1, 1}: red},
		`<g fill="hsl(240,100%,50%)"><rect width="5" height="5"/></g>`:                                                                                                    {{1, 1}: blue},
		`<rect width="9" height="9" fill="red" display="none"/><rect width="1" height="1"/>`:                                                                              {{5, 5}: none},
		`<rect width="9" height="9" fill="url(#gone) blue"/>`:                                                                                                             {{5, 5}: blue},
		`<rect width="9" height="9" fill="red" fill-opacity=".5"/>`:                                                                                                       {{5, 5}: "ff000080"},
		`<g opacity=".5"><rect width="9" height="9" fill="red"/><rect width="9" height="9" fill="red"/></g>`:                                                              {{5, 5}: "ff000080"},
		`<defs><rect id="r" width="2" height="2" fill="red"/></defs><use xlink:href="#r" x="4" y="4"/>`:                                                                   {{4, 4}: red, {1, 1}: none},
		`<symbol id="r" viewBox="0 0 1 1"><rect width="1" height="1" fill="red"/></symbol><use href="#r" width="4" height="4"/>`:                                          {{3, 3}: red, {5, 5}: none},
		`<switch><foreignObject/><rect width="9" height="9" fill="red"/><rect width="9" height="9"/></switch>`:                                                            {{5, 5}: red},
		// What is laid over it.
		`<clipPath id="c"><circle cx="5" cy="5" r="3"/></clipPath><rect width="10" height="10" fill="red" clip-path="url(#c)"/>`:                                        {{5, 5}: red, {1, 1}: none},
		`<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width=".5" height="1"/></clipPath><rect x="2" width="6" height="10" fill="red" clip-path="url(#c)"/>`: {{3, 5}: red, {6, 5}: none},
		`<mask id="m"><rect width="5" height="10" fill="#fff"/></mask><rect width="10" height="10" fill="red" mask="url(#m)"/>`:                                         {{3, 5}: red, {6, 5}: none},
		`<filter id="f"><feColorMatrix values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 1 0"/></filter><rect width="9" height="9" fill="red" filter="url(#f)"/>`:             {{5, 5}: blue},
		`<filter id="f"><feOffset dx="5"/></filter><rect width="5" height="9" fill="red" filter="url(#f)"/>`:                                                            {{2, 5}: none, {7, 5}: red},
		`<filter id="f"><feFlood/></filter><rect width="5" height="9" fill="red" filter="url(#f)"/>`:                                                                    {{2, 5}: red},
		// Gradients.
		`<linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient><rect width="10" height="10" fill="url(#g)"/>`:                                                                                 {{0, 5}: "f2000dff", {9, 5}: "0d00f2ff"},
		`<linearGradient id="a"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient><linearGradient id="g" xlink:href="#a" gradientUnits="userSpaceOnUse" x1="4" x2="5"/><path d="M0 0h10v10H0z" fill="url(#g)"/>`: {{0, 5}: red, {9, 5}: blue},
		`<radialGradient id="g" r=".5"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></radialGradient><rect width="10" height="10" fill="url(#g)"/>`:                                                                          {{0, 0}: blue},
		`<linearGradient id="g" spreadMethod="repeat" x2=".2"><stop stop-color="red"/><stop offset=".5" stop-color="red"/><stop offset=".5" stop-color="blue"/></linearGradient><rect width="10" height="10" fill="url(#g)"/>`:              {{0, 0}: red, {1, 0}: blue, {2, 0}: red, {9, 0}: blue},
	} {
		im := paints(t, inside)
		for p, c := range want {
			assert.Equal(t, c, at(im, p[0], p[1]), "%v of %s", p, inside)
		}
	}
}

func TestABlurSpreadsEvenlyAndLosesNothing(t *testing.T) {
	im := paints(t, `<filter id="f"><feGaussianBlur stdDeviation="1"/></filter><rect x="4" y="4" width="2" height="2" filter="url(#f)"/>`)
	sum := 0
	for i := 3; i < len(im.Pix); i += 4 {
		sum += int(im.Pix[i])
	}
	assert.InDelta(t, 4*255, sum, 40)
	assert.Equal(t, at(im, 3, 5), at(im, 6, 5))
	assert.Less(t, im.RGBAAt(4, 4).A, uint8(120))
}

func TestAPictureKeepsItsShape(t *testing.T) {
	im, err := Decode([]byte(`<svg width="20mm" height="10mm"><rect width="200" height="200"/></svg>`), 24)
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 24, 12), im.Rect)
}

func TestWhatIsNoIconIsRefusedWithTheReason(t *testing.T) {
	for in, want := range map[string]error{
		"":                         errNotSVG,
		"\x89PNG\r\n":              errNotSVG,
		"<html/>":                  errNotSVG,
		"<svg/>":                   errNotSVG,
		`<svg viewBox="0 0 0 1"/>`: errNotSVG,
		`<svg viewBox="0 0 1 1"><text>hi</text></svg>`:                          errEmpty,
		`<svg viewBox="0 0 1 1"><image href="file:///etc/passwd"/></svg>`:       errEmpty,
		strings.Repeat(" ", MaxBytes+1):                                         errTooLarge,
		`<svg viewBox="0 0 1 1">` + strings.Repeat("<g>", maxDepth) + `</svg>`:  errTooDeep,
		`<svg viewBox="0 0 1 1">` + strings.Repeat("<g/>", maxNodes) + `</svg>`: errTooMuch,
	} {
		_, err := Decode([]byte(in), 16)
		assert.ErrorIs(t, err, want, "%.60q", in)
	}
	_, err := Decode([]byte(`<svg viewBox="0 0 1 1"/>`), MaxSize+1)
	assert.ErrorIs(t, err, errTooLarge)
}

// hostile are files whose cost would be without bound.
func hostile() map[string]string {
	wrap := func(s string) string { return `<svg viewBox="0 0 100 100" xmlns:x="y">` + s + `</svg>` }
	laughs := `<g id="l0"><rect width="9" height="9"/></g>`
	for i := 1; i < 30; i++ {
		laughs += fmt.Sprintf(`<g id="l%d">%s</g>`, i, strings.Repeat(fmt.Sprintf(`<use href="#l%d"/>`, i-1), 10))
	}
	nested := ""
	for i := range 60 {
		nested += fmt.Sprintf(`<clipPath id="c%d" clip-path="url(#c%d)"><rect width="9" height="9"/></clipPath>`, i, i+1)
	}
	return map[string]string{
		"uses of uses":         wrap(laughs),
		"a use of itself":      wrap(`<g id="a"><use href="#a"/></g><use href="#a"/>`),
		"a clip of itself":     wrap(`<clipPath id="c" clip-path="url(#c)"><rect width="9" height="9"/></clipPath><g clip-path="url(#c)"><rect width="9" height="9"/></g>`),
		"a mask of itself":     wrap(`<mask id="m"><rect width="9" height="9" mask="url(#m)"/></mask><rect width="9" height="9" mask="url(#m)"/>`),
		"clips of clips":       wrap(nested + `<rect width="9" height="9" clip-path="url(#c0)"/>`),
		"a gradient of itself": wrap(`<linearGradient id="g" href="#g"/>` + strings.Repeat(`<rect width="99" height="99" fill="url(#g)"/>`, 9000)),
		"layers":               wrap(strings.Repeat(`<g opacity=".5">`, 60) + `<rect width="9" height="9"/>` + strings.Repeat(`</g>`, 60)),
		"dashes":               wrap(`<path stroke="red" stroke-dasharray="1e-9 1e-9" d="M0 0` + strings.Repeat("L99 99L0 0", 50_000) + `"/>`),
		"dashes of lines":      wrap(`<path stroke="red" stroke-dasharray=".06" d="` + strings.Repeat("M0 0L99 99", 80_000) + `"/>`),
		"curves":               wrap(`<path d="M0 0` + strings.Repeat("C1e8 1e8 -1e8 -1e8 9 9", 40_000) + `"/>`),
		"arcs":                 wrap(`<path d="M0 0` + strings.Repeat("A1e8 1e8 0 1 1 9 9", 40_000) + `"/>`),
		"moves":                wrap(`<path d="` + strings.Repeat("M0 0", 250_000) + `"/>`),
		"crossings":            wrap(`<path d="M0 0` + strings.Repeat("L99 0L0 99", 90_000) + `"/>`),
		"a wide blur":          wrap(strings.Repeat(`<g filter="url(#f)"><rect width="9" height="9"/></g>`, 9_000) + `<filter id="f">` + strings.Repeat(`<feGaussianBlur stdDeviation="1e9"/>`, 900) + `</filter>`),
		"a style sheet":        wrap(`<style>` + strings.Repeat("rect,", 400) + `rect{` + strings.Repeat("fill:red;", 50_000) + `}</style>` + strings.Repeat(`<rect width="9" height="9"/>`, 9_000)),
		"a long transform":     wrap(`<g id="t" transform="` + strings.Repeat("rotate(1)", 90_000) + `"><rect width="9" height="9"/></g>` + strings.Repeat(`<use href="#t"/>`, 9_000)),
		"entities":             `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>` + wrap(`<style>&b;&c;</style><rect width="9" height="9" fill="&c;"/>`),
		"numbers":              wrap(`<rect width="1e999" height="NaN"/><path d="M1e308 1e308L-1e308 5Inf" stroke="red" stroke-width="1e300"/><g transform="scale(1e9) scale(1e9) scale(1e9) skewX(90)"><circle r="1e9" stroke="red"/></g>`),
	}
}

func TestAHostileFileCostsNoMoreThanItMay(t *testing.T) {
	for name, in := range hostile() {
		t.Run(name, func(t *testing.T) {
			sizes := []int{24}
			if len(in) < 20_000 {
				sizes = append(sizes, MaxSize) // what makes layers costs by their size, the rest by its own
			}
			for _, size := range sizes {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				from := time.Now()
				_, err := Decode([]byte(in), size)
				took := time.Since(from)
				runtime.ReadMemStats(&after)
				made := (after.TotalAlloc - before.TotalAlloc) >> 20
				t.Logf("%d pixels: %v, %d MiB, %v", size, took.Round(time.Millisecond), made, err)
				assert.Less(t, made, uint64(200), "MiB")
			}
		})
	}
}

func FuzzAnIconIsPaintedOrRefused(f *testing.F) {
	for _, in := range hostile() {
		if len(in) < 4000 {
			f.Add([]byte(in))
		}
	}
	f.Add([]byte(`<svg viewBox="0 0 10 10"><style>.a{fill:red}</style><linearGradient id="g"><stop/></linearGradient><path class="a" d="M0 0a1 2 3 01 4 5zc1 2 3 4 5 6s1 2 3 4q1 2 3 4t5 6" stroke="url(#g)" stroke-dasharray="1 2" stroke-linejoin="round"/><mask id="m"/><g mask="url(#m)" opacity=".3"/></svg>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if im, err := Decode(data, 16); err == nil {
			for i := 0; i < len(im.Pix); i += 4 {
				a := im.Pix[i+3]
				require.True(t, im.Pix[i] <= a && im.Pix[i+1] <= a && im.Pix[i+2] <= a, "a colour is no more than its cover")
			}
		}
	})
}

func BenchmarkAnIcon(b *testing.B) {
	data := []byte(`<svg viewBox="0 0 64 64"><linearGradient id="g" y2="1"><stop stop-color="#4a90d9"/><stop offset="1" stop-color="#1c5aa0"/></linearGradient><rect x="4" y="4" width="56" height="56" rx="10" fill="url(#g)"/><path d="M12 20h30M12 32h40M12 44h24" stroke="#fff" stroke-width="4" stroke-linecap="round"/><circle cx="48" cy="48" r="9" fill="#e33" opacity=".9"/></svg>`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data, 48); err != nil {
			b.Fatal(err)
		}
	}
}
