//go:build darwin && cgo

package main

/*
#cgo LDFLAGS: -framework ApplicationServices -framework CoreFoundation
#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

// Where the pointer is, or 0, 0 where macOS does not say.
static CGPoint verifyAt(void) {
	CGEventRef e = CGEventCreate(NULL);
	if (e == NULL) return (CGPoint){0, 0};
	CGPoint p = CGEventGetLocation(e);
	CFRelease(e);
	return p;
}

static int verifyMouse(uint32_t type, double x, double y, uint32_t button) {
	CGEventRef e = CGEventCreateMouseEvent(NULL, type, (CGPoint){x, y}, button);
	if (e == NULL) return 0;
	CGEventSetIntegerValueField(e, kCGMouseEventButtonNumber, button);
	CGEventPost(kCGHIDEventTap, e);
	CFRelease(e);
	return 1;
}
*/
import "C"

import (
	"errors"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/mac"
)

func newHand() hand { return &realHand{} }

type realHand struct{ held int }

var errNoEvent = errors.New("macOS makes no such event")

func (realHand) chord(code int, modifiers ...string) error {
	for _, step := range mac.Chord(code, modifiers) {
		if err := mac.PostKey(0, step); err != nil {
			return err
		}
	}
	return nil
}

func (h *realHand) move(n int) error {
	const rate = 200
	at := C.verifyAt()
	kind, button := C.uint32_t(C.kCGEventMouseMoved), C.uint32_t(0)
	if h.held > 0 {
		kind, button = C.kCGEventOtherMouseDragged, C.uint32_t(h.held)
	}
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		if C.verifyMouse(kind, C.double(at.x)+C.double(1-i%2), C.double(at.y), button) == 0 {
			return errNoEvent
		}
	}
	return nil
}

func (h *realHand) button(n int, down bool) error {
	at, kind := C.verifyAt(), C.uint32_t(C.kCGEventOtherMouseUp)
	h.held = 0
	if down {
		kind, h.held = C.kCGEventOtherMouseDown, n
	}
	if C.verifyMouse(kind, C.double(at.x), C.double(at.y), C.uint32_t(n)) == 0 {
		return errNoEvent
	}
	return nil
}
