#pragma once
#include <CoreFoundation/CFBase.h>
typedef UInt32 CFStringEncoding;
enum { kCFStringEncodingUTF8 = 0x08000100 };
#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
CFTypeID CFStringGetTypeID(void);
CFStringRef CFStringCreateWithBytes(CFAllocatorRef, const UInt8 *, CFIndex, CFStringEncoding, Boolean);
CFStringRef CFStringCreateWithCString(CFAllocatorRef, const char *, CFStringEncoding);
CFIndex CFStringGetLength(CFStringRef);
CFIndex CFStringGetMaximumSizeForEncoding(CFIndex, CFStringEncoding);
CFIndex CFStringGetBytes(CFStringRef, CFRange, CFStringEncoding, UInt8, Boolean, UInt8 *, CFIndex, CFIndex *);
Boolean CFStringGetCString(CFStringRef, char *, CFIndex, CFStringEncoding);
