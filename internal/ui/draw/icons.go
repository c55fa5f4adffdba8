package draw

import (
	"cmp"
	"image"
	_ "image/png" // beside SVG and XPM the only format that is read
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/flash-launcher/flash/internal/ui/draw/svg"
)

const (
	// maxIcon bounds the sides of a picture that is decoded.
	maxIcon = 1024
	// iconBytes bounds the pictures that are kept: some hundred at 32 pixels.
	iconBytes = 512 << 10
	// maxInherit bounds the themes that a theme stands on.
	maxInherit = 16
	// missingIcons bounds the names that are known to lead nowhere.
	missingIcons = 1024
)

// IconOptions say where icons are looked for.
type IconOptions struct {
	Theme string   // name of the icon theme; "" the desktop's own
	Dirs  []string // in place of the platform's directories
	// File makes the picture of a path; nil: the path is a PNG, SVG or XPM that is read.
	File func(path string, size int) *Bitmap
}

// Icons finds pictures of applications and files by their names in the icon
// theme, as the freedesktop specification says. Pictures are made
// when they are first asked for, and kept as pixels.
type Icons struct {
	dirs   []string
	name   string
	file   func(path string, size int) *Bitmap
	themes []iconTheme // the theme and those that it stands on; nil until used

	kept, old map[iconKey]*Bitmap // nil value: there is none
	bytes     int
	paths     map[iconKey]string // where icons were found, "" for nowhere; outlives Drop
}

type iconKey struct {
	name string
	size int
}

// NewIcons returns the icons; nothing is read yet.
func NewIcons(o IconOptions) *Icons {
	ic := &Icons{dirs: o.Dirs, name: o.Theme, file: o.File}
	if ic.file == nil {
		ic.file = readIcon
	}
	if ic.dirs == nil {
		home, _ := os.UserHomeDir()
		ic.dirs = append(ic.dirs, filepath.Join(home, ".icons"))
		for _, d := range dataDirs() {
			ic.dirs = append(ic.dirs, filepath.Join(d, "icons"))
		}
		ic.dirs = append(ic.dirs, "/usr/share/pixmaps")
	}
	return ic
}

// Drop forgets everything that can be had again.
func (ic *Icons) Drop() { *ic = Icons{dirs: ic.dirs, name: ic.name, file: ic.file, paths: ic.paths} }

// Refresh forgets where icons are: some were installed, or went.
func (ic *Icons) Refresh() { *ic = Icons{dirs: ic.dirs, name: ic.name, file: ic.file} }

// Icon returns the icon of that name, or the file of that path, size pixels wide
// and high; nil if there is none.
func (ic *Icons) Icon(name string, size int) *Bitmap {
	if name == "" || size <= 0 || size > maxIcon {
		return nil
	}
	key := iconKey{name, size}
	b, ok := ic.kept[key]
	if ok {
		return b
	}
	if b, ok = ic.old[key]; !ok {
		path, known := ic.paths[key]
		if !known {
			if path = ic.find(name, size); ic.paths == nil || len(ic.paths) >= missingIcons {
				ic.paths = map[iconKey]string{}
			}
			ic.paths[key] = path
		}
		if path != "" {
			b = ic.file(path, size)
		}
	}
	n := entryBytes
	if b != nil {
		n += len(b.Pix)
	}
	if ic.kept == nil || ic.bytes+n > iconBytes/2 || len(ic.kept) >= missingIcons {
		ic.kept, ic.old, ic.bytes = map[iconKey]*Bitmap{}, ic.kept, 0
	}
	ic.kept[key] = b
	ic.bytes += n
	return b
}

func (ic *Icons) find(name string, size int) string {
	if filepath.IsAbs(name) {
		return name
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return ""
	}
	for _, e := range iconFormats {
		name = strings.TrimSuffix(name, e)
	}
	if ic.themes == nil {
		ic.themes = ic.load()
	}
	for i := range ic.themes {
		if path := ic.themes[i].find(name, size); path != "" {
			return path
		}
	}
	for _, d := range ic.dirs {
		if path := iconFile(filepath.Join(d, name)); path != "" {
			return path
		}
	}
	return ""
}

// iconFormats are the ends of names, the first preferred.
var iconFormats = [...]string{".png", ".svg", ".xpm"}

// iconFile is the file of an icon whose path but for the end this is.
func iconFile(path string) string {
	for _, e := range iconFormats {
		if p := path + e; isFile(p) {
			return p
		}
	}
	return ""
}

// load reads the theme, those that it names as its base, and hicolor.
func (ic *Icons) load() []iconTheme {
	queue := []string{cmp.Or(ic.name, gtkSetting("gtk-icon-theme-name"), "Adwaita")}
	out := []iconTheme{}
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] || name == "" || len(out) >= maxInherit {
			return
		}
		seen[name] = true
		t := readIconTheme(ic.dirs, name)
		queue = append(queue, t.inherits...)
		if len(t.dirs) > 0 {
			out = append(out, t)
		}
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if name != "hicolor" {
			add(name)
		}
	}
	add("hicolor")
	return out
}

func readIcon(path string, size int) *Bitmap {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if strings.HasSuffix(path, ".svg") {
		return readSVG(f, size)
	}
	if strings.HasSuffix(path, ".xpm") {
		img, err := decodeXPM(f)
		if err != nil {
			return nil
		}
		return fitted(img, size)
	}
	conf, format, err := image.DecodeConfig(f)
	if err != nil || format != "png" || conf.Width > maxIcon || conf.Height > maxIcon {
		return nil
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil
	}
	img, _, err := image.Decode(f)
	if err != nil {
		return nil
	}
	return fitted(img, size)
}

// fitted is a picture at the size at which its longer side has that many pixels.
func fitted(img image.Image, size int) *Bitmap {
	b := img.Bounds()
	w, h := size, size
	if b.Dx() > b.Dy() {
		h = max(1, size*b.Dy()/b.Dx())
	} else {
		w = max(1, size*b.Dx()/b.Dy())
	}
	return scaled(img, w, h)
}

func readSVG(f io.Reader, size int) *Bitmap {
	data, err := io.ReadAll(io.LimitReader(f, svg.MaxBytes+1))
	if err != nil {
		return nil
	}
	im, err := svg.Decode(data, min(size, svg.MaxSize))
	if err != nil {
		return nil
	}
	if size > svg.MaxSize {
		return scaled(im, size*im.Rect.Dx()/svg.MaxSize, size*im.Rect.Dy()/svg.MaxSize)
	}
	b := &Bitmap{Pix: im.Pix, W: im.Rect.Dx(), H: im.Rect.Dy()}
	for p := b.Pix; len(p) >= 4; p = p[4:] {
		p[0], p[2] = p[2], p[0]
	}
	return b
}

func isFile(path string) bool {
	s, err := os.Stat(path)
	return err == nil && s.Mode().IsRegular()
}
