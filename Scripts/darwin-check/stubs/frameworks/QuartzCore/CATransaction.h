#pragma once
#import <Foundation/NSObject.h>
@interface CATransaction : NSObject
+ (void)flush;
@end
