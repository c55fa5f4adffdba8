#pragma once
#include <sys/types.h>
int chdir(const char *);
int close(int);
ssize_t write(int, const void *, size_t);
