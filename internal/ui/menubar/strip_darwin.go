//go:build darwin && cgo

package menubar

/*
#cgo CFLAGS: -Werror=objc-method-access -Werror=undeclared-selector -Werror=incompatible-pointer-types
#cgo LDFLAGS: -framework Cocoa -framework Foundation
#include <stdlib.h>
#include "items_darwin.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// New returns items that do not show until Apply. The loop is the main thread.
// There is one Bar at a time.
func New(o Options) *Bar {
	b := newBar(o, statusItems{})
	o.Do(func() { current = b })
	return b
}

// current is the bar that clicks are for. It belongs to the main thread.
var current *Bar

// statusItems is the menu bar of macOS.
type statusItems struct{}

func (statusItems) set(at int, it Item) {
	for _, p := range it.Parts {
		text := cText(p.Text)
		C.flashItemPart(text, C.int(p.Ink.Kind), C.uint32_t(p.Ink.Value), C.int(p.Ground.Kind), C.uint32_t(p.Ground.Value), flag(p.Bold), flag(p.Italic), flag(p.Underline))
		C.free(unsafe.Pointer(text))
	}
	hover, spoken := cText(it.Hover), cText(it.Text())
	C.flashItemSet(C.int(at), hover, spoken)
	C.free(unsafe.Pointer(hover))
	C.free(unsafe.Pointer(spoken))
}

func (statusItems) keep(n int) { C.flashItemsKeep(C.int(n)) }

func (statusItems) pop(at int, menu []Entry) {
	for i, e := range menu {
		if e.Own == Separator {
			C.flashMenuLine()
			continue
		}
		title := cText(e.Title)
		C.flashMenuEntry(title, C.int(i), flag(e.Action != "" || e.Own != Nothing))
		C.free(unsafe.Pointer(title))
	}
	C.flashMenuPop(C.int(at))
}

// cText is a text that NSString takes, which has none for bytes that are no text.
func cText(s string) *C.char { return C.CString(strings.ToValidUTF8(s, "\ufffd")) }

func flag(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

//export flashItemClicked
func flashItemClicked(at, button, ask C.int) {
	if current != nil {
		current.clicked(int(at), int(button), ask != 0)
	}
}

//export flashMenuPicked
func flashMenuPicked(tag C.int) {
	if current != nil {
		current.picked(int(tag))
	}
}
