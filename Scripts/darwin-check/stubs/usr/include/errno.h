#pragma once
extern int *__error(void);
#define errno (*__error())
#define EAGAIN 35
#define ENOMEM 12
