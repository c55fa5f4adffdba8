#pragma once
#include <CoreFoundation/CoreFoundation.h>
#include <CoreGraphics/CoreGraphics.h>
typedef const struct __AXUIElement *AXUIElementRef;
typedef const struct __AXValue *AXValueRef;
typedef struct __AXObserver *AXObserverRef;
typedef int32_t AXError;
enum {
	kAXErrorSuccess = 0,
	kAXErrorFailure = -25200,
	kAXErrorIllegalArgument = -25201,
	kAXErrorInvalidUIElement = -25202,
	kAXErrorInvalidUIElementObserver = -25203,
	kAXErrorCannotComplete = -25204,
	kAXErrorAttributeUnsupported = -25205,
	kAXErrorActionUnsupported = -25206,
	kAXErrorNotificationUnsupported = -25207,
	kAXErrorNotImplemented = -25208,
	kAXErrorNotificationAlreadyRegistered = -25209,
	kAXErrorNotificationNotRegistered = -25210,
	kAXErrorAPIDisabled = -25211,
	kAXErrorNoValue = -25212,
};
typedef enum : uint32_t { kAXValueTypeCGPoint = 1, kAXValueTypeCGSize = 2, kAXValueTypeCGRect = 3, kAXValueTypeCFRange = 4, kAXValueTypeAXError = 5 } AXValueType;
typedef void (*AXObserverCallback)(AXObserverRef, AXUIElementRef, CFStringRef, void *);
extern CFStringRef kAXTrustedCheckOptionPrompt;
Boolean AXIsProcessTrusted(void);
Boolean AXIsProcessTrustedWithOptions(CFDictionaryRef);
CFTypeID AXUIElementGetTypeID(void);
CFTypeID AXValueGetTypeID(void);
AXUIElementRef AXUIElementCreateApplication(pid_t);
AXUIElementRef AXUIElementCreateSystemWide(void);
AXError AXUIElementGetPid(AXUIElementRef, pid_t *);
AXError AXUIElementSetMessagingTimeout(AXUIElementRef, float);
AXError AXUIElementCopyAttributeNames(AXUIElementRef, CFArrayRef *);
AXError AXUIElementCopyAttributeValue(AXUIElementRef, CFStringRef, CFTypeRef *);
AXError AXUIElementCopyAttributeValues(AXUIElementRef, CFStringRef, CFIndex, CFIndex, CFArrayRef *);
AXError AXUIElementCopyMultipleAttributeValues(AXUIElementRef, CFArrayRef, UInt32, CFArrayRef *);
AXError AXUIElementSetAttributeValue(AXUIElementRef, CFStringRef, CFTypeRef);
AXError AXUIElementCopyActionNames(AXUIElementRef, CFArrayRef *);
AXError AXUIElementPerformAction(AXUIElementRef, CFStringRef);
AXValueType AXValueGetType(AXValueRef);
Boolean AXValueGetValue(AXValueRef, AXValueType, void *);
AXValueRef AXValueCreate(AXValueType, const void *);
AXError AXObserverCreate(pid_t, AXObserverCallback, AXObserverRef *);
AXError AXObserverAddNotification(AXObserverRef, AXUIElementRef, CFStringRef, void *);
AXError AXObserverRemoveNotification(AXObserverRef, AXUIElementRef, CFStringRef);
CFRunLoopSourceRef AXObserverGetRunLoopSource(AXObserverRef);
