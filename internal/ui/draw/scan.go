package draw

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// fontFile is one font of a machine, as little as choosing needs.
type fontFile struct {
	path   string
	index  int // in a collection
	family string
	weight uint16 // 400 is regular
	italic bool
	mono   bool
	color  bool
	ranges [4]uint32 // of OS/2: which parts of Unicode it is made for
}

func (f *fontFile) covers(bit int) bool { return f.ranges[bit/32]&(1<<(bit%32)) != 0 }

// maxFonts bounds the fonts looked at. Distributions that install everything
// have some 4,000.
const maxFonts = 8000

// scanFonts looks at the fonts below dirs. Of each file the directory and two
// small tables are read.
func scanFonts(dirs []string) []fontFile {
	var out []fontFile
	seen := map[string]bool{}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || len(out) >= maxFonts {
				return nil
			}
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".otc":
			default:
				return nil
			}
			if !seen[path] {
				seen[path] = true
				out = append(out, describe(path)...)
			}
			return nil
		})
	}
	return out
}

func describe(path string) []fontFile {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	dirs, err := directories(f)
	if err != nil {
		return nil
	}
	var out []fontFile
	for i, d := range dirs {
		name, err := d.read(f, "name")
		if err != nil {
			continue
		}
		ff := fontFile{path: path, index: i, family: familyName(name), weight: 400}
		if os2, err := d.read(f, "OS/2"); err == nil && len(os2) >= 64 {
			ff.weight = be.Uint16(os2[4:])
			ff.italic = be.Uint16(os2[62:])&1 != 0
			ff.mono = os2[32+3] == 9 // the PANOSE proportion
			for j := range ff.ranges {
				ff.ranges[j] = be.Uint32(os2[42+4*j:])
			}
		}
		for _, t := range [...]string{"CBDT", "sbix", "COLR", "SVG "} {
			if _, ok := d.find(t); ok {
				ff.color = true
			}
		}
		if ff.family != "" {
			out = append(out, ff)
		}
	}
	return out
}

// familyName reads the family from a name table: the typographic one, which
// leaves out the weight, else the plain one.
func familyName(b []byte) string {
	if len(b) < 6 {
		return ""
	}
	n, text := int(be.Uint16(b[2:])), int(be.Uint16(b[4:]))
	best, family := 0, ""
	for i := range n {
		if len(b) < 6+12*(i+1) {
			break
		}
		e := b[6+12*i:]
		platform, lang, id := be.Uint16(e), be.Uint16(e[4:]), be.Uint16(e[6:])
		length, at := int(be.Uint16(e[8:])), text+int(be.Uint16(e[10:]))
		if id != 1 && id != 16 || at+length > len(b) {
			continue
		}
		score := 1
		if id == 16 {
			score += 4
		}
		if platform == 3 && lang == 0x409 || platform == 0 {
			score += 2
		} else if platform != 1 || lang != 0 {
			continue // a translation
		}
		if score <= best {
			continue
		}
		raw := b[at : at+length]
		if platform == 1 {
			best, family = score, string(raw)
			continue
		}
		u := make([]uint16, len(raw)/2)
		for j := range u {
			u[j] = be.Uint16(raw[2*j:])
		}
		best, family = score, string(utf16.Decode(u))
	}
	return family
}

// choose returns the file of a family that is nearest to a weight, upright.
func choose(files []fontFile, family string, bold bool) (fontFile, bool) {
	best, at := 1<<30, -1
	want := 400
	if bold {
		want = 700
	}
	for i, f := range files {
		if !strings.EqualFold(f.family, family) || f.italic {
			continue
		}
		d := int(f.weight) - want
		if d < 0 {
			d = -d
		}
		// A condensed cut of the family has the family's name in some fonts.
		if strings.Contains(strings.ToLower(filepath.Base(f.path)), "condensed") {
			d += 1000
		}
		if d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return fontFile{}, false
	}
	return files[at], true
}

// fallbacks orders the files that are made for a part of Unicode: the families
// known to suit beside interface text first.
func fallbacks(files []fontFile, bit int, prefer []string) []fontFile {
	type ranked struct {
		f    fontFile
		rank int
	}
	var out []ranked
	for _, f := range files {
		if !f.covers(bit) || f.italic || f.color {
			continue
		}
		r := 100
		if i := slices.IndexFunc(prefer, func(p string) bool { return strings.EqualFold(p, f.family) }); i >= 0 {
			r = i
		} else if strings.HasPrefix(f.family, "Noto Sans") {
			r = 50
		} else if strings.Contains(f.family, "Sans") {
			r = 70
		}
		if f.mono || strings.Contains(f.family, "Mono") {
			r += 60
		}
		if f.weight < 350 || f.weight > 550 {
			r += 500
		}
		out = append(out, ranked{f, r})
	}
	slices.SortStableFunc(out, func(a, b ranked) int { return a.rank - b.rank })
	fs := make([]fontFile, len(out))
	for i := range out {
		fs[i] = out[i].f
	}
	return fs
}
