#pragma once
#include <CoreFoundation/CoreFoundation.h>
typedef const struct __SCDynamicStore *SCDynamicStoreRef;
typedef struct {
	CFIndex version;
	void *info;
	const void *(*retain)(const void *);
	void (*release)(const void *);
	CFStringRef (*copyDescription)(const void *);
} SCDynamicStoreContext;
typedef void (*SCDynamicStoreCallBack)(SCDynamicStoreRef, CFArrayRef, void *);
SCDynamicStoreRef SCDynamicStoreCreate(CFAllocatorRef, CFStringRef, SCDynamicStoreCallBack, SCDynamicStoreContext *);
Boolean SCDynamicStoreSetNotificationKeys(SCDynamicStoreRef, CFArrayRef, CFArrayRef);
CFRunLoopSourceRef SCDynamicStoreCreateRunLoopSource(CFAllocatorRef, SCDynamicStoreRef, CFIndex);
