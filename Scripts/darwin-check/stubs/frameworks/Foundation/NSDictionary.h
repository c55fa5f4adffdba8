#pragma once
#import <Foundation/NSArray.h>
@interface NSDictionary : NSObject
- (NSArray *)allKeys;
- (id)objectForKey:(id)k;
- (id)objectForKeyedSubscript:(id)k;
@end
@interface NSMutableDictionary : NSDictionary
+ (id)dictionaryWithCapacity:(NSUInteger)n;
- (void)setObject:(id)o forKey:(id<NSCopying>)k;
@end
