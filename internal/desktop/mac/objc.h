// Messages to objects of Objective-C. Casts name what comes back: each kind of
// result has its own place.
#ifndef FLASH_OBJC_H
#define FLASH_OBJC_H

#include <objc/runtime.h>
#include <objc/message.h>

static id flashAsk(id object, const char *selector) { return ((id (*)(id, SEL))objc_msgSend)(object, sel_registerName(selector)); }

static id flashAskWith(id object, const char *selector, const void *argument) {
	return ((id (*)(id, SEL, const void *))objc_msgSend)(object, sel_registerName(selector), argument);
}

static int flashSays(id object, const char *selector) { return ((BOOL (*)(id, SEL))objc_msgSend)(object, sel_registerName(selector)) != 0; }

static long flashCounts(id object, const char *selector) { return ((long (*)(id, SEL))objc_msgSend)(object, sel_registerName(selector)); }

static int flashPID(id app) { return ((int (*)(id, SEL))objc_msgSend)(app, sel_registerName("processIdentifier")); }

static id flashShared(const char *class, const char *selector) { return flashAsk((id)objc_getClass(class), selector); }

#endif
