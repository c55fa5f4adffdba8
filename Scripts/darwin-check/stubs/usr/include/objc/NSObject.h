#pragma once
#include <objc/runtime.h>
typedef long NSInteger;
typedef unsigned long NSUInteger;
@class NSString;
@protocol NSObject
- (Class)class;
- (BOOL)isKindOfClass:(Class)c;
- (BOOL)isMemberOfClass:(Class)c;
- (BOOL)respondsToSelector:(SEL)s;
- (BOOL)conformsToProtocol:(Protocol *)p;
- (BOOL)isProxy;
- (id)performSelector:(SEL)s;
- (id)performSelector:(SEL)s withObject:(id)a;
- (id)performSelector:(SEL)s withObject:(id)a withObject:(id)b;
- (id)retain;
- (oneway void)release;
- (id)autorelease;
- (NSUInteger)retainCount;
- (NSString *)description;
@end
__attribute__((objc_root_class))
@interface NSObject <NSObject> {
	Class isa;
}
+ (id)new;
+ (id)alloc;
- (id)init;
- (id)copy;
- (id)mutableCopy;
- (void)dealloc;
@end
