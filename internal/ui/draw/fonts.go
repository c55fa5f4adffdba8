package draw

import (
	"cmp"
	"os"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/harfbuzz"
	"golang.org/x/image/vector"
)

// FontOptions choose the fonts.
type FontOptions struct {
	// Family is the family of interface text. Where it is empty or not
	// installed, the desktop's own is used.
	Family string
	// Mono is the family of text whose columns stand under each other.
	Mono string
	// Dirs are searched for fonts in place of the platform's directories.
	Dirs []string
	// Lang is the user's language, as in LANG, which it is where this is empty.
	Lang string
	// CacheBytes bounds the drawn glyphs that are kept, 768 KiB if 0.
	CacheBytes int
}

const (
	defaultCache = 768 << 10
	cachedTexts  = 512 // shaped texts kept; a full panel shows some sixty
	missingKept  = 512 // runes known to be in no font
	fallbackTry  = 6   // fonts opened in search of one rune
)

// Fonts are the fonts of interface text on a machine, opened as they are needed.
type Fonts struct {
	o     FontOptions
	files []fontFile // nil until they are looked for
	base  [4]*face   // by bold and mono, nil until used
	emoji *face
	noEmo bool
	// backups are the fonts found for parts of Unicode, in the order found.
	backups map[int][]*face
	open    map[string]*face // by path and place in it; backups share them
	missing map[rune]struct{}
	chosen  map[int][]fontFile // what backups were opened from; outlives Drop

	texts, oldTexts map[textKey]*Text
	masks, oldMasks map[maskKey]*mask
	maskBytes       int
	buf             *harfbuzz.Buffer
	bidi            bidi.Paragraph
	raster          *vector.Rasterizer
	boost           *[256]uint8
}

// NewFonts returns the fonts; none is read yet.
func NewFonts(o FontOptions) *Fonts {
	o.CacheBytes = cmp.Or(o.CacheBytes, defaultCache)
	o.Lang = cmp.Or(o.Lang, os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	return &Fonts{o: o, chosen: map[int][]fontFile{}}
}

// Drop forgets and closes everything that can be had again.
func (f *Fonts) Drop() {
	for _, b := range f.base {
		if b != nil {
			b.close()
		}
	}
	if f.emoji != nil {
		f.emoji.close()
	}
	for _, b := range f.open {
		b.close()
	}
	*f = Fonts{o: f.o, chosen: f.chosen}
}

// FontList is what fonts a machine has.
type FontList struct{ files []fontFile }

// FindFonts looks for fonts in dirs, the platform's where nil. With many
// installed it takes a while, so that a program does it beside its loop and
// hands the result to Use.
func FindFonts(dirs []string) FontList {
	if dirs == nil {
		dirs = fontDirs()
	}
	files := scanFonts(dirs)
	if files == nil {
		files = []fontFile{}
	}
	return FontList{files}
}

// Use takes what FindFonts found, which saves the first text the search.
func (f *Fonts) Use(l FontList) { f.files = l.files }

func (f *Fonts) scan() []fontFile {
	if f.files == nil {
		f.Use(FindFonts(f.o.Dirs))
	}
	return f.files
}

// Keys of chosen that no part of Unicode has.
const (
	keyBase  = -8 // and one for bold and two for mono
	keyEmoji = -2
)

// primary is the face of a style.
func (f *Fonts) primary(s Style) *face {
	i := 0
	if s.Bold {
		i++
	}
	if s.Mono {
		i += 2
	}
	if f.base[i] == nil {
		f.base[i] = f.openPrimary(i, s)
	}
	return f.base[i]
}

func (f *Fonts) openPrimary(i int, s Style) *face {
	files, known := f.chosen[keyBase+i]
	if !known {
		if file, ok := f.findPrimary(s); ok {
			files = []fontFile{file}
		}
		f.chosen[keyBase+i] = files
	}
	for _, file := range files {
		if out, err := openFace(file, false); err == nil {
			if _, ok := out.glyph('a'); ok {
				out.embold = s.Bold && file.weight < 550
				return out
			}
			out.close()
		}
	}
	out := builtinFace()
	out.embold = s.Bold
	return out
}

func (f *Fonts) findPrimary(s Style) (fontFile, bool) {
	files := f.scan()
	families := append([]string{f.o.Family, familyOf(gtkSetting("gtk-font-name"))}, usualFamilies[:]...)
	if s.Mono {
		families = []string{f.o.Mono, familyOf(gtkSetting("monospace-font-name")), "JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "Liberation Mono", "Menlo"}
	}
	for _, family := range families {
		if family == "" {
			continue
		}
		if file, ok := choose(files, family, s.Bold); ok {
			return file, true
		}
	}
	for _, file := range fallbacks(files, 0, nil) {
		if file.mono == s.Mono {
			return file, true
		}
	}
	return fontFile{}, false
}

// emojiFace is the font of coloured pictures, nil where there is none.
func (f *Fonts) emojiFace() *face {
	if f.emoji != nil || f.noEmo {
		return f.emoji
	}
	f.noEmo = true
	files, known := f.chosen[keyEmoji]
	if !known {
		for _, file := range f.scan() {
			if file.color {
				files = append(files, file)
			}
		}
	}
	for i, file := range files {
		if out, err := openFace(file, false); err == nil {
			if out.strikes != nil {
				f.emoji = out
				files = files[i : i+1]
				break
			}
			out.close()
		}
	}
	if f.emoji == nil {
		files = nil
	}
	f.chosen[keyEmoji] = files
	return f.emoji
}

// faceFor finds a face with r; nil if none has it.
func (f *Fonts) faceFor(r rune, base *face) *face {
	if _, ok := base.glyph(r); ok {
		return base
	}
	bit := rangeOf(r)
	if bit < 0 {
		return nil
	}
	if _, ok := f.missing[r]; ok {
		return nil
	}
	for _, b := range f.backups[bit] {
		if _, ok := b.glyph(r); ok {
			return b
		}
	}
	if out := f.findBackup(r, bit); out != nil {
		return out
	}
	if f.missing == nil || len(f.missing) >= missingKept {
		f.missing = map[rune]struct{}{}
	}
	f.missing[r] = struct{}{}
	return nil
}

func (f *Fonts) findBackup(r rune, bit int) *face {
	use := func(b *face) *face {
		if f.backups == nil {
			f.backups = map[int][]*face{}
		}
		f.backups[bit] = append(f.backups[bit], b)
		return b
	}
	// A font that is open for another part of Unicode costs nothing more.
	for _, file := range f.chosen[bit] {
		if b := f.openShared(file, bit); b != nil {
			if _, ok := b.glyph(r); ok {
				return use(b)
			}
		}
	}
	tried := 0
	for _, file := range fallbacks(f.scan(), bit, preferred(bit, f.o.Lang)) {
		if tried++; tried > fallbackTry {
			break
		}
		b := f.openShared(file, bit)
		if b == nil {
			continue
		}
		if _, ok := b.glyph(r); ok {
			f.chosen[bit] = append(f.chosen[bit], file)
			return use(b)
		}
		f.closeUnused(b)
	}
	return nil
}

func (f *Fonts) openShared(file fontFile, bit int) *face {
	key := file.path + "\x00" + string(rune(file.index))
	if b, ok := f.open[key]; ok {
		return b
	}
	b, err := openFace(file, isEastAsian(bit))
	if err != nil {
		return nil
	}
	if f.open == nil {
		f.open = map[string]*face{}
	}
	f.open[key] = b
	return b
}

// closeUnused closes a font that turned out not to have what was sought.
func (f *Fonts) closeUnused(b *face) {
	for _, used := range f.backups {
		for _, u := range used {
			if u == b {
				return
			}
		}
	}
	for k, o := range f.open {
		if o == b {
			delete(f.open, k)
		}
	}
	b.close()
}
