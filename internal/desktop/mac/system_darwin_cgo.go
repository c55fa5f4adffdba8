//go:build darwin && cgo

package mac

/*
#cgo LDFLAGS: -framework IOKit -framework SystemConfiguration
#include "encode.h"
#include <IOKit/ps/IOPowerSources.h>
#include <SystemConfiguration/SCDynamicStore.h>

extern void flashSystemChanged(uintptr_t id);

static void flashPowerChanged(void *id) { flashSystemChanged((uintptr_t)id); }
static void flashStoreChanged(SCDynamicStoreRef store, CFArrayRef keys, void *id) { flashSystemChanged((uintptr_t)id); }

static CFRunLoopSourceRef flashAdd(CFRunLoopSourceRef source) {
	if (source != NULL) CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
	return source;
}

static uintptr_t flashFollowPower(uintptr_t id) {
	return (uintptr_t)flashAdd(IOPSNotificationCreateRunLoopSource(flashPowerChanged, (void *)id));
}

static uintptr_t flashFollowNetwork(uintptr_t id, const char *patterns, int count) {
	SCDynamicStoreContext context = {0};
	context.info = (void *)id;
	CFStringRef name = CFStringCreateWithCString(kCFAllocatorDefault, "flash", kCFStringEncodingUTF8);
	SCDynamicStoreRef store = SCDynamicStoreCreate(kCFAllocatorDefault, name, flashStoreChanged, &context);
	CFRelease(name);
	if (store == NULL) return 0;
	CFArrayRef list = flashNames(patterns, count);
	CFRunLoopSourceRef source = NULL;
	if (SCDynamicStoreSetNotificationKeys(store, NULL, list)) source = flashAdd(SCDynamicStoreCreateRunLoopSource(kCFAllocatorDefault, store, 0));
	CFRelease(list);
	CFRelease(store); // the source keeps it
	return (uintptr_t)source;
}

static void flashUnfollow(uintptr_t source) {
	CFRunLoopSourceInvalidate((CFRunLoopSourceRef)source);
	CFRelease((CFRunLoopSourceRef)source);
}

// First the kind of what feeds the machine, then each source.
static void flashSupplies(flashBuffer *out) {
	void *pool = objc_autoreleasePoolPush();
	CFTypeRef info = IOPSCopyPowerSourcesInfo();
	if (info != NULL) {
		flashValue(out, IOPSGetProvidingPowerSourceType(info), 0);
		CFArrayRef list = IOPSCopyPowerSourcesList(info);
		CFIndex n = list == NULL ? 0 : CFArrayGetCount(list);
		for (CFIndex i = 0; i < n; i++) flashValue(out, IOPSGetPowerSourceDescription(info, CFArrayGetValueAtIndex(list, i)), 2);
		if (list != NULL) CFRelease(list);
		CFRelease(info);
	}
	objc_autoreleasePoolPop(pool);
}
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"
)

// sources are what is told of changes of the system, by the number that the C
// side has.
var sources struct {
	mu   sync.Mutex
	next uintptr
	by   map[uintptr]func()
}

// FollowPower calls changed on the run-loop thread when the power supply may
// have changed; stop ends it.
func FollowPower(changed func()) (stop func(), err error) {
	return followSystem(changed, func(id C.uintptr_t) C.uintptr_t { return C.flashFollowPower(id) })
}

// FollowNetwork is FollowPower for the network.
func FollowNetwork(changed func()) (stop func(), err error) {
	c := cNames(NetworkKeys)
	defer C.free(unsafe.Pointer(c))
	return followSystem(changed, func(id C.uintptr_t) C.uintptr_t { return C.flashFollowNetwork(id, c, C.int(len(NetworkKeys))) })
}

func followSystem(changed func(), begin func(id C.uintptr_t) C.uintptr_t) (stop func(), err error) {
	sources.mu.Lock()
	sources.next++
	id := sources.next
	if sources.by == nil {
		sources.by = map[uintptr]func(){}
	}
	sources.by[id] = changed
	sources.mu.Unlock()
	forget := func() {
		sources.mu.Lock()
		defer sources.mu.Unlock()
		delete(sources.by, id)
	}
	var source C.uintptr_t
	onThread(func() { source = begin(C.uintptr_t(id)) })
	if source == 0 {
		forget()
		return nil, errors.New("macOS gives no notice of its changes")
	}
	return sync.OnceFunc(func() {
		forget()
		onThread(func() { C.flashUnfollow(source) })
	}), nil
}

//export flashSystemChanged
func flashSystemChanged(id C.uintptr_t) {
	sources.mu.Lock()
	changed := sources.by[uintptr(id)]
	sources.mu.Unlock()
	if changed != nil {
		changed()
	}
}

// ReadSupply is the power supply as it is now.
func ReadSupply() Supply {
	var out C.flashBuffer
	C.flashSupplies(&out)
	values := decode(&out)
	if len(values) == 0 {
		return Supply{}
	}
	return SupplyOf(values[0].Str, values[1:])
}
