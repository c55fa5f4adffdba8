//go:build darwin && cgo

package mac

/*
#include "encode.h"

// As dlfcn.h has them: any library that is loaded.
extern void *dlsym(void *handle, const char *symbol);
#define flashAnyLibrary ((void *)-2)

static int flashTrusted(int prompt) {
	void *pool = objc_autoreleasePoolPush();
	const void *key = kAXTrustedCheckOptionPrompt, *answer = prompt ? kCFBooleanTrue : kCFBooleanFalse;
	CFDictionaryRef options = CFDictionaryCreate(kCFAllocatorDefault, &key, &answer, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
	int trusted = AXIsProcessTrustedWithOptions(options) != 0;
	CFRelease(options);
	objc_autoreleasePoolPop(pool);
	return trusted;
}

static uint64_t flashApp(int pid) { return (uint64_t)(uintptr_t)AXUIElementCreateApplication(pid); }

static AXUIElementRef flashElementOf(uint64_t e) { return (AXUIElementRef)(uintptr_t)e; }

static AXError flashRead(uint64_t e, const char *names, int count, flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFArrayRef list = flashNames(names, count), values = NULL;
	AXError error = AXUIElementCopyMultipleAttributeValues(flashElementOf(e), list, 0, &values);
	CFRelease(list);
	if (error == kAXErrorSuccess && values != NULL) {
		CFIndex n = CFArrayGetCount(values);
		for (CFIndex i = 0; i < n; i++) flashValue(out, CFArrayGetValueAtIndex(values, i), flashDepth);
	}
	if (values != NULL) CFRelease(values);
	objc_autoreleasePoolPop(pool);
	return error;
}

static AXError flashWrite(uint64_t e, const char *name, CFTypeRef value) {
	if (value == NULL) return kAXErrorIllegalArgument;
	CFStringRef n = CFStringCreateWithCString(kCFAllocatorDefault, name, kCFStringEncodingUTF8);
	if (n == NULL) return kAXErrorIllegalArgument;
	void *pool = objc_autoreleasePoolPush();
	AXError error = AXUIElementSetAttributeValue(flashElementOf(e), n, value);
	objc_autoreleasePoolPop(pool);
	CFRelease(n);
	return error;
}

static AXError flashWriteText(uint64_t e, const char *name, const void *text, long bytes) {
	CFStringRef v = CFStringCreateWithBytes(kCFAllocatorDefault, text, bytes, kCFStringEncodingUTF8, 0);
	AXError error = flashWrite(e, name, v);
	if (v != NULL) CFRelease(v);
	return error;
}

static AXError flashWriteNumber(uint64_t e, const char *name, int whole, int64_t n, double d) {
	CFNumberRef v = CFNumberCreate(kCFAllocatorDefault, whole ? kCFNumberSInt64Type : kCFNumberDoubleType, whole ? (void *)&n : (void *)&d);
	AXError error = flashWrite(e, name, v);
	CFRelease(v);
	return error;
}

static AXError flashWriteBool(uint64_t e, const char *name, int on) { return flashWrite(e, name, on ? kCFBooleanTrue : kCFBooleanFalse); }

static AXError flashWriteElement(uint64_t e, const char *name, uint64_t one) {
	const void *list = flashElementOf(one);
	CFArrayRef v = CFArrayCreate(kCFAllocatorDefault, &list, 1, &kCFTypeArrayCallBacks);
	AXError error = flashWrite(e, name, v);
	CFRelease(v);
	return error;
}

static AXError flashActions(uint64_t e, flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFArrayRef names = NULL;
	AXError error = AXUIElementCopyActionNames(flashElementOf(e), &names);
	if (names != NULL) {
		flashValue(out, names, 1);
		CFRelease(names);
	}
	objc_autoreleasePoolPop(pool);
	return error;
}

static AXError flashAct(uint64_t e, const char *action) {
	CFStringRef n = CFStringCreateWithCString(kCFAllocatorDefault, action, kCFStringEncodingUTF8);
	if (n == NULL) return kAXErrorIllegalArgument;
	void *pool = objc_autoreleasePoolPush();
	AXError error = AXUIElementPerformAction(flashElementOf(e), n);
	objc_autoreleasePoolPop(pool);
	CFRelease(n);
	return error;
}

// The number of a window has no public call; where macOS no longer has this one
// windows are told by their frames.
static AXError (*flashGetWindow)(AXUIElementRef, CGWindowID *);

// Once, before anything else here.
static void flashBegin(float patience) {
	AXUIElementRef all = AXUIElementCreateSystemWide();
	AXUIElementSetMessagingTimeout(all, patience);
	CFRelease(all);
	*(void **)&flashGetWindow = dlsym(flashAnyLibrary, "_AXUIElementGetWindow");
}

static uint32_t flashNumber(uint64_t e) {
	CGWindowID n = 0;
	if (flashGetWindow == NULL || flashGetWindow(flashElementOf(e), &n) != kAXErrorSuccess) return 0;
	return n;
}

static int flashSame(uint64_t a, uint64_t b) { return CFEqual(flashElementOf(a), flashElementOf(b)) != 0; }
static uint64_t flashHash(uint64_t e) { return (uint64_t)CFHash(flashElementOf(e)); }
static void flashRetain(uint64_t e) { CFRetain(flashElementOf(e)); }
static void flashRelease(uint64_t e) { CFRelease(flashElementOf(e)); }
static double flashPrimaryHeight(void) { return CGDisplayBounds(CGMainDisplayID()).size.height; }

static void flashListWindows(int shown, flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CGWindowListOption which = shown ? kCGWindowListOptionOnScreenOnly : kCGWindowListOptionAll;
	CFArrayRef list = CGWindowListCopyWindowInfo(which | kCGWindowListExcludeDesktopElements, kCGNullWindowID);
	CFIndex n = list == NULL ? 0 : CFArrayGetCount(list);
	for (CFIndex i = 0; i < n; i++) flashValue(out, CFArrayGetValueAtIndex(list, i), 2);
	if (list != NULL) CFRelease(list);
	objc_autoreleasePoolPop(pool);
}
*/
import "C"

import (
	"sync"
	"unsafe"
)

// patience bounds each wait for an app. It is what a snapshot's longest
// deadline leaves of the time that its caller waits.
const patience = 0.5

// AX is macOS's accessibility interface. Its methods may be called from any
// goroutine and wait for the app, each at most for patience seconds.
type AX struct{}

var patient sync.Once

// NewAX sets the process's patience with other apps.
func NewAX() AX {
	patient.Do(func() { C.flashBegin(patience) })
	return AX{}
}

// Trusted says whether Flash may use the interface. With prompt macOS also
// shows the user where to allow it.
func (AX) Trusted(prompt bool) bool { return C.flashTrusted(flag(prompt)) != 0 }

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// App is the element of an app.
func (AX) App(pid int) Ref { return Ref(C.flashApp(C.int(pid))) }

// Read reads attributes, in one call to the app.
func (AX) Read(e Ref, names []string) ([]Value, Status) {
	c := cNames(names)
	defer C.free(unsafe.Pointer(c))
	var out C.flashBuffer
	status := Status(C.flashRead(C.uint64_t(e), c, C.int(len(names)), &out))
	return decode(&out), status
}

// Write sets an attribute.
func (AX) Write(e Ref, name string, v Value) Status {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	to := C.uint64_t(e)
	switch v.Kind {
	case String:
		text := C.CBytes([]byte(v.Str))
		defer C.free(text)
		return Status(C.flashWriteText(to, c, text, C.long(len(v.Str))))
	case Bool:
		return Status(C.flashWriteBool(to, c, flag(v.Int != 0)))
	case Int:
		return Status(C.flashWriteNumber(to, c, 1, C.int64_t(v.Int), 0))
	case Float:
		return Status(C.flashWriteNumber(to, c, 0, 0, C.double(v.Num[0])))
	case List:
		if len(v.List) == 1 && v.List[0].Kind == Element {
			return Status(C.flashWriteElement(to, c, C.uint64_t(v.List[0].Ref)))
		}
	}
	return IllegalArgument
}

// Actions names what can be done with an element.
func (AX) Actions(e Ref) ([]string, Status) {
	var out C.flashBuffer
	status := Status(C.flashActions(C.uint64_t(e), &out))
	var names []string
	for _, list := range decode(&out) {
		for _, v := range list.List {
			names = append(names, v.Str)
		}
	}
	return names, status
}

// Perform does an action.
func (AX) Perform(e Ref, action string) Status {
	c := C.CString(action)
	defer C.free(unsafe.Pointer(c))
	return Status(C.flashAct(C.uint64_t(e), c))
}

// Number is a window's number, 0 where macOS does not say.
func (AX) Number(e Ref) int64 { return int64(C.flashNumber(C.uint64_t(e))) }

// Same says whether two references are of one element.
func (AX) Same(a, b Ref) bool { return C.flashSame(C.uint64_t(a), C.uint64_t(b)) != 0 }

// Hash is the same of references to one element.
func (AX) Hash(e Ref) uint64 { return uint64(C.flashHash(C.uint64_t(e))) }

// Retain keeps an element once more.
func (AX) Retain(e Ref) { C.flashRetain(C.uint64_t(e)) }

// Release lets an element go.
func (AX) Release(e Ref) { C.flashRelease(C.uint64_t(e)) }

// PrimaryHeight is the height of the primary screen in points.
func (AX) PrimaryHeight() float64 { return float64(C.flashPrimaryHeight()) }

// Shown is what of the window server's list is on the screen, front first.
func (a AX) Shown() []Listed { return ListedOf(a.PrimaryHeight(), a.list(true)) }

// Listed is the window server's whole list, what is on the screen before the
// rest: only that part has an order.
func (a AX) Listed() []Listed {
	return ListedOf(a.PrimaryHeight(), a.list(true), a.list(false))
}

func (AX) list(shown bool) []Value {
	var out C.flashBuffer
	C.flashListWindows(flag(shown), &out)
	return decode(&out)
}
