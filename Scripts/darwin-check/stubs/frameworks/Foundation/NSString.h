#pragma once
#import <Foundation/NSObject.h>
@interface NSString : NSObject <NSCopying>
+ (id)stringWithUTF8String:(const char *)s;
- (const char *)UTF8String;
@end
