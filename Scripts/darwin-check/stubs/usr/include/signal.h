#pragma once
#include <sys/types.h>
typedef uint32_t sigset_t;
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
