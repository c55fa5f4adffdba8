//go:build darwin && cgo

package mac

/*
#include "encode.h"
#include "objc.h"

// What is here could be asked through darwinkit but for two mistakes of its: where
// an answer is narrower than a register, as BOOL and int are, it gives libffi less
// room than libffi fills, and what lies beside is written over; and the length of
// an array that is empty it takes from nowhere.

static id flashWorkspace(void) { return flashShared("NSWorkspace", "sharedWorkspace"); }

// What RunningOf reads.
static void flashApplication(flashBuffer *out, id app) {
	flashKind(out, flashList);
	flashU32(out, 4);
	flashI64(out, flashInt, flashPID(app));
	flashValue(out, (CFTypeRef)flashAsk(app, "bundleIdentifier"), 0);
	flashValue(out, (CFTypeRef)flashAsk(app, "localizedName"), 0);
	flashI64(out, flashInt, flashCounts(app, "activationPolicy"));
}

static void flashRunning(flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFArrayRef list = (CFArrayRef)flashAsk(flashWorkspace(), "runningApplications");
	CFIndex n = list == NULL ? 0 : CFArrayGetCount(list);
	for (CFIndex i = 0; i < n; i++) flashApplication(out, (id)CFArrayGetValueAtIndex(list, i));
	objc_autoreleasePoolPop(pool);
}

static void flashFrontmost(flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	id app = flashAsk(flashWorkspace(), "frontmostApplication");
	if (app != NULL) flashApplication(out, app);
	objc_autoreleasePoolPop(pool);
}

// NSApplicationActivateIgnoringOtherApps.
enum { flashIgnoringOthers = 2 };

static int flashActivate(int pid) {
	void *pool = objc_autoreleasePoolPush();
	id app = ((id (*)(id, SEL, int))objc_msgSend)((id)objc_getClass("NSRunningApplication"), sel_registerName("runningApplicationWithProcessIdentifier:"), pid);
	int done = app != NULL && ((BOOL (*)(id, SEL, unsigned long))objc_msgSend)(app, sel_registerName("activateWithOptions:"), flashIgnoringOthers);
	objc_autoreleasePoolPop(pool);
	return done;
}

// A URL, or the path of a file. NULL is what macOS does not take for one.
static id flashURL(const char *text, int file) {
	CFStringRef s = CFStringCreateWithCString(kCFAllocatorDefault, text, kCFStringEncodingUTF8);
	if (s == NULL) return NULL;
	id url = flashAskWith((id)objc_getClass("NSURL"), file ? "fileURLWithPath:" : "URLWithString:", s);
	CFRelease(s);
	return url;
}

static int flashOpenURL(const char *text, int file) {
	void *pool = objc_autoreleasePoolPush();
	id url = flashURL(text, file);
	int done = url != NULL && ((BOOL (*)(id, SEL, id))objc_msgSend)(flashWorkspace(), sel_registerName("openURL:"), url);
	objc_autoreleasePoolPop(pool);
	return done;
}

static void flashOpeners(const char *text, int file, flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	id url = flashURL(text, file);
	CFArrayRef list = url == NULL ? NULL : (CFArrayRef)flashAskWith(flashWorkspace(), "URLsForApplicationsToOpenURL:", url);
	CFIndex n = list == NULL ? 0 : CFArrayGetCount(list);
	for (CFIndex i = 0; i < n; i++) {
		id bundle = flashAskWith((id)objc_getClass("NSBundle"), "bundleWithURL:", CFArrayGetValueAtIndex(list, i));
		if (bundle != NULL) flashValue(out, (CFTypeRef)flashAsk(bundle, "bundleIdentifier"), 0);
	}
	objc_autoreleasePoolPop(pool);
}

static id flashBoard(void) { return flashShared("NSPasteboard", "generalPasteboard"); }

static long flashBoardCount(void) {
	void *pool = objc_autoreleasePoolPush();
	long n = flashCounts(flashBoard(), "changeCount");
	objc_autoreleasePoolPop(pool);
	return n;
}

// The text is made only where its bytes are not too many.
static void flashBoardText(const char *type, long most, flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFStringRef t = CFStringCreateWithCString(kCFAllocatorDefault, type, kCFStringEncodingUTF8);
	id data = flashAskWith(flashBoard(), "dataForType:", t);
	if (data != NULL && flashCounts(data, "length") <= most) flashValue(out, (CFTypeRef)flashAskWith(flashBoard(), "stringForType:", t), 0);
	CFRelease(t);
	objc_autoreleasePoolPop(pool);
}

static void flashBoardTypes(flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFArrayRef list = (CFArrayRef)flashAsk(flashBoard(), "types");
	CFIndex n = list == NULL ? 0 : CFArrayGetCount(list);
	for (CFIndex i = 0; i < n; i++) flashValue(out, CFArrayGetValueAtIndex(list, i), 0);
	objc_autoreleasePoolPop(pool);
}

static int flashBoardWrite(const void *text, long bytes, const char *type) {
	CFStringRef s = CFStringCreateWithBytes(kCFAllocatorDefault, text, bytes, kCFStringEncodingUTF8, 0);
	if (s == NULL) return 0;
	void *pool = objc_autoreleasePoolPush();
	CFStringRef t = CFStringCreateWithCString(kCFAllocatorDefault, type, kCFStringEncodingUTF8);
	flashCounts(flashBoard(), "clearContents");
	int done = ((BOOL (*)(id, SEL, CFStringRef, CFStringRef))objc_msgSend)(flashBoard(), sel_registerName("setString:forType:"), s, t);
	CFRelease(t);
	objc_autoreleasePoolPop(pool);
	CFRelease(s);
	return done;
}

// NSApplicationActivationPolicyAccessory.
enum { flashAccessory = 1 };

static void flashBeAccessory(void) {
	((BOOL (*)(id, SEL, long))objc_msgSend)(flashShared("NSApplication", "sharedApplication"), sel_registerName("setActivationPolicy:"), flashAccessory);
}

static int flashHasScreen(void) {
	CFDictionaryRef session = CGSessionCopyCurrentDictionary();
	if (session != NULL) CFRelease(session);
	return session != NULL;
}

// NSActivityUserInitiatedAllowingIdleSystemSleep.
static const uint64_t flashWhenAsked = 0x00efffff;

static void flashStayAwake(const char *reason) {
	void *pool = objc_autoreleasePoolPush();
	CFStringRef s = CFStringCreateWithCString(kCFAllocatorDefault, reason, kCFStringEncodingUTF8);
	id activity = ((id (*)(id, SEL, uint64_t, CFStringRef))objc_msgSend)(flashShared("NSProcessInfo", "processInfo"),
		sel_registerName("beginActivityWithOptions:reason:"), flashWhenAsked, s);
	CFRetain((CFTypeRef)activity); // it ends with its last reference, and is to last as long as the process
	CFRelease(s);
	objc_autoreleasePoolPop(pool);
}
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Running are the running applications, on the main thread.
func Running() []RunningApp {
	var out C.flashBuffer
	C.flashRunning(&out)
	return RunningOf(decode(&out))
}

// Frontmost is the application in front, on the main thread; its PID is 0 where
// none is.
func Frontmost() App {
	var out C.flashBuffer
	C.flashFrontmost(&out)
	for _, r := range RunningOf(decode(&out)) {
		return r.App
	}
	return App{}
}

// Activate asks an application to come to the front, on the main thread.
func Activate(pid int) bool { return C.flashActivate(C.int(pid)) != 0 }

// OpenURL opens a URL or, where it begins with a slash, a file. It waits until the
// application has it, and may be called anywhere.
func OpenURL(url string) bool {
	c := C.CString(url)
	defer C.free(unsafe.Pointer(c))
	return C.flashOpenURL(c, flag(isPath(url))) != 0
}

// Openers are the bundle ids of the applications that open a URL or a file, the
// one that the user prefers first.
func Openers(url string) []string {
	c := C.CString(url)
	defer C.free(unsafe.Pointer(c))
	var out C.flashBuffer
	C.flashOpeners(c, flag(isPath(url)), &out)
	return Strings(decode(&out))
}

func isPath(url string) bool { return strings.HasPrefix(url, "/") }

// PasteboardCount changes with each copy, on the main thread. To ask for it reads
// nothing.
func PasteboardCount() int { return int(C.flashBoardCount()) }

// PasteboardText is the text on the pasteboard, on the main thread; "" where it
// has more than most bytes.
func PasteboardText(most int) string {
	kind := C.CString(plainText)
	defer C.free(unsafe.Pointer(kind))
	var out C.flashBuffer
	C.flashBoardText(kind, C.long(most), &out)
	for _, text := range Strings(decode(&out)) {
		return text
	}
	return ""
}

// PasteboardTypes are the types of what is on the pasteboard, on the main thread.
func PasteboardTypes() []string {
	var out C.flashBuffer
	C.flashBoardTypes(&out)
	return Strings(decode(&out))
}

// WritePasteboard puts a text on the pasteboard, on the main thread.
func WritePasteboard(text string) bool {
	text = strings.ToValidUTF8(text, "\ufffd")
	c, kind := C.CBytes([]byte(text)), C.CString(plainText)
	defer C.free(c)
	defer C.free(unsafe.Pointer(kind))
	return C.flashBoardWrite(c, C.long(len(text)), kind) != 0
}

// HasScreen says whether this session has a window server: one by ssh has none, and
// what draws there ends the process.
func HasScreen() bool { return C.flashHasScreen() != 0 }

// BeAccessory makes the program one without a Dock icon and a menu bar, on the
// main thread.
func BeAccessory() { C.flashBeAccessory() }

// StayAwake keeps macOS from slowing the program down because it shows no window:
// keys and plugins are waited for. The machine sleeps as it would.
func StayAwake() {
	c := C.CString("keys and plugins are answered at once")
	defer C.free(unsafe.Pointer(c))
	C.flashStayAwake(c)
}
