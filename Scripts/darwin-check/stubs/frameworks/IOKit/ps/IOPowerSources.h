#pragma once
#include <CoreFoundation/CoreFoundation.h>
typedef void (*IOPowerSourceCallbackType)(void *);
CFTypeRef IOPSCopyPowerSourcesInfo(void);
CFArrayRef IOPSCopyPowerSourcesList(CFTypeRef);
CFDictionaryRef IOPSGetPowerSourceDescription(CFTypeRef, CFTypeRef);
CFStringRef IOPSGetProvidingPowerSourceType(CFTypeRef);
CFRunLoopSourceRef IOPSNotificationCreateRunLoopSource(IOPowerSourceCallbackType, void *);
