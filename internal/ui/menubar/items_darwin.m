#import <Cocoa/Cocoa.h>
#include "items_darwin.h"

// FlashItems is whom the buttons and the menus tell.
@interface FlashItems : NSObject
@end

@implementation FlashItems

- (void)clicked:(id)sender {
	NSEvent *e = [[NSApplication sharedApplication] currentEvent];
	int button = 1, ask = 0;
	switch ([e type]) {
	case NSEventTypeRightMouseUp:
		button = 3;
		break;
	case NSEventTypeOtherMouseUp:
		button = 2;
		break;
	case NSEventTypeLeftMouseUp:
		// Control makes a left click a right one on every Mac.
		if ([e modifierFlags] & NSEventModifierFlagControl) button = 3;
		break;
	default: // pressed through accessibility
		break;
	}
	if (e) ask = ([e modifierFlags] & NSEventModifierFlagOption) != 0;
	flashItemClicked((int)[(NSButton *)sender tag], button, ask);
}

- (void)picked:(id)sender { flashMenuPicked((int)[(NSMenuItem *)sender tag]); }

@end

// Go calls in here from the main queue, which may go without an autorelease pool
// of its own for long: each function that it calls has one.

static FlashItems *target;
static NSMutableArray *items;            // NSStatusItem, from the right
static NSMutableAttributedString *title; // of the item that is begun
static NSMenu *menu;                     // the one that is begun
static NSMenu *opened;                   // the last one: what was picked may be told after it closed

static NSColor *colour(int kind, uint32_t rgb) {
	switch (kind) { // in the order of Kind
	case 1: return [NSColor secondaryLabelColor];
	case 2: return [NSColor systemRedColor];
	case 3: return [NSColor systemGreenColor];
	case 4: return [NSColor systemYellowColor];
	case 5: return [NSColor systemBlueColor];
	case 6: return [NSColor systemPurpleColor];
	case 7: return [NSColor systemTealColor];
	case 8: return [NSColor systemGrayColor];
	case 9: return [NSColor windowBackgroundColor];
	case 10: return [NSColor colorWithSRGBRed:(rgb >> 16 & 255) / 255.0 green:(rgb >> 8 & 255) / 255.0 blue:(rgb & 255) / 255.0 alpha:1];
	}
	return nil;
}

void flashItemPart(const char *text, int ink, uint32_t rgb, int ground, uint32_t groundRGB, int bold, int italic, int underline) {
	@autoreleasepool {
		if (!title) title = [[NSMutableAttributedString alloc] initWithString:@""];
		NSMutableDictionary *look = [NSMutableDictionary dictionaryWithCapacity:5];
		// Digits of one width: the item must not shake with its figures.
		[look setObject:[NSFont monospacedDigitSystemFontOfSize:[[NSFont menuBarFontOfSize:0] pointSize] weight:bold ? NSFontWeightBold : NSFontWeightRegular]
			forKey:NSFontAttributeName];
		NSColor *front = colour(ink, rgb), *back = colour(ground, groundRGB);
		if (front) [look setObject:front forKey:NSForegroundColorAttributeName];
		if (back) [look setObject:back forKey:NSBackgroundColorAttributeName];
		if (italic) [look setObject:[NSNumber numberWithDouble:0.2] forKey:NSObliquenessAttributeName];
		if (underline) [look setObject:[NSNumber numberWithInteger:1] forKey:NSUnderlineStyleAttributeName];
		NSAttributedString *part = [[NSAttributedString alloc] initWithString:[NSString stringWithUTF8String:text] attributes:look];
		[title appendAttributedString:part];
		[part release];
	}
}

void flashItemSet(int at, const char *hover, const char *spoken) {
	@autoreleasepool {
		if (!items) {
			items = [[NSMutableArray alloc] init];
			target = [[FlashItems alloc] init];
		}
		if (at == (int)[items count]) {
			NSStatusItem *item = [[NSStatusBar systemStatusBar] statusItemWithLength:NSVariableStatusItemLength];
			[items addObject:item];
			NSButton *button = [item button];
			[button setTag:at];
			[button setTarget:target];
			[button setAction:@selector(clicked:)];
			[button sendActionOn:NSEventMaskLeftMouseUp | NSEventMaskRightMouseUp | NSEventMaskOtherMouseUp];
		}
		NSButton *button = [(NSStatusItem *)[items objectAtIndex:at] button];
		if (title) [button setAttributedTitle:title];
		[title release];
		title = nil;
		[button setToolTip:*hover ? [NSString stringWithUTF8String:hover] : nil];
		[button setAccessibilityLabel:[NSString stringWithUTF8String:spoken]];
	}
}

void flashItemsKeep(int n) {
	@autoreleasepool {
		while ((int)[items count] > n) {
			[[NSStatusBar systemStatusBar] removeStatusItem:[items lastObject]];
			[items removeLastObject];
		}
	}
}

static void begin(void) {
	if (menu) return;
	menu = [[NSMenu alloc] initWithTitle:@""];
	[menu setAutoenablesItems:NO];
}

void flashMenuEntry(const char *text, int tag, int can) {
	@autoreleasepool {
		begin();
		NSMenuItem *i = [[NSMenuItem alloc] initWithTitle:[NSString stringWithUTF8String:text] action:@selector(picked:) keyEquivalent:@""];
		[i setTag:tag];
		[i setTarget:target];
		[i setEnabled:can ? YES : NO];
		[menu addItem:i];
		[i release];
	}
}

void flashMenuLine(void) {
	@autoreleasepool {
		begin();
		[menu addItem:[NSMenuItem separatorItem]];
	}
}

// flashMenuPop opens the menu where the item's own would: an item that always had
// one would never tell of a click. It returns when the menu is closed.
void flashMenuPop(int at) {
	@autoreleasepool {
		// It may go while its menu is open.
		NSStatusItem *item = [[[items objectAtIndex:at] retain] autorelease];
		[opened release];
		opened = menu;
		menu = nil;
		[item setMenu:opened];
		[[item button] performClick:nil];
		[item setMenu:nil];
	}
}
