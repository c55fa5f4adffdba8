#pragma once
#include <stdbool.h>
#include <CoreFoundation/CoreFoundation.h>
typedef double CGFloat;
struct CGPoint { CGFloat x, y; };
typedef struct CGPoint CGPoint;
struct CGSize { CGFloat width, height; };
typedef struct CGSize CGSize;
struct CGRect { CGPoint origin; CGSize size; };
typedef struct CGRect CGRect;

typedef struct __CGEvent *CGEventRef;
typedef struct __CGEventSource *CGEventSourceRef;
typedef struct __CGEventTapProxy *CGEventTapProxy;
typedef uint16_t CGKeyCode;
typedef uint64_t CGEventFlags;
typedef uint64_t CGEventMask;
typedef uint64_t CGEventTimestamp;
typedef enum : uint32_t {
	kCGEventNull = 0,
	kCGEventLeftMouseDown = 1,
	kCGEventLeftMouseUp = 2,
	kCGEventRightMouseDown = 3,
	kCGEventRightMouseUp = 4,
	kCGEventMouseMoved = 5,
	kCGEventLeftMouseDragged = 6,
	kCGEventRightMouseDragged = 7,
	kCGEventKeyDown = 10,
	kCGEventKeyUp = 11,
	kCGEventFlagsChanged = 12,
	kCGEventScrollWheel = 22,
	kCGEventOtherMouseDown = 25,
	kCGEventOtherMouseUp = 26,
	kCGEventOtherMouseDragged = 27,
	kCGEventTapDisabledByTimeout = 0xFFFFFFFE,
	kCGEventTapDisabledByUserInput = 0xFFFFFFFF,
} CGEventType;
typedef enum : uint32_t { kCGHIDEventTap = 0, kCGSessionEventTap = 1, kCGAnnotatedSessionEventTap = 2 } CGEventTapLocation;
typedef enum : uint32_t { kCGHeadInsertEventTap = 0, kCGTailAppendEventTap = 1 } CGEventTapPlacement;
typedef enum : uint32_t { kCGEventTapOptionDefault = 0, kCGEventTapOptionListenOnly = 1 } CGEventTapOptions;
typedef enum : int32_t {
	kCGEventSourceStateCombinedSessionState = 0,
	kCGEventSourceStateHIDSystemState = 1,
} CGEventSourceStateID;
typedef enum : uint32_t {
	kCGMouseEventNumber = 0,
	kCGMouseEventClickState = 1,
	kCGMouseEventButtonNumber = 3,
	kCGMouseEventDeltaX = 4,
	kCGMouseEventDeltaY = 5,
	kCGKeyboardEventAutorepeat = 8,
	kCGKeyboardEventKeycode = 9,
	kCGScrollWheelEventDeltaAxis1 = 11,
	kCGScrollWheelEventDeltaAxis2 = 12,
	kCGEventSourceUserData = 42,
	kCGScrollWheelEventIsContinuous = 88,
	kCGScrollWheelEventFixedPtDeltaAxis1 = 93,
	kCGScrollWheelEventFixedPtDeltaAxis2 = 94,
	kCGScrollWheelEventPointDeltaAxis1 = 96,
	kCGScrollWheelEventPointDeltaAxis2 = 97,
	kCGScrollWheelEventScrollPhase = 99,
	kCGScrollWheelEventMomentumPhase = 123,
} CGEventField;
typedef CGEventRef (*CGEventTapCallBack)(CGEventTapProxy, CGEventType, CGEventRef, void *);
CFTypeID CGEventGetTypeID(void);
CFMachPortRef CGEventTapCreate(CGEventTapLocation, CGEventTapPlacement, CGEventTapOptions, CGEventMask, CGEventTapCallBack, void *);
void CGEventTapEnable(CFMachPortRef, bool);
bool CGEventTapIsEnabled(CFMachPortRef);
CGEventSourceRef CGEventSourceCreate(CGEventSourceStateID);
CGEventType CGEventGetType(CGEventRef);
void CGEventSetType(CGEventRef, CGEventType);
CGEventFlags CGEventGetFlags(CGEventRef);
void CGEventSetFlags(CGEventRef, CGEventFlags);
CGPoint CGEventGetLocation(CGEventRef);
void CGEventSetLocation(CGEventRef, CGPoint);
CGEventTimestamp CGEventGetTimestamp(CGEventRef);
int64_t CGEventGetIntegerValueField(CGEventRef, CGEventField);
void CGEventSetIntegerValueField(CGEventRef, CGEventField, int64_t);
double CGEventGetDoubleValueField(CGEventRef, CGEventField);
void CGEventSetDoubleValueField(CGEventRef, CGEventField, double);
CGEventRef CGEventCreate(CGEventSourceRef);
CGEventRef CGEventCreateKeyboardEvent(CGEventSourceRef, CGKeyCode, bool);
CGEventRef CGEventCreateMouseEvent(CGEventSourceRef, CGEventType, CGPoint, uint32_t);
void CGEventKeyboardSetUnicodeString(CGEventRef, unsigned long, const UniChar *);
void CGEventPost(CGEventTapLocation, CGEventRef);
void CGEventPostToPid(pid_t, CGEventRef);

typedef uint32_t CGDirectDisplayID;
typedef uint32_t CGWindowID;
typedef enum : uint32_t {
	kCGWindowListOptionAll = 0,
	kCGWindowListOptionOnScreenOnly = 1 << 0,
	kCGWindowListExcludeDesktopElements = 1 << 4,
} CGWindowListOption;
enum { kCGNullWindowID = 0 };
CFDictionaryRef CGSessionCopyCurrentDictionary(void);
CGDirectDisplayID CGMainDisplayID(void);
CGRect CGDisplayBounds(CGDirectDisplayID);
CFArrayRef CGWindowListCopyWindowInfo(CGWindowListOption, CGWindowID);

typedef struct CGImage *CGImageRef;
typedef struct CGColorSpace *CGColorSpaceRef;
typedef struct CGDataProvider *CGDataProviderRef;
typedef struct CGContext *CGContextRef;
typedef uint32_t CGBitmapInfo;
typedef enum : int32_t { kCGRenderingIntentDefault = 0 } CGColorRenderingIntent;
typedef enum : int32_t { kCGInterpolationHigh = 3 } CGInterpolationQuality;
enum { kCGImageAlphaPremultipliedFirst = 2, kCGBitmapByteOrder32Little = 2 << 12 };
extern const CFStringRef kCGColorSpaceSRGB;
CGColorSpaceRef CGColorSpaceCreateWithName(CFStringRef);
void CGColorSpaceRelease(CGColorSpaceRef);
CGDataProviderRef CGDataProviderCreateWithCFData(CFDataRef);
void CGDataProviderRelease(CGDataProviderRef);
CGImageRef CGImageCreate(size_t, size_t, size_t, size_t, size_t, CGColorSpaceRef, CGBitmapInfo, CGDataProviderRef, const CGFloat *, bool, CGColorRenderingIntent);
void CGImageRelease(CGImageRef);
CGContextRef CGBitmapContextCreate(void *, size_t, size_t, size_t, size_t, CGColorSpaceRef, CGBitmapInfo);
void CGContextRelease(CGContextRef);
void CGContextSetInterpolationQuality(CGContextRef, CGInterpolationQuality);
void CGContextDrawImage(CGContextRef, CGRect, CGImageRef);
