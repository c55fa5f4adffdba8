#pragma once
#include <CoreFoundation/CoreFoundation.h>
typedef struct OpaqueEventTargetRef *EventTargetRef;
typedef struct OpaqueEventHandlerRef *EventHandlerRef;
typedef struct OpaqueEventHandlerCallRef *EventHandlerCallRef;
typedef struct OpaqueEventRef *EventRef;
typedef struct OpaqueEventHotKeyRef *EventHotKeyRef;
typedef UInt32 OptionBits;
typedef unsigned long ItemCount;
typedef unsigned long ByteCount;
typedef UInt32 EventParamName;
typedef UInt32 EventParamType;
typedef struct EventHotKeyID { OSType signature; UInt32 id; } EventHotKeyID;
typedef struct EventTypeSpec { UInt32 eventClass; UInt32 eventKind; } EventTypeSpec;
typedef OSStatus (*EventHandlerUPP)(EventHandlerCallRef, EventRef, void *);
enum {
	kEventClassKeyboard = 0x6b657962, /* 'keyb' */
	kEventHotKeyPressed = 5,
	kEventHotKeyReleased = 6,
	kEventParamDirectObject = 0x2d2d2d2d, /* '----' */
	typeEventHotKeyID = 0x686b6964, /* 'hkid' */
	eventHotKeyExistsErr = -9878,
	eventHotKeyInvalidErr = -9879,
	cmdKey = 0x100,
	shiftKey = 0x200,
	optionKey = 0x800,
	controlKey = 0x1000,
};
EventTargetRef GetApplicationEventTarget(void);
OSStatus InstallEventHandler(EventTargetRef, EventHandlerUPP, ItemCount, const EventTypeSpec *, void *, EventHandlerRef *);
OSStatus RemoveEventHandler(EventHandlerRef);
OSStatus GetEventParameter(EventRef, EventParamName, EventParamType, EventParamType *, ByteCount, ByteCount *, void *);
UInt32 GetEventKind(EventRef);
OSStatus RegisterEventHotKey(UInt32, UInt32, EventHotKeyID, EventTargetRef, OptionBits, EventHotKeyRef *);
OSStatus UnregisterEventHotKey(EventHotKeyRef);

#define kHISymbolicHotKeyCode CFSTR("kHISymbolicHotKeyCode")
#define kHISymbolicHotKeyModifiers CFSTR("kHISymbolicHotKeyModifiers")
#define kHISymbolicHotKeyEnabled CFSTR("kHISymbolicHotKeyEnabled")
OSStatus CopySymbolicHotKeys(CFArrayRef *);

typedef struct __TISInputSource *TISInputSourceRef;
extern const CFStringRef kTISPropertyUnicodeKeyLayoutData;
extern const CFStringRef kTISNotifySelectedKeyboardInputSourceChanged;
TISInputSourceRef TISCopyCurrentKeyboardLayoutInputSource(void);
TISInputSourceRef TISCopyCurrentASCIICapableKeyboardLayoutInputSource(void);
void *TISGetInputSourceProperty(TISInputSourceRef, CFStringRef);

typedef struct UCKeyboardLayout UCKeyboardLayout;
typedef unsigned long UniCharCount;
enum { kUCKeyActionDown = 0, kUCKeyActionDisplay = 3, kUCKeyTranslateNoDeadKeysMask = 1 };
UInt8 LMGetKbdType(void);
OSStatus UCKeyTranslate(const UCKeyboardLayout *, UInt16, UInt16, UInt32, UInt32, OptionBits, UInt32 *, UniCharCount, UniCharCount *, UniChar *);
