#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
/* bool on Apple silicon, signed char on Intel, as the runtime has it. */
#if __arm64__
typedef bool BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#else
typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#endif
#define nil ((void *)0)
#ifdef __OBJC__
@class Protocol;
#else
typedef struct objc_class *Class;
typedef struct objc_object *id;
typedef struct objc_selector *SEL;
typedef struct objc_object Protocol;
#endif
typedef void (*IMP)(void);
