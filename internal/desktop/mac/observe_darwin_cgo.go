//go:build darwin && cgo

package mac

/*
#include "encode.h"

typedef struct {
	AXObserverRef observer;
	CFArrayRef ofWindows; // notifications that are asked of each window
	uint64_t token;
} flashObserver;

extern void flashHeard(uint64_t token, char *name);

static int flashWatchWindow(flashObserver *o, AXUIElementRef window) {
	CFIndex n = CFArrayGetCount(o->ofWindows);
	for (CFIndex i = 0; i < n; i++) {
		// An app that does not answer would be waited for each time anew, and all
		// other apps' notices with it.
		if (AXObserverAddNotification(o->observer, window, (CFStringRef)CFArrayGetValueAtIndex(o->ofWindows, i), o) == kAXErrorCannotComplete) return 0;
	}
	return 1;
}

static void flashNotified(AXObserverRef observer, AXUIElementRef element, CFStringRef name, void *state) {
	flashObserver *o = state;
	char text[64];
	if (!CFStringGetCString(name, text, sizeof text, kCFStringEncodingUTF8)) return;
	if (strcmp(text, "AXWindowCreated") == 0) flashWatchWindow(o, element);
	flashHeard(o->token, text);
}

static void flashUninstall(flashObserver *o) {
	if (o->observer != NULL) {
		CFRunLoopRemoveSource(CFRunLoopGetCurrent(), AXObserverGetRunLoopSource(o->observer), kCFRunLoopDefaultMode);
		CFRelease(o->observer);
	}
	CFRelease(o->ofWindows);
	free(o);
}

// The rest runs on the run-loop thread.

static AXError flashNewObserver(uint64_t token, int pid, const char *ofWindows, int windowCount, flashObserver **out) {
	flashObserver *o = calloc(1, sizeof *o);
	if (o == NULL) abort();
	o->token = token;
	o->ofWindows = flashNames(ofWindows, windowCount);
	AXError error = AXObserverCreate(pid, flashNotified, &o->observer);
	if (error != kAXErrorSuccess) {
		o->observer = NULL;
		flashUninstall(o);
		return error;
	}
	CFRunLoopAddSource(CFRunLoopGetCurrent(), AXObserverGetRunLoopSource(o->observer), kCFRunLoopDefaultMode);
	*out = o;
	return kAXErrorSuccess;
}

static AXError flashAddNotification(flashObserver *o, uint64_t app, const char *name) {
	void *pool = objc_autoreleasePoolPush();
	CFStringRef n = CFStringCreateWithCString(kCFAllocatorDefault, name, kCFStringEncodingUTF8);
	AXError error = kAXErrorNotificationUnsupported;
	if (n != NULL) {
		error = AXObserverAddNotification(o->observer, (AXUIElementRef)(uintptr_t)app, n, o);
		CFRelease(n);
	}
	objc_autoreleasePoolPop(pool);
	return error;
}

static void flashWatchWindows(flashObserver *o, uint64_t app) {
	void *pool = objc_autoreleasePoolPush();
	CFTypeRef windows = NULL;
	CFStringRef attribute = CFStringCreateWithCString(kCFAllocatorDefault, "AXWindows", kCFStringEncodingUTF8);
	AXUIElementCopyAttributeValue((AXUIElementRef)(uintptr_t)app, attribute, &windows);
	CFRelease(attribute);
	if (windows != NULL && CFGetTypeID(windows) == CFArrayGetTypeID()) {
		CFIndex n = CFArrayGetCount((CFArrayRef)windows);
		for (CFIndex i = 0; i < n && flashWatchWindow(o, (AXUIElementRef)CFArrayGetValueAtIndex((CFArrayRef)windows, i)); i++) continue;
	}
	if (windows != NULL) CFRelease(windows);
	objc_autoreleasePoolPop(pool);
}
*/
import "C"

import (
	"sync"
	"unsafe"
)

// AXRegistrar makes AXObservers on the run-loop thread. Heard is set before the
// first Install.
type AXRegistrar struct {
	AX
	observers map[uint64]installed // on the run-loop thread alone
	heard     func(token uint64, notification string)
}

type installed struct {
	c      *C.flashObserver
	global uint64
}

// heard finds who an observer belongs to: several registrars count tokens of
// their own, the C side has one count of all.
var heard struct {
	mu   sync.Mutex
	next uint64
	by   map[uint64]target
}

type target struct {
	registrar *AXRegistrar
	token     uint64
}

// NewAXRegistrar calls heardBy on the run-loop thread; it must be quick.
func NewAXRegistrar(heardBy func(token uint64, notification string)) *AXRegistrar {
	return &AXRegistrar{AX: NewAX(), observers: map[uint64]installed{}, heard: heardBy}
}

// Trusted implements Registrar. Nobody is prompted.
func (r *AXRegistrar) Trusted() bool { return r.AX.Trusted(false) }

// Install implements Registrar.
func (r *AXRegistrar) Install(token uint64, pid int, names Names) (status Status) {
	heard.mu.Lock()
	heard.next++
	global := heard.next
	if heard.by == nil {
		heard.by = map[uint64]target{}
	}
	heard.by[global] = target{r, token}
	heard.mu.Unlock()
	onThread(func() { status = r.install(token, global, pid, names) })
	if status != OK {
		forget(global)
	}
	return status
}

func (r *AXRegistrar) install(token, global uint64, pid int, names Names) Status {
	window := cNames(names.Window)
	defer C.free(unsafe.Pointer(window))
	var c *C.flashObserver
	if status := Status(C.flashNewObserver(C.uint64_t(global), C.int(pid), window, C.int(len(names.Window)), &c)); status != OK {
		return status
	}
	app := r.App(pid)
	defer r.Release(app)
	status := AddAll(names.App, func(name string) Status {
		n := C.CString(name)
		defer C.free(unsafe.Pointer(n))
		return Status(C.flashAddNotification(c, C.uint64_t(app), n))
	})
	if status != OK {
		C.flashUninstall(c)
		return status
	}
	if len(names.Window) > 0 {
		C.flashWatchWindows(c, C.uint64_t(app))
	}
	r.observers[token] = installed{c, global}
	return OK
}

func forget(global uint64) {
	heard.mu.Lock()
	defer heard.mu.Unlock()
	delete(heard.by, global)
}

// Remove implements Registrar.
func (r *AXRegistrar) Remove(token uint64) {
	onThread(func() {
		if i, ok := r.observers[token]; ok {
			C.flashUninstall(i.c)
			delete(r.observers, token)
			forget(i.global)
		}
	})
}

//export flashHeard
func flashHeard(global C.uint64_t, name *C.char) {
	heard.mu.Lock()
	t, ok := heard.by[uint64(global)]
	heard.mu.Unlock()
	if ok {
		t.registrar.heard(t.token, C.GoString(name))
	}
}
