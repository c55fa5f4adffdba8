#pragma once
#import <Foundation/NSObject.h>
@interface NSData : NSObject
+ (id)data;
+ (id)dataWithBytes:(const void *)b length:(NSUInteger)n;
- (const void *)bytes;
@property (readonly) NSUInteger length;
@end
