package draw

import (
	"bytes"
	"io"
	"os"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face is an open font. Its outlines and pictures stay in the file.
type face struct {
	file    *os.File // nil for the built-in font
	upem    float32
	ascent  float32 // in ems
	descent float32
	shaper  *harfbuzz.Font // nil where letters simply follow each other
	lines   *sfnt.Font     // outlines, nil for a font of pictures
	whole   *font.Face     // where outlines come in a form that sfnt does not read
	strikes *strikes       // pictures, nil without
	embold  bool           // made bold by painting it twice
	buf     *sfnt.Buffer
}

// plainGlyphs is from how many glyphs on a font of the east of Asia is used
// without a shaper: its tables would take more memory than the whole panel.
const plainGlyphs = 12000

// shapingTables are what the shaper needs. The outlines are not among them.
func shapingTable(name string) bool {
	switch name {
	case "cmap", "head", "maxp", "hhea", "hmtx", "OS/2", "GDEF", "GSUB", "GPOS", "kern":
		return true
	}
	return false
}

// outlineTable are what sfnt needs to read outlines.
func outlineTable(name string) bool {
	switch name {
	case "cmap", "head", "maxp", "hhea", "hmtx", "OS/2", "name", "post", "glyf", "loca", "CFF ":
		return true
	}
	return false
}

// openFace opens a font file; plain is to use no shaper if the font is big.
func openFace(f fontFile, plain bool) (*face, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	out, err := readFace(file, f.index, plain)
	if err != nil {
		file.Close()
		return nil, err
	}
	out.file = file
	return out, nil
}

// builtinFace is the font of a machine that has none.
func builtinFace() *face {
	f, err := readFace(bytes.NewReader(goregular.TTF), 0, false)
	if err != nil {
		panic("the built-in font cannot be read: " + err.Error())
	}
	return f
}

func readFace(r io.ReaderAt, index int, plain bool) (*face, error) {
	dirs, err := directories(r)
	if err != nil {
		return nil, err
	}
	if index >= len(dirs) {
		return nil, errFont
	}
	d := dirs[index]
	out := &face{buf: &sfnt.Buffer{}}
	if err := out.metrics(r, d); err != nil {
		return nil, err
	}
	_, glyf := d.find("glyf")
	_, cff := d.find("CFF ")
	_, cff2 := d.find("CFF2")
	switch {
	case glyf || cff:
		if out.lines, err = sfnt.ParseReaderAt(only(r, d, outlineTable)); err != nil {
			return nil, err
		}
		if plain && out.lines.NumGlyphs() >= plainGlyphs {
			return out, nil
		}
	case cff2:
		ld, err := opentype.NewLoader(only(r, d, func(string) bool { return true }))
		if err != nil {
			return nil, err
		}
		whole, err := font.NewFont(ld)
		if err != nil {
			return nil, err
		}
		out.whole = font.NewFace(whole)
		out.shaper = harfbuzz.NewFont(out.whole)
		return out, nil
	}
	if out.strikes = readStrikes(r, d); out.strikes == nil && out.lines == nil {
		return nil, errFont
	}
	ld, err := opentype.NewLoader(only(r, d, shapingTable))
	if err != nil {
		return nil, err
	}
	f, err := font.NewFont(ld)
	if err != nil {
		return nil, err
	}
	out.shaper = harfbuzz.NewFont(font.NewFace(f))
	return out, nil
}

func (f *face) metrics(r io.ReaderAt, d tableList) error {
	head, err := d.read(r, "head")
	if err != nil || len(head) < 20 {
		return errFont
	}
	hhea, err := d.read(r, "hhea")
	if err != nil || len(hhea) < 8 {
		return errFont
	}
	if f.upem = float32(be.Uint16(head[18:])); f.upem == 0 {
		return errFont
	}
	f.ascent = float32(int16(be.Uint16(hhea[4:]))) / f.upem
	f.descent = -float32(int16(be.Uint16(hhea[6:]))) / f.upem
	return nil
}

func (f *face) close() {
	if f.file != nil {
		f.file.Close()
	}
}

// glyph returns the glyph of r.
func (f *face) glyph(r rune) (uint32, bool) {
	if f.shaper != nil {
		g, ok := f.shaper.Face().NominalGlyph(r)
		return uint32(g), ok && g != 0
	}
	g, err := f.lines.GlyphIndex(f.buf, r)
	return uint32(g), err == nil && g != 0
}

// advance is how far the pen moves after a glyph, in ems.
func (f *face) advance(g uint32) float32 {
	if f.shaper != nil {
		return float32(f.shaper.GlyphHAdvance(harfbuzz.GID(g))) / f.upem
	}
	a, err := f.lines.GlyphAdvance(f.buf, sfnt.GlyphIndex(g), fixed.I(int(f.upem)), 0)
	if err != nil {
		return 0
	}
	return float32(a) / 64 / f.upem
}
