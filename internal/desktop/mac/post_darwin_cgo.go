//go:build darwin && cgo

package mac

/*
#include "encode.h"
#include "objc.h"

// Process 0 is the whole session.
static int flashPostKey(int pid, int code, int down, uint64_t flags, int flagsOnly) {
	CGEventRef e = CGEventCreateKeyboardEvent(NULL, (CGKeyCode)code, down != 0);
	if (e == NULL) return 0;
	if (flagsOnly) CGEventSetType(e, kCGEventFlagsChanged);
	CGEventSetFlags(e, flags);
	if (pid != 0) {
		CGEventPostToPid(pid, e);
	} else {
		CGEventPost(kCGHIDEventTap, e);
	}
	CFRelease(e);
	return 1;
}

enum { flashSystemDefined = 14 }; // NSEventTypeSystemDefined

static int flashPostMedia(unsigned long flags, short subtype, long data1, long data2) {
	typedef id (*maker)(id, SEL, unsigned long, CGPoint, unsigned long, double, long, id, short, long, long);
	void *pool = objc_autoreleasePoolPush();
	id e = ((maker)objc_msgSend)((id)objc_getClass("NSEvent"),
		sel_registerName("otherEventWithType:location:modifierFlags:timestamp:windowNumber:context:subtype:data1:data2:"),
		flashSystemDefined, (CGPoint){0, 0}, flags, 0, 0, NULL, subtype, data1, data2);
	CGEventRef event = e == NULL ? NULL : (CGEventRef)flashAsk(e, "CGEvent");
	if (event != NULL) CGEventPost(kCGHIDEventTap, event);
	objc_autoreleasePoolPop(pool);
	return event != NULL;
}
*/
import "C"

import "errors"

var errNoEvent = errors.New("macOS makes no such event")

// PostKey posts one keyboard event to a process, or with 0 to the session.
func PostKey(pid int, s KeyStep) error {
	if C.flashPostKey(C.int(pid), C.int(s.Code), flag(s.Down), C.uint64_t(s.Flags), flag(s.FlagsOnly)) == 0 {
		return errNoEvent
	}
	return nil
}

// PostMedia posts one event of a media key, on the main thread.
func PostMedia(s MediaStep) error {
	if C.flashPostMedia(C.ulong(s.Flags), MediaSubtype, C.long(s.Data1), C.long(s.Data2)) == 0 {
		return errNoEvent
	}
	return nil
}
