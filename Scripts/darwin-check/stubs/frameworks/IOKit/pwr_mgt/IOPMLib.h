#pragma once
#include <CoreFoundation/CoreFoundation.h>
typedef unsigned int io_object_t;
typedef io_object_t io_connect_t;
typedef io_object_t io_service_t;
typedef int kern_return_t;
typedef kern_return_t IOReturn;
typedef struct IONotificationPort *IONotificationPortRef;
typedef void (*IOServiceInterestCallback)(void *, io_service_t, uint32_t, void *);
io_connect_t IORegisterForSystemPower(void *, IONotificationPortRef *, IOServiceInterestCallback, io_object_t *);
IOReturn IODeregisterForSystemPower(io_object_t *);
IOReturn IOAllowPowerChange(io_connect_t, intptr_t);
kern_return_t IOServiceClose(io_connect_t);
CFRunLoopSourceRef IONotificationPortGetRunLoopSource(IONotificationPortRef);
void IONotificationPortDestroy(IONotificationPortRef);
