//go:build darwin && cgo

package mac

/*
#cgo LDFLAGS: -framework AppKit -lobjc
#include "encode.h"
#include "objc.h"

extern void flashNoticed(char *name, int pid, char *bundleID);

static void flashCopyText(id string, char *to, long size) {
	to[0] = 0;
	if (string != NULL && !CFStringGetCString((CFStringRef)string, to, size, kCFStringEncodingUTF8)) to[0] = 0;
}

// A notice of the workspace or of AppKit, with the application that it is about.
static void flashWorkspaceNote(id self, SEL selector, id note) {
	char name[128], bundleID[512] = "";
	int pid = 0;
	flashCopyText(flashAsk(note, "name"), name, sizeof name);
	id info = flashAsk(note, "userInfo");
	if (info != NULL) {
		CFStringRef key = CFStringCreateWithCString(kCFAllocatorDefault, "NSWorkspaceApplicationKey", kCFStringEncodingUTF8);
		id app = (id)CFDictionaryGetValue((CFDictionaryRef)info, key);
		CFRelease(key);
		if (app != NULL) {
			pid = flashPID(app);
			flashCopyText(flashAsk(app, "bundleIdentifier"), bundleID, sizeof bundleID);
		}
	}
	flashNoticed(name, pid, bundleID);
}

static void flashSessionNote(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object, CFDictionaryRef info) {
	char text[128];
	flashCopyText((id)name, text, sizeof text);
	flashNoticed(text, 0, "");
}

// The one object that they tell. It lives as long as the process, as
// classes do.
static id flashListener(void) {
	static id listener;
	if (listener == NULL) {
		Class c = objc_allocateClassPair((Class)objc_getClass("NSObject"), "FlashNotices", 0);
		class_addMethod(c, sel_registerName("flashNote:"), (IMP)flashWorkspaceNote, "v@:@");
		objc_registerClassPair(c);
		listener = class_createInstance(c, 0);
	}
	return listener;
}

enum { flashOfSession, flashOfWorkspace, flashOfApplication };

static void flashFollow(const char *name, int where, int on) {
	CFStringRef n = CFStringCreateWithCString(kCFAllocatorDefault, name, kCFStringEncodingUTF8);
	id listener = flashListener();
	if (where == flashOfSession) {
		CFNotificationCenterRef center = CFNotificationCenterGetDistributedCenter();
		if (on) {
			CFNotificationCenterAddObserver(center, listener, flashSessionNote, n, NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
		} else {
			CFNotificationCenterRemoveObserver(center, listener, n, NULL);
		}
	} else {
		id center = where == flashOfWorkspace ? flashAsk(flashShared("NSWorkspace", "sharedWorkspace"), "notificationCenter")
						      : flashShared("NSNotificationCenter", "defaultCenter");
		if (on) {
			((void (*)(id, SEL, id, SEL, CFStringRef, id))objc_msgSend)(center, sel_registerName("addObserver:selector:name:object:"),
				listener, sel_registerName("flashNote:"), n, NULL);
		} else {
			((void (*)(id, SEL, id, CFStringRef, id))objc_msgSend)(center, sel_registerName("removeObserver:name:object:"), listener, n, NULL);
		}
	}
	CFRelease(n);
}
*/
import "C"

import (
	"slices"
	"sync"
	"unsafe"
)

// Note is a notice, with the app that it is about, if it is about one.
type Note struct {
	Name string
	App  App
}

// notices are who follows which notice.
var notices struct {
	mu sync.Mutex
	by map[string][]*follower
}

type follower struct{ fn func(Note) }

// Follow calls fn on the main thread with each notice of these names, until the
// function that it returns is called. macOS is asked for a notice while anybody
// follows it. Fn must be quick and must not end what it is called for; onMain
// runs a function on the main thread and waits for it.
func Follow(onMain func(func()), names []string, fn func(Note)) (stop func()) {
	f := &follower{fn}
	onMain(func() {
		for _, name := range names {
			notices.mu.Lock()
			if notices.by == nil {
				notices.by = map[string][]*follower{}
			}
			first := len(notices.by[name]) == 0
			// Whoever is being told reads the list that it has.
			notices.by[name] = append(slices.Clone(notices.by[name]), f)
			notices.mu.Unlock()
			if first {
				follow(name, true)
			}
		}
	})
	return sync.OnceFunc(func() {
		onMain(func() {
			for _, name := range names {
				notices.mu.Lock()
				rest := slices.DeleteFunc(slices.Clone(notices.by[name]), func(o *follower) bool { return o == f })
				was := len(notices.by[name])
				notices.by[name] = rest
				notices.mu.Unlock()
				if was > 0 && len(rest) == 0 {
					follow(name, false)
				}
			}
		})
	})
}

func follow(name string, on bool) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.flashFollow(c, C.int(CenterOf(name)), flag(on))
}

//export flashNoticed
func flashNoticed(name *C.char, pid C.int, bundleID *C.char) {
	n := Note{C.GoString(name), App{int(pid), C.GoString(bundleID)}}
	notices.mu.Lock()
	list := notices.by[n.Name]
	notices.mu.Unlock()
	for _, f := range list {
		f.fn(n)
	}
}
