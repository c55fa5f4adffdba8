//go:build darwin && cgo

package panel

/*
#cgo CFLAGS: -Werror=objc-method-access -Werror=undeclared-selector -Werror=incompatible-pointer-types
#cgo LDFLAGS: -framework Cocoa -framework Foundation -framework QuartzCore -framework CoreGraphics -framework CoreFoundation
#include <stdlib.h>
#include "window_darwin.h"
*/
import "C"

import (
	"image"
	"strings"
	"unsafe"

	"github.com/flash-launcher/flash/internal/ui/draw"
)

// Platform is what the panel needs of macOS.
type Platform struct {
	// Main puts a function on the main thread's queue, on which all of the panel
	// is. The callbacks of Options run there as well, but for Copy.
	Main func(func())
}

// Panel is the flashlight's window. Its methods are called on the main thread;
// only Visible, and those that say so, may be called anywhere.
type Panel struct{ shell }

// current is the panel that the window's callbacks are for. It belongs to the
// main thread.
var current *Panel

// New returns a panel; nothing is created until it opens. It may be called
// anywhere, once the one before it was shut.
func New(o Options) *Panel {
	p := &Panel{}
	p.init(o, cocoa{}, o.Main)
	p.p.pictures = fileIcon
	o.Main(func() { current = p })
	return p
}

// Shutdown closes the panel for good and gives back all that it has.
func (p *Panel) Shutdown() {
	p.shutdown()
	if current == p {
		current = nil
	}
}

// CurrentAppearance is what the user prefers. It is called on the main thread.
func CurrentAppearance() Appearance {
	var dark, contrast C.int
	C.flashAppearance(&dark, &contrast)
	return Appearance{Dark: dark != 0, HighContrast: contrast != 0}
}

// cocoa is the toolkit of macOS.
type cocoa struct{}

func (cocoa) monitor() monitor {
	var v [5]C.double
	C.flashMonitor(&v[0])
	return monitor{x: float64(v[0]), y: float64(v[1]), w: float64(v[2]), h: float64(v[3]), scale: float64(v[4])}
}

func (cocoa) ready()            { C.flashPanelMake() }
func (cocoa) take()             { C.flashPanelTake() }
func (cocoa) conceal()          { C.flashPanelConceal() }
func (cocoa) modifiers() uint32 { return uint32(C.flashModifiers()) }
func (cocoa) settle()           { C.flashPanelSettle() }
func (cocoa) listened() bool    { return C.flashListened() != 0 }
func (cocoa) edited()           { C.flashPanelEdited() }
func (cocoa) release()          { C.flashPanelRelease() }

func (cocoa) put(im *draw.Image, size image.Point, at spot) {
	C.flashPanelPut(unsafe.Pointer(&im.Pix[0]), C.int(size.X), C.int(size.Y), C.int(im.Stride), C.double(float64(size.X)/at.w),
		C.double(at.x), C.double(at.y), C.double(at.w), C.double(at.h))
}

func (cocoa) clipboard() string {
	s := C.flashClipboard()
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s)
}

func (cocoa) say(text string) {
	s := cText(text)
	defer C.free(unsafe.Pointer(s))
	C.flashPanelSay(s)
}

// fileIcon is the picture that the Finder shows for a file or an application.
func fileIcon(path string, size int) *draw.Bitmap {
	b := &draw.Bitmap{Pix: make([]byte, size*size*4), W: size, H: size}
	s := cText(path)
	defer C.free(unsafe.Pointer(s))
	if C.flashIcon(s, unsafe.Pointer(&b.Pix[0]), C.int(size)) == 0 {
		return nil
	}
	return b
}

// cText is a text that NSString takes, which has none for bytes that are no text.
func cText(s string) *C.char { return C.CString(strings.ToValidUTF8(s, "\ufffd")) }

func flag(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

//export flashPanelKey
func flashPanelKey(code C.uint16_t, flags C.uint32_t, text, plain *C.char) C.int {
	return flag(current == nil || current.key(macEvent{code: uint16(code), flags: uint32(flags), text: C.GoString(text), plain: C.GoString(plain)}))
}

//export flashPanelFlags
func flashPanelFlags(now C.uint32_t) {
	if current != nil {
		current.flags(uint32(now))
	}
}

//export flashPanelWrote
func flashPanelWrote(text *C.char, from, to C.int64_t) {
	if current != nil {
		current.wrote(C.GoString(text), int(from), int(to))
	}
}

//export flashPanelComposes
func flashPanelComposes(text *C.char) {
	if current != nil {
		current.composes(C.GoString(text))
	}
}

//export flashPanelKept
func flashPanelKept() {
	if current != nil {
		current.kept()
	}
}

//export flashPanelMeans
func flashPanelMeans(selector *C.char) {
	if current != nil {
		current.means(C.GoString(selector))
	}
}

//export flashPanelWritten
func flashPanelWritten(out *C.int64_t) {
	v := unsafe.Slice(out, 4)
	clear(v)
	if current != nil {
		at, length, from, to := current.written()
		v[0], v[1], v[2], v[3] = C.int64_t(at), C.int64_t(length), C.int64_t(from), C.int64_t(to)
	}
}

//export flashPanelSubstring
func flashPanelSubstring(from, to C.int64_t) *C.char {
	if current == nil {
		return C.CString("")
	}
	return cText(current.substring(int(from), int(to)))
}

//export flashPanelText
func flashPanelText() *C.char {
	if current == nil {
		return C.CString("")
	}
	return cText(current.m.input().Text())
}

//export flashPanelCaret
func flashPanelCaret(out *C.double) {
	v := unsafe.Slice(out, 4)
	clear(v)
	if current != nil {
		c := current.caret()
		v[0], v[1], v[2], v[3] = C.double(c.x), C.double(c.y), C.double(c.w), C.double(c.h)
	}
}

//export flashPanelLines
func flashPanelLines(lines unsafe.Pointer) {
	if current == nil || !current.shown {
		return
	}
	for _, l := range current.m.accessible(&current.p.scene) {
		label, at := cText(l.label), current.points(l.rect)
		C.flashAddLine(lines, label, C.double(at.x), C.double(at.y), C.double(at.w), C.double(at.h), flag(l.selected))
		C.free(unsafe.Pointer(label))
	}
}

//export flashPanelClick
func flashPanelClick(button C.int, x, y C.double, extend, twice C.int) {
	if current != nil {
		current.click(byte(button), float64(x), float64(y), extend != 0, twice != 0)
	}
}

//export flashPanelMoved
func flashPanelMoved(x, y C.double) {
	if current != nil {
		current.moved(float64(x), float64(y))
	}
}

//export flashPanelScrolled
func flashPanelScrolled(x, y, delta C.double, precise C.int) {
	if current != nil {
		current.scrolled(float64(x), float64(y), float64(delta), precise != 0)
	}
}

//export flashPanelResigned
func flashPanelResigned() {
	if current != nil {
		current.resigned()
	}
}

//export flashPanelChanged
func flashPanelChanged() {
	if current != nil {
		current.changed()
	}
}
