#pragma once
#import <Foundation/NSObject.h>
#include <CoreGraphics/CoreGraphics.h>
@interface CALayer : NSObject
- (void)setContents:(id)contents;
- (void)setContentsScale:(CGFloat)scale;
- (void)setContentsGravity:(NSString *)gravity;
@end
extern NSString *const kCAGravityTopLeft;
extern NSString *const kCAGravityBottomLeft;
