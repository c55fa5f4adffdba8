//go:build darwin && cgo

package mac

/*
#cgo LDFLAGS: -framework ApplicationServices -framework CoreFoundation
#include "encode.h"

extern void flashThreadWork(void);

static void flashPerform(void *info) { flashThreadWork(); }

static CFRunLoopSourceRef flashSource;
static CFRunLoopRef flashLoop;

// flashThreadBegin makes the calling thread the one that observers and other
// sources of notices belong to. Its own source keeps the loop from ending.
static void flashThreadBegin(void) {
	CFRunLoopSourceContext c = {0};
	c.perform = flashPerform;
	flashSource = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &c);
	flashLoop = CFRunLoopGetCurrent();
	CFRunLoopAddSource(flashLoop, flashSource, kCFRunLoopDefaultMode);
}

// Longer than any timer of Core Foundation.
static const double flashForEver = 1e10;

static void flashRunLoop(void) {
	void *pool = objc_autoreleasePoolPush();
	CFRunLoopRunInMode(kCFRunLoopDefaultMode, flashForEver, 1);
	objc_autoreleasePoolPop(pool);
}

static void flashThreadWake(void) {
	CFRunLoopSourceSignal(flashSource);
	CFRunLoopWakeUp(flashLoop);
}
*/
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// thread is the process's one run-loop thread. It is made when something needs
// it and stays: at rest it waits in the kernel.
var thread struct {
	once sync.Once
	mu   sync.Mutex
	work []func()
}

// RunLoop runs the calling thread's run loop until one of its sources was handled,
// or somebody stopped it. What macOS's own code leaves to a pool goes then, which
// it would only with the thread otherwise. The caller has locked the thread.
func RunLoop() { C.flashRunLoop() }

// onThread runs fn on the run-loop thread and waits for it.
func onThread(fn func()) {
	thread.once.Do(func() {
		ready := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			C.flashThreadBegin()
			close(ready)
			for {
				RunLoop()
			}
		}()
		<-ready
	})
	done := make(chan struct{})
	thread.mu.Lock()
	thread.work = append(thread.work, func() { defer close(done); fn() })
	thread.mu.Unlock()
	C.flashThreadWake()
	<-done
}

//export flashThreadWork
func flashThreadWork() {
	for {
		thread.mu.Lock()
		work := thread.work
		thread.work = nil
		thread.mu.Unlock()
		if len(work) == 0 {
			return
		}
		for _, fn := range work {
			fn()
		}
	}
}

// decode takes what the C side wrote and frees it.
func decode(b *C.flashBuffer) []Value {
	defer C.free(unsafe.Pointer(b.data))
	if b.len == 0 {
		return nil
	}
	// An error would be a mistake of encode.h; what was read has its elements.
	values, _ := Decode(unsafe.Slice((*byte)(unsafe.Pointer(b.data)), int(b.len)))
	return values
}

// cNames are names as flashNames reads them; the caller frees them.
func cNames(names []string) *C.char {
	return C.CString(strings.Join(names, "\x00") + "\x00")
}
