package draw

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"
)

// picture writes a square PNG of one colour.
func picture(t *testing.T, path string, size int, c color.Color) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	im := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i := range size * size {
		im.Set(i%size, i/size, c)
	}
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, im))
	require.NoError(t, f.Close())
}

func theme(t *testing.T, root, text string) {
	require.NoError(t, os.MkdirAll(root, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "index.theme"), []byte(text), 0o600))
}

var (
	red   = color.NRGBA{255, 0, 0, 255}
	green = color.NRGBA{0, 255, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 128}
)

func TestAnIconIsFoundInItsThemeThenInItsBaseThenInHicolor(t *testing.T) {
	d := t.TempDir()
	theme(t, d+"/Mine", "[Icon Theme]\nName=Mine\nInherits=Base\nDirectories=16,48\n[16]\nSize=16\nType=Fixed\n[48]\nSize=48\nType=Threshold\n")
	theme(t, d+"/Base", "[Icon Theme]\nInherits=Mine\n[big]\nSize=128\nMinSize=64\nMaxSize=256\nType=Scalable\n")
	theme(t, d+"/hicolor", "[Icon Theme]\n[32x32/apps]\nSize=32\n[16x16@2/apps]\nSize=16\nScale=2\n")
	picture(t, d+"/Mine/16/a.png", 16, red)
	picture(t, d+"/Mine/48/a.png", 48, green)
	picture(t, d+"/Base/big/b.png", 128, red)
	picture(t, d+"/hicolor/32x32/apps/c.png", 32, blue)
	picture(t, d+"/hicolor/32x32/apps/a.png", 32, blue)
	picture(t, d+"/loose.png", 20, red)
	ic := NewIcons(IconOptions{Theme: "Mine", Dirs: []string{d}})

	for _, c := range []struct {
		name  string
		size  int
		pixel []byte
	}{
		{"a", 24, []byte{0, 255, 0, 255}}, // the next larger
		{"a", 16, []byte{0, 0, 255, 255}},
		{"a", 99, []byte{0, 255, 0, 255}}, // the largest
		{"b", 24, []byte{0, 0, 255, 255}},
		{"c", 32, []byte{128, 0, 0, 128}}, // premultiplied
		{"loose", 16, []byte{0, 0, 255, 255}},
		{filepath.Join(d, "loose.png"), 40, []byte{0, 0, 255, 255}},
	} {
		b := ic.Icon(c.name, c.size)
		require.NotNil(t, b, c.name)
		assert.Equal(t, [2]int{c.size, c.size}, [2]int{b.W, b.H})
		at := (c.size/2*c.size + c.size/2) * 4
		assert.Equal(t, c.pixel, b.Pix[at:at+4], c.name)
	}
	for _, name := range []string{"", "nothing", "../loose", "x/../a"} {
		assert.Nil(t, ic.Icon(name, 16), name)
	}
	ic.Drop()
	picture(t, d+"/nothing.png", 20, red)
	assert.NotNil(t, ic.Icon("a", 16))
	assert.Nil(t, ic.Icon("nothing", 16), "where icons are is remembered")
	ic.Refresh()
	assert.NotNil(t, ic.Icon("nothing", 16))
}

func TestAnIconThatIsThereAsSVGIsPaintedAtItsSize(t *testing.T) {
	d := t.TempDir()
	theme(t, d+"/hicolor", "[Icon Theme]\n[48/apps]\nSize=48\nType=Fixed\n[scalable/apps]\nSize=128\nMinSize=8\nMaxSize=512\nType=Scalable\n")
	drawn := []byte(`<svg viewBox="0 0 20 10"><rect width="20" height="10" fill="#f00"/></svg>`)
	for name, data := range map[string][]byte{"scalable/apps/a.svg": drawn, "scalable/apps/b.svg": drawn, "48/apps/c.svg": drawn, "scalable/apps/bad.svg": []byte("<svg"), "../loose.svg": drawn} {
		require.NoError(t, os.MkdirAll(filepath.Dir(d+"/hicolor/"+name), 0o700))
		require.NoError(t, os.WriteFile(d+"/hicolor/"+name, data, 0o600))
	}
	picture(t, d+"/hicolor/48/apps/b.png", 48, green)
	picture(t, d+"/hicolor/48/apps/c.png", 48, green)
	ic := NewIcons(IconOptions{Dirs: []string{d}})
	for _, c := range []struct {
		name  string
		size  int
		pixel []byte
		h     int
	}{
		{"a", 24, []byte{0, 0, 255, 255}, 12},
		{"a.svg", 36, []byte{0, 0, 255, 255}, 18},
		{"b", 48, []byte{0, 255, 0, 255}, 48}, // there is one of just that size
		{"b", 24, []byte{0, 0, 255, 255}, 12}, // and here is none
		{"c", 48, []byte{0, 255, 0, 255}, 48}, // side by side, PNG is what the theme drew for that size
		{"loose", 16, []byte{0, 0, 255, 255}, 8},
		{filepath.Join(d, "loose.svg"), 600, []byte{0, 0, 255, 255}, 300},
	} {
		b := ic.Icon(c.name, c.size)
		require.NotNil(t, b, c.name)
		assert.Equal(t, [2]int{c.size, c.h}, [2]int{b.W, b.H}, c.name)
		at := (c.h/2*c.size + c.size/2) * 4
		assert.Equal(t, c.pixel, b.Pix[at:at+4], c.name)
	}
	assert.Nil(t, ic.Icon("bad", 24))
}

func TestAnIconThatIsThereAsXPMIsRead(t *testing.T) {
	d := t.TempDir()
	require.NoError(t, os.WriteFile(d+"/old.xpm", []byte("/* XPM */\nstatic char * old[] = {\n\"4 2 6 1\",\n\" \tc None\",\n\"\"\tc #F00\",\n"+
		"\"b\tc #0000FFFF0000 m white\",\n\"c\ts x c dark green\",\n\"d c gray50\",\n\"e m white\",\n\" \"bc\",\n\"dedd\"};\n"), 0o600))
	f, err := os.Open(d + "/old.xpm")
	require.NoError(t, err)
	im, err := decodeXPM(f)
	require.NoError(t, f.Close())
	require.NoError(t, err)
	for i, want := range []color.NRGBA{{}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 100, 0, 255}, {128, 128, 128, 255}, {}} {
		assert.Equal(t, want, im.At(i%4, i/4), i)
	}
	b := NewIcons(IconOptions{Dirs: []string{d}}).Icon("old", 8)
	require.NotNil(t, b)
	assert.Equal(t, [2]int{8, 4}, [2]int{b.W, b.H})
}

func FuzzAnXPMIsReadOrRefused(f *testing.F) {
	f.Add([]byte("\"2 1 2 1\"\n\"a c red\"\n\"b c None\"\n\"ab\"\n"))
	f.Add([]byte("\"1024 1024 4096 4\"\n\"\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if im, err := decodeXPM(bytes.NewReader(data)); err == nil {
			assert.LessOrEqual(t, max(im.Bounds().Dx(), im.Bounds().Dy()), maxIcon)
		}
	})
}

func TestIconsAreKeptWithinTheirBound(t *testing.T) {
	d := t.TempDir()
	picture(t, d+"/x.png", 8, red)
	ic := NewIcons(IconOptions{Dirs: []string{d}})
	for size := 1; size < 400; size++ {
		require.NotNil(t, ic.Icon("x", size))
		assert.LessOrEqual(t, ic.bytes, max(iconBytes/2, size*size*4+entryBytes))
	}
}

func FuzzAnIndexOfAThemeIsReadWhateverItSays(f *testing.F) {
	f.Add([]byte("[Icon Theme]\nInherits=a,b\n[x]\nSize=16\nScale=2\nType=Scalable\n"), "x")
	f.Fuzz(func(t *testing.T, index []byte, name string) {
		d := t.TempDir()
		theme(t, d+"/T", string(index))
		NewIcons(IconOptions{Theme: "T", Dirs: []string{d}}).Icon(name, 16)
	})
}

func FuzzAFontFileIsReadWhateverItHolds(f *testing.F) {
	f.Add([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"))
	f.Add(builtinHead())
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.ttf")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for _, ff := range describe(path) {
			if fc, err := openFace(ff, false); err == nil {
				fc.close()
			}
		}
		familyName(data)
		s := &strikes{file: emptyFile{}, index: data}
		if len(data) >= 8 {
			s.picture(3, 20)
		}
	})
}

type emptyFile struct{}

func (emptyFile) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }

// builtinHead is the beginning of the built-in font, enough for its directory.
func builtinHead() []byte { return goregular.TTF[:4096] }

func TestAPlatformMayMakeThePicturesOfFiles(t *testing.T) {
	made := 0
	ic := NewIcons(IconOptions{Dirs: []string{t.TempDir()}, File: func(path string, size int) *Bitmap {
		made++
		if path != "/Applications/Some.app" {
			return nil
		}
		return &Bitmap{Pix: make([]byte, size*size*4), W: size, H: size}
	}})
	assert.NotNil(t, ic.Icon("/Applications/Some.app", 16))
	assert.Nil(t, ic.Icon("/Applications/None.app", 16))
	assert.Nil(t, ic.Icon("some", 16), "a name is the theme's")
	assert.NotNil(t, ic.Icon("/Applications/Some.app", 16))
	assert.Nil(t, ic.Icon("/Applications/None.app", 16))
	assert.Equal(t, 2, made, "each once")
	ic.Drop()
	assert.NotNil(t, ic.Icon("/Applications/Some.app", 16))
	assert.Equal(t, 3, made)
}
