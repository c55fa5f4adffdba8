#pragma once
/* What this project calls of AppKit, and of Foundation beyond darwinkit's
   needs. The protocols are declared here whole, so AppKit.h is not imported. */
#import <Foundation/Foundation.h>
#include <CoreGraphics/CoreGraphics.h>
typedef CGPoint NSPoint;
typedef CGSize NSSize;
typedef CGRect NSRect;
typedef NSPoint *NSPointPointer;
typedef struct _NSRange { NSUInteger location; NSUInteger length; } NSRange;
typedef NSRange *NSRangePointer;
enum { NSNotFound = 0x7fffffffffffffffL };
typedef double NSTimeInterval;
static inline NSRange NSMakeRange(NSUInteger loc, NSUInteger len) { NSRange r = { loc, len }; return r; }
static inline NSRect NSMakeRect(CGFloat x, CGFloat y, CGFloat w, CGFloat h) { NSRect r = { { x, y }, { w, h } }; return r; }
typedef NSString *NSPasteboardType;
typedef NSString *NSAppearanceName;
typedef NSString *NSAccessibilityRole;
typedef NSString *NSAccessibilityNotificationName;
typedef NSString *NSAccessibilityNotificationUserInfoKey;
typedef NSString *NSAttributedStringKey;

@interface NSString (FlashText)
- (NSUInteger)length;
@end
@interface NSArray (FlashArrays)
+ (id)array;
+ (id)arrayWithObject:(id)o;
+ (id)arrayWithObjects:(id)first, ...;
- (id)lastObject;
@end
@interface NSMutableArray (FlashArrays)
- (void)removeLastObject;
- (void)removeAllObjects;
- (void)removeObjectsInRange:(NSRange)r;
@end
@interface NSNumber : NSObject
+ (NSNumber *)numberWithInteger:(NSInteger)n;
+ (NSNumber *)numberWithDouble:(double)n;
@end
@interface NSNotification : NSObject
@end
@interface NSAttributedString : NSObject
- (id)initWithString:(NSString *)s;
- (id)initWithString:(NSString *)s attributes:(NSDictionary *)a;
- (NSString *)string;
@end
@interface NSMutableAttributedString : NSAttributedString
- (void)appendAttributedString:(NSAttributedString *)s;
@end

@class NSWindow, NSView, NSScreen, NSMenu, NSMenuItem, NSImage, CALayer;

@interface NSColor : NSObject
+ (NSColor *)clearColor;
+ (NSColor *)windowBackgroundColor;
+ (NSColor *)secondaryLabelColor;
+ (NSColor *)systemRedColor;
+ (NSColor *)systemGreenColor;
+ (NSColor *)systemYellowColor;
+ (NSColor *)systemBlueColor;
+ (NSColor *)systemPurpleColor;
+ (NSColor *)systemTealColor;
+ (NSColor *)systemGrayColor;
+ (NSColor *)colorWithSRGBRed:(CGFloat)r green:(CGFloat)g blue:(CGFloat)b alpha:(CGFloat)a;
@end
@interface NSFont : NSObject
+ (NSFont *)menuBarFontOfSize:(CGFloat)size;
+ (NSFont *)monospacedDigitSystemFontOfSize:(CGFloat)size weight:(CGFloat)weight;
- (CGFloat)pointSize;
@end
extern const CGFloat NSFontWeightRegular;
extern const CGFloat NSFontWeightBold;
extern NSAttributedStringKey const NSFontAttributeName;
extern NSAttributedStringKey const NSForegroundColorAttributeName;
extern NSAttributedStringKey const NSBackgroundColorAttributeName;
extern NSAttributedStringKey const NSUnderlineStyleAttributeName;
extern NSAttributedStringKey const NSObliquenessAttributeName;

@interface NSAppearance : NSObject
- (NSAppearanceName)bestMatchFromAppearancesWithNames:(NSArray *)names;
@end
extern NSAppearanceName const NSAppearanceNameAqua;
extern NSAppearanceName const NSAppearanceNameDarkAqua;

typedef enum : NSUInteger {
	NSEventModifierFlagCapsLock = 1 << 16,
	NSEventModifierFlagShift = 1 << 17,
	NSEventModifierFlagControl = 1 << 18,
	NSEventModifierFlagOption = 1 << 19,
	NSEventModifierFlagCommand = 1 << 20,
} NSEventModifierFlags;
typedef enum : NSUInteger {
	NSEventTypeLeftMouseDown = 1,
	NSEventTypeLeftMouseUp = 2,
	NSEventTypeRightMouseDown = 3,
	NSEventTypeRightMouseUp = 4,
	NSEventTypeOtherMouseUp = 26,
} NSEventType;
typedef enum : unsigned long long {
	NSEventMaskLeftMouseUp = 1ULL << 2,
	NSEventMaskRightMouseUp = 1ULL << 4,
	NSEventMaskOtherMouseUp = 1ULL << 26,
} NSEventMask;
@interface NSEvent : NSObject
+ (NSEventModifierFlags)modifierFlags;
- (NSEventType)type;
- (NSEventModifierFlags)modifierFlags;
- (unsigned short)keyCode;
- (NSString *)characters;
- (NSString *)charactersIgnoringModifiers;
- (NSInteger)clickCount;
- (NSInteger)buttonNumber;
- (NSPoint)locationInWindow;
- (CGFloat)scrollingDeltaY;
- (BOOL)hasPreciseScrollingDeltas;
@end

@interface NSResponder : NSObject
- (void)interpretKeyEvents:(NSArray *)events;
- (void)keyDown:(NSEvent *)e;
- (void)flagsChanged:(NSEvent *)e;
- (void)mouseDown:(NSEvent *)e;
- (void)rightMouseDown:(NSEvent *)e;
- (void)otherMouseDown:(NSEvent *)e;
- (void)mouseMoved:(NSEvent *)e;
- (void)mouseExited:(NSEvent *)e;
- (void)scrollWheel:(NSEvent *)e;
- (BOOL)performKeyEquivalent:(NSEvent *)e;
@end

typedef enum : NSUInteger {
	NSTrackingMouseEnteredAndExited = 0x01,
	NSTrackingMouseMoved = 0x02,
	NSTrackingActiveAlways = 0x80,
	NSTrackingInVisibleRect = 0x200,
} NSTrackingAreaOptions;
@interface NSTrackingArea : NSObject
- (id)initWithRect:(NSRect)r options:(NSTrackingAreaOptions)o owner:(id)owner userInfo:(NSDictionary *)info;
@end

@protocol NSTextInputClient
- (void)insertText:(id)s replacementRange:(NSRange)r;
- (void)doCommandBySelector:(SEL)s;
- (void)setMarkedText:(id)s selectedRange:(NSRange)sel replacementRange:(NSRange)r;
- (void)unmarkText;
- (NSRange)selectedRange;
- (NSRange)markedRange;
- (BOOL)hasMarkedText;
- (NSAttributedString *)attributedSubstringForProposedRange:(NSRange)r actualRange:(NSRangePointer)actual;
- (NSArray *)validAttributesForMarkedText;
- (NSRect)firstRectForCharacterRange:(NSRange)r actualRange:(NSRangePointer)actual;
- (NSUInteger)characterIndexForPoint:(NSPoint)p;
@end
@interface NSTextInputContext : NSObject
- (void)discardMarkedText;
- (void)invalidateCharacterCoordinates;
@end

typedef enum : NSInteger { NSViewLayerContentsRedrawNever = 0 } NSViewLayerContentsRedrawPolicy;
typedef enum : NSUInteger { NSViewWidthSizable = 2, NSViewHeightSizable = 16 } NSAutoresizingMaskOptions;
@interface NSView : NSResponder
- (id)initWithFrame:(NSRect)r;
- (NSRect)bounds;
- (NSWindow *)window;
- (CALayer *)layer;
- (void)setWantsLayer:(BOOL)b;
- (void)setLayerContentsRedrawPolicy:(NSViewLayerContentsRedrawPolicy)p;
- (void)setAutoresizingMask:(NSAutoresizingMaskOptions)m;
- (NSTextInputContext *)inputContext;
- (void)addTrackingArea:(NSTrackingArea *)a;
- (NSRect)convertRect:(NSRect)r toView:(NSView *)v;
- (NSPoint)convertPoint:(NSPoint)p fromView:(NSView *)v;
- (BOOL)isFlipped;
- (BOOL)acceptsFirstResponder;
- (BOOL)acceptsFirstMouse:(NSEvent *)e;
- (void)viewDidChangeEffectiveAppearance;
- (void)viewDidChangeBackingProperties;
- (void)setToolTip:(NSString *)s;
@end

typedef enum : NSUInteger {
	NSWindowStyleMaskBorderless = 0,
	NSWindowStyleMaskNonactivatingPanel = 1 << 7,
} NSWindowStyleMask;
typedef enum : NSUInteger { NSBackingStoreBuffered = 2 } NSBackingStoreType;
typedef enum : NSUInteger {
	NSWindowCollectionBehaviorCanJoinAllSpaces = 1 << 0,
	NSWindowCollectionBehaviorStationary = 1 << 4,
	NSWindowCollectionBehaviorIgnoresCycle = 1 << 6,
	NSWindowCollectionBehaviorFullScreenAuxiliary = 1 << 8,
} NSWindowCollectionBehavior;
typedef enum : NSInteger { NSWindowAnimationBehaviorNone = 2 } NSWindowAnimationBehavior;
typedef NSInteger NSWindowLevel;
extern const NSWindowLevel NSFloatingWindowLevel;
@protocol NSWindowDelegate
@end
@interface NSWindow : NSResponder
- (id)initWithContentRect:(NSRect)r styleMask:(NSWindowStyleMask)m backing:(NSBackingStoreType)b defer:(BOOL)d;
- (BOOL)canBecomeKeyWindow;
- (BOOL)canBecomeMainWindow;
- (void)setLevel:(NSWindowLevel)l;
- (void)setCollectionBehavior:(NSWindowCollectionBehavior)b;
- (void)setAnimationBehavior:(NSWindowAnimationBehavior)b;
- (void)setOpaque:(BOOL)b;
- (void)setBackgroundColor:(NSColor *)c;
- (void)setHasShadow:(BOOL)b;
- (void)invalidateShadow;
- (void)setHidesOnDeactivate:(BOOL)b;
- (void)setReleasedWhenClosed:(BOOL)b;
- (void)setMovable:(BOOL)b;
- (void)setAcceptsMouseMovedEvents:(BOOL)b;
- (void)setTitle:(NSString *)s;
- (void)setDelegate:(id<NSWindowDelegate>)d;
- (void)setContentView:(NSView *)v;
- (void)setAlphaValue:(CGFloat)a;
- (void)setIgnoresMouseEvents:(BOOL)b;
- (void)setFrame:(NSRect)r display:(BOOL)d;
- (NSRect)frame;
- (BOOL)isKeyWindow;
- (BOOL)makeFirstResponder:(NSResponder *)r;
- (void)orderFrontRegardless;
- (void)makeKeyWindow;
- (void)orderOut:(id)sender;
- (NSRect)convertRectToScreen:(NSRect)r;
@end
@interface NSPanel : NSWindow
- (void)setFloatingPanel:(BOOL)b;
- (void)setBecomesKeyOnlyIfNeeded:(BOOL)b;
- (void)setWorksWhenModal:(BOOL)b;
@end
@interface NSScreen : NSObject
+ (NSScreen *)mainScreen;
- (NSRect)visibleFrame;
- (CGFloat)backingScaleFactor;
@end

@interface NSApplication : NSResponder
+ (NSApplication *)sharedApplication;
- (NSAppearance *)effectiveAppearance;
- (NSEvent *)currentEvent;
@end
@interface NSWorkspace : NSObject
+ (NSWorkspace *)sharedWorkspace;
- (BOOL)accessibilityDisplayShouldIncreaseContrast;
- (BOOL)isVoiceOverEnabled;
- (NSImage *)iconForFile:(NSString *)path;
@end
@interface NSPasteboard : NSObject
+ (NSPasteboard *)generalPasteboard;
- (NSString *)stringForType:(NSPasteboardType)t;
@end
extern NSPasteboardType const NSPasteboardTypeString;

@interface NSImage : NSObject
- (CGImageRef)CGImageForProposedRect:(NSRect *)r context:(id)c hints:(NSDictionary *)h;
@end

typedef enum : NSInteger { NSAccessibilityPriorityHigh = 90 } NSAccessibilityPriorityLevel;
@interface NSAccessibilityElement : NSObject
+ (id)accessibilityElementWithRole:(NSAccessibilityRole)role frame:(NSRect)r label:(NSString *)l parent:(id)p;
- (void)setAccessibilityFrameInParentSpace:(NSRect)r;
- (void)setAccessibilityLabel:(NSString *)l;
- (void)setAccessibilitySelected:(BOOL)b;
@end
extern NSAccessibilityRole const NSAccessibilityTextFieldRole;
extern NSAccessibilityRole const NSAccessibilityRowRole;
extern NSAccessibilityNotificationName const NSAccessibilityAnnouncementRequestedNotification;
extern NSAccessibilityNotificationUserInfoKey const NSAccessibilityAnnouncementKey;
extern NSAccessibilityNotificationUserInfoKey const NSAccessibilityPriorityKey;
extern NSAccessibilityNotificationName const NSAccessibilityValueChangedNotification;
void NSAccessibilityPostNotification(id element, NSAccessibilityNotificationName n);
void NSAccessibilityPostNotificationWithUserInfo(id element, NSAccessibilityNotificationName n, NSDictionary *info);

@interface NSMenu : NSObject
- (id)initWithTitle:(NSString *)t;
- (void)setAutoenablesItems:(BOOL)b;
- (void)addItem:(NSMenuItem *)i;
@end
@interface NSMenuItem : NSObject
+ (NSMenuItem *)separatorItem;
- (id)initWithTitle:(NSString *)t action:(SEL)a keyEquivalent:(NSString *)k;
- (void)setTarget:(id)t;
- (void)setTag:(NSInteger)t;
- (NSInteger)tag;
- (void)setEnabled:(BOOL)b;
@end
@interface NSButton : NSView
- (void)setTarget:(id)t;
- (void)setAction:(SEL)a;
- (void)setTag:(NSInteger)t;
- (NSInteger)tag;
- (void)setAttributedTitle:(NSAttributedString *)s;
- (NSInteger)sendActionOn:(NSEventMask)m;
- (void)performClick:(id)sender;
- (void)setAccessibilityLabel:(NSString *)s;
@end
@interface NSStatusBarButton : NSButton
@end
@interface NSStatusItem : NSObject
- (NSStatusBarButton *)button;
- (void)setMenu:(NSMenu *)m;
@end
extern const CGFloat NSVariableStatusItemLength;
@interface NSStatusBar : NSObject
+ (NSStatusBar *)systemStatusBar;
- (NSStatusItem *)statusItemWithLength:(CGFloat)l;
- (void)removeStatusItem:(NSStatusItem *)i;
@end
