#import <Cocoa/Cocoa.h>
#import <QuartzCore/CALayer.h>
#import <QuartzCore/CATransaction.h>
#include <stdlib.h>
#include <string.h>
#include "window_darwin.h"

// A window without a frame gets no keys unless it says that it can.
@interface FlashPanel : NSPanel
@end

@implementation FlashPanel
- (BOOL)canBecomeKeyWindow { return YES; }
- (BOOL)canBecomeMainWindow { return NO; }
@end

// FlashView shows the panel's picture. It is the box to the input methods and to
// accessibility; what is in the box only the panel knows.
@interface FlashView : NSView <NSTextInputClient, NSWindowDelegate>
@end

// Go calls in here from the main queue, which may go without an autorelease pool
// of its own for long: each function that it calls has one.

static FlashPanel *panel;
static FlashView *view;
static int shown;
// The lines as accessibility knows them, by their place. It refers to them without
// keeping them, and loses its own place in a list whose lines are others each
// time that it asks.
static NSMutableArray *rows;

static const char *utf8(NSString *s) { return s ? [s UTF8String] : ""; }

// plainText is the text of what an input method gives: a string with or without
// attributes.
static NSString *plainText(id s) { return [s isKindOfClass:[NSAttributedString class]] ? [s string] : s; }

// taken makes a string of text that the panel has allocated.
static NSString *taken(char *s) {
	NSString *out = [NSString stringWithUTF8String:s ? s : ""];
	free(s);
	return out;
}

@implementation FlashView

- (BOOL)acceptsFirstResponder { return YES; }
- (BOOL)acceptsFirstMouse:(NSEvent *)e { return YES; }

- (int)key:(NSEvent *)e {
	return flashPanelKey([e keyCode], (uint32_t)[e modifierFlags], (char *)utf8([e characters]), (char *)utf8([e charactersIgnoringModifiers]));
}

- (void)keyDown:(NSEvent *)e {
	if (![self key:e]) [self interpretKeyEvents:[NSArray arrayWithObject:e]];
}

// Keys with Command come here instead of keyDown.
- (BOOL)performKeyEquivalent:(NSEvent *)e {
	if (!([e modifierFlags] & NSEventModifierFlagCommand)) return NO;
	return [self key:e] ? YES : NO;
}

- (void)flagsChanged:(NSEvent *)e { flashPanelFlags((uint32_t)[e modifierFlags]); }

// fromTop is where an event is, from the upper left corner.
- (NSPoint)fromTop:(NSEvent *)e {
	NSPoint p = [self convertPoint:[e locationInWindow] fromView:nil];
	p.y = [self bounds].size.height - p.y;
	return p;
}

- (void)click:(NSEvent *)e button:(int)button {
	NSPoint p = [self fromTop:e];
	flashPanelClick(button, p.x, p.y, ([e modifierFlags] & NSEventModifierFlagShift) != 0, [e clickCount] == 2);
}

- (void)mouseDown:(NSEvent *)e { [self click:e button:1]; }
- (void)rightMouseDown:(NSEvent *)e { [self click:e button:3]; }
- (void)otherMouseDown:(NSEvent *)e { [self click:e button:2]; }

- (void)mouseMoved:(NSEvent *)e {
	NSPoint p = [self fromTop:e];
	flashPanelMoved(p.x, p.y);
}

- (void)mouseExited:(NSEvent *)e { flashPanelMoved(-1, -1); }

- (void)scrollWheel:(NSEvent *)e {
	NSPoint p = [self fromTop:e];
	flashPanelScrolled(p.x, p.y, [e scrollingDeltaY], [e hasPreciseScrollingDeltas]);
}

- (void)viewDidChangeEffectiveAppearance {
	[super viewDidChangeEffectiveAppearance];
	flashPanelChanged();
}

- (void)viewDidChangeBackingProperties {
	[super viewDidChangeBackingProperties];
	flashPanelChanged();
}

- (void)windowDidResignKey:(NSNotification *)n { flashPanelResigned(); }

// What follows is asked by input methods.

- (void)insertText:(id)s replacementRange:(NSRange)r {
	int64_t from = -1, to = -1;
	if (r.location != NSNotFound) {
		from = (int64_t)r.location;
		to = (int64_t)(r.location + r.length);
	}
	flashPanelWrote((char *)utf8(plainText(s)), from, to);
}

- (void)doCommandBySelector:(SEL)s { flashPanelMeans((char *)sel_getName(s)); }

- (void)setMarkedText:(id)s selectedRange:(NSRange)sel replacementRange:(NSRange)r { flashPanelComposes((char *)utf8(plainText(s))); }

// What was composed stays; an input method that takes it back marks nothing.
- (void)unmarkText { flashPanelKept(); }

- (NSRange)selectedRange {
	int64_t w[4];
	flashPanelWritten(w);
	return NSMakeRange(w[2], w[3] - w[2]);
}

- (NSRange)markedRange {
	int64_t w[4];
	flashPanelWritten(w);
	return w[1] ? NSMakeRange(w[0], w[1]) : NSMakeRange(NSNotFound, 0);
}

- (BOOL)hasMarkedText {
	int64_t w[4];
	flashPanelWritten(w);
	return w[1] != 0;
}

- (NSAttributedString *)attributedSubstringForProposedRange:(NSRange)r actualRange:(NSRangePointer)actual {
	NSString *s = taken(flashPanelSubstring((int64_t)r.location, (int64_t)(r.location + r.length)));
	if (actual) *actual = NSMakeRange(r.location, [s length]);
	return [[[NSAttributedString alloc] initWithString:s] autorelease];
}

- (NSArray *)validAttributesForMarkedText { return [NSArray array]; }

- (NSRect)firstRectForCharacterRange:(NSRange)r actualRange:(NSRangePointer)actual {
	double c[4];
	flashPanelCaret(c);
	NSRect at = NSMakeRect(c[0], [self bounds].size.height - c[1] - c[3], c[2], c[3]);
	if (actual) *actual = r;
	return [[self window] convertRectToScreen:[self convertRect:at toView:nil]];
}

- (NSUInteger)characterIndexForPoint:(NSPoint)p { return NSNotFound; }

// What follows is asked by accessibility, and by nobody else.

- (BOOL)isAccessibilityElement { return YES; }
- (NSAccessibilityRole)accessibilityRole { return NSAccessibilityTextFieldRole; }
- (NSString *)accessibilityLabel { return @"Flash"; }
- (id)accessibilityValue { return taken(flashPanelText()); }
- (NSInteger)accessibilityNumberOfCharacters { return (NSInteger)[taken(flashPanelText()) length]; }
- (NSRange)accessibilitySelectedTextRange { return [self selectedRange]; }
- (NSString *)accessibilityStringForRange:(NSRange)r { return taken(flashPanelSubstring((int64_t)r.location, (int64_t)(r.location + r.length))); }
- (BOOL)isAccessibilityFocused { return [[self window] isKeyWindow]; }

- (NSArray *)accessibilityChildren {
	NSMutableArray *lines = [NSMutableArray arrayWithCapacity:16];
	flashPanelLines(lines);
	if ([rows count] > [lines count]) [rows removeObjectsInRange:NSMakeRange([lines count], [rows count] - [lines count])];
	return lines;
}

@end

void flashAddLine(void *lines, const char *label, double x, double y, double w, double h, int selected) {
	// Frames count from the lower left corner of the parent.
	NSRect r = NSMakeRect(x, [view bounds].size.height - y - h, w, h);
	NSUInteger at = [(NSMutableArray *)lines count];
	NSString *text = [NSString stringWithUTF8String:label];
	if (!rows) rows = [[NSMutableArray alloc] init];
	if (at == [rows count]) {
		[rows addObject:[NSAccessibilityElement accessibilityElementWithRole:NSAccessibilityRowRole frame:r label:text parent:view]];
	}
	NSAccessibilityElement *line = [rows objectAtIndex:at];
	[line setAccessibilityLabel:text];
	[line setAccessibilityFrameInParentSpace:r];
	[line setAccessibilitySelected:selected ? YES : NO];
	[(NSMutableArray *)lines addObject:line];
}

// The panel floats over everything on the Space that shows, also over a window
// that fills its screen, and takes the keys without making Flash the active
// application: the one that is active keeps its menu bar and its caret.
void flashPanelMake(void) {
	@autoreleasepool {
		if (panel) return;
		panel = [[FlashPanel alloc] initWithContentRect:NSMakeRect(0, 0, 1, 1)
			styleMask:NSWindowStyleMaskBorderless | NSWindowStyleMaskNonactivatingPanel backing:NSBackingStoreBuffered defer:YES];
		[panel setFloatingPanel:YES];
		[panel setLevel:NSFloatingWindowLevel];
		[panel setCollectionBehavior:NSWindowCollectionBehaviorCanJoinAllSpaces | NSWindowCollectionBehaviorFullScreenAuxiliary |
			NSWindowCollectionBehaviorStationary | NSWindowCollectionBehaviorIgnoresCycle];
		[panel setAnimationBehavior:NSWindowAnimationBehaviorNone];
		// Flash is never active, and a panel that hid with that would never show.
		[panel setHidesOnDeactivate:NO];
		[panel setReleasedWhenClosed:NO];
		[panel setBecomesKeyOnlyIfNeeded:NO];
		[panel setWorksWhenModal:YES];
		[panel setMovable:NO];
		[panel setOpaque:NO];
		[panel setBackgroundColor:[NSColor clearColor]];
		[panel setHasShadow:YES];
		[panel setAcceptsMouseMovedEvents:YES];
		[panel setTitle:@"Flash"];
		view = [[FlashView alloc] initWithFrame:NSMakeRect(0, 0, 1, 1)];
		[view setWantsLayer:YES];
		[view setLayerContentsRedrawPolicy:NSViewLayerContentsRedrawNever];
		[view setAutoresizingMask:NSViewWidthSizable | NSViewHeightSizable];
		[[view layer] setContentsGravity:kCAGravityTopLeft];
		NSTrackingArea *area = [[NSTrackingArea alloc] initWithRect:NSMakeRect(0, 0, 0, 0)
			options:NSTrackingMouseMoved | NSTrackingMouseEnteredAndExited | NSTrackingActiveAlways | NSTrackingInVisibleRect owner:view userInfo:nil];
		[view addTrackingArea:area];
		[area release];
		[panel setContentView:view];
		[panel setDelegate:view];
	}
}

void flashPanelTake(void) {
	@autoreleasepool {
		flashPanelMake();
		if (!shown) {
			// It has the keys before it has a picture.
			[panel setAlphaValue:0];
			[panel setIgnoresMouseEvents:YES];
			[panel orderFrontRegardless];
		}
		[panel makeKeyWindow];
		[panel makeFirstResponder:view];
	}
}

static CGImageRef picture(const void *pix, int w, int h, int stride) {
	CFDataRef data = CFDataCreate(NULL, pix, (CFIndex)h * stride);
	if (!data) return NULL;
	CGDataProviderRef provider = CGDataProviderCreateWithCFData(data);
	CGColorSpaceRef space = CGColorSpaceCreateWithName(kCGColorSpaceSRGB);
	CGImageRef image = CGImageCreate(w, h, 8, 32, stride, space, kCGImageAlphaPremultipliedFirst | kCGBitmapByteOrder32Little, provider, NULL, false, kCGRenderingIntentDefault);
	CGColorSpaceRelease(space);
	CGDataProviderRelease(provider);
	CFRelease(data);
	return image;
}

void flashPanelPut(const void *pix, int w, int h, int stride, double scale, double x, double y, double width, double height) {
	@autoreleasepool {
		flashPanelMake();
		CGImageRef image = picture(pix, w, h, stride);
		NSRect old = [panel frame], now = NSMakeRect(x, y, width, height);
		int moved = memcmp(&old, &now, sizeof now) != 0;
		if (moved) [panel setFrame:now display:NO];
		[[view layer] setContentsScale:scale];
		[[view layer] setContents:(id)image];
		CGImageRelease(image);
		// Before the window shows, and its shadow is made of what is in it.
		[CATransaction flush];
		if (!shown) {
			shown = 1;
			[panel setIgnoresMouseEvents:NO];
			[panel setAlphaValue:1];
		}
		if (moved) [panel invalidateShadow];
		[[view inputContext] invalidateCharacterCoordinates];
	}
}

void flashPanelConceal(void) {
	@autoreleasepool {
		shown = 0;
		[panel orderOut:nil];
	}
}

void flashPanelSettle(void) {
	@autoreleasepool {
		[[view inputContext] discardMarkedText];
	}
}

void flashPanelRelease(void) {
	@autoreleasepool {
		[[view layer] setContents:nil];
		[rows removeAllObjects];
	}
}

void flashPanelEdited(void) {
	@autoreleasepool {
		NSAccessibilityPostNotification(view, NSAccessibilityValueChangedNotification);
	}
}

void flashPanelSay(const char *text) {
	@autoreleasepool {
		NSMutableDictionary *info = [NSMutableDictionary dictionaryWithCapacity:2];
		[info setObject:[NSString stringWithUTF8String:text] forKey:NSAccessibilityAnnouncementKey];
		[info setObject:[NSNumber numberWithInteger:NSAccessibilityPriorityHigh] forKey:NSAccessibilityPriorityKey];
		NSAccessibilityPostNotificationWithUserInfo(panel, NSAccessibilityAnnouncementRequestedNotification, info);
	}
}

int flashListened(void) {
	@autoreleasepool {
		return [[NSWorkspace sharedWorkspace] isVoiceOverEnabled];
	}
}

// The main screen is the one whose window gets the keys, of whatever
// application.
void flashMonitor(double *out) {
	@autoreleasepool {
		NSScreen *s = [NSScreen mainScreen];
		memset(out, 0, 5 * sizeof *out);
		if (!s) return; // all are off
		NSRect r = [s visibleFrame];
		out[0] = r.origin.x;
		out[1] = r.origin.y;
		out[2] = r.size.width;
		out[3] = r.size.height;
		out[4] = [s backingScaleFactor];
	}
}

void flashAppearance(int *dark, int *contrast) {
	@autoreleasepool {
		NSArray *names = [NSArray arrayWithObjects:NSAppearanceNameAqua, NSAppearanceNameDarkAqua, nil];
		NSString *best = [[[NSApplication sharedApplication] effectiveAppearance] bestMatchFromAppearancesWithNames:names];
		*dark = best && strcmp([best UTF8String], [NSAppearanceNameDarkAqua UTF8String]) == 0;
		*contrast = [[NSWorkspace sharedWorkspace] accessibilityDisplayShouldIncreaseContrast];
	}
}

uint32_t flashModifiers(void) {
	@autoreleasepool {
		return (uint32_t)[NSEvent modifierFlags];
	}
}

char *flashClipboard(void) {
	@autoreleasepool {
		NSString *s = [[NSPasteboard generalPasteboard] stringForType:NSPasteboardTypeString];
		const char *text = s ? [s UTF8String] : NULL; // none where it is no text
		return text ? strdup(text) : NULL;
	}
}

int flashIcon(const char *path, void *pix, int size) {
	@autoreleasepool {
		NSImage *icon = [[NSWorkspace sharedWorkspace] iconForFile:[NSString stringWithUTF8String:path]];
		NSRect want = NSMakeRect(0, 0, size, size);
		CGImageRef image = [icon CGImageForProposedRect:&want context:nil hints:nil];
		if (!image) return 0;
		CGColorSpaceRef space = CGColorSpaceCreateWithName(kCGColorSpaceSRGB);
		CGContextRef context = CGBitmapContextCreate(pix, size, size, 8, (size_t)size * 4, space, kCGImageAlphaPremultipliedFirst | kCGBitmapByteOrder32Little);
		CGColorSpaceRelease(space);
		if (!context) return 0;
		CGContextSetInterpolationQuality(context, kCGInterpolationHigh);
		// Want may have become the picture's own.
		CGContextDrawImage(context, NSMakeRect(0, 0, size, size), image);
		CGContextRelease(context);
		return 1;
	}
}
