#pragma once
#include <stdint.h>
typedef struct dispatch_queue_s *dispatch_queue_t;
typedef void *dispatch_object_t;
typedef void (*dispatch_function_t)(void *);
typedef void (^dispatch_block_t)(void);
extern struct dispatch_queue_s _dispatch_main_q;
static inline dispatch_queue_t dispatch_get_main_queue(void) { return &_dispatch_main_q; }
dispatch_queue_t dispatch_get_global_queue(intptr_t, uintptr_t);
void dispatch_retain(dispatch_object_t);
void dispatch_release(dispatch_object_t);
void dispatch_async(dispatch_queue_t, dispatch_block_t);
void dispatch_sync(dispatch_queue_t, dispatch_block_t);
void dispatch_async_f(dispatch_queue_t, void *, dispatch_function_t);
