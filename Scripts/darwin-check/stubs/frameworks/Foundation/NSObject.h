#pragma once
#include <stdlib.h>
#include <string.h>
#import <objc/NSObject.h>
#define IBAction void
typedef unsigned char Byte;
@protocol NSCopying
@end
