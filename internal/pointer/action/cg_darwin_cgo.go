//go:build darwin && cgo

package action

/*
#cgo LDFLAGS: -framework ApplicationServices -framework CoreFoundation
#include <ApplicationServices/ApplicationServices.h>

static int flashKey(void *source, int flagsOnly, uint16_t code, int down, uint64_t flags, int64_t tag) {
	CGEventRef e = CGEventCreateKeyboardEvent((CGEventSourceRef)source, code, down != 0);
	if (e == NULL) return 0;
	if (flagsOnly) CGEventSetType(e, kCGEventFlagsChanged);
	CGEventSetFlags(e, flags);
	CGEventSetIntegerValueField(e, kCGEventSourceUserData, tag);
	CGEventPost(kCGHIDEventTap, e);
	CFRelease(e);
	return 1;
}

static void flashRelease(void *source) { CFRelease((CGEventSourceRef)source); }

static void *flashSource(void) { return CGEventSourceCreate(kCGEventSourceStateHIDSystemState); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// cgEvents performs actions by posting keys.
type cgEvents struct{ source unsafe.Pointer }

// ownTag marks events of this program, for its own tap.
const ownTag = 0x464c5348

func openCG() (Backend, error) {
	s := C.flashSource()
	if s == nil {
		return nil, errors.New("macOS gives no source of events")
	}
	return cgEvents{s}, nil
}

func (c cgEvents) Named(name string) error {
	keys, err := macChord(name)
	if err != nil {
		return err
	}
	return c.Chord(keys)
}

func (c cgEvents) Chord(keys []string) error {
	steps, err := macSteps(keys)
	if err != nil {
		return err
	}
	var failed error
	for _, s := range steps { // all of them: what went down comes up
		if C.flashKey(c.source, flag(s.flagsOnly), C.uint16_t(s.code), flag(s.down), C.uint64_t(s.flags), ownTag) == 0 {
			failed = errors.New("macOS makes no keyboard event")
		}
	}
	return failed
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (c cgEvents) Close() { C.flashRelease(c.source) }
