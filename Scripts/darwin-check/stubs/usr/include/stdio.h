#pragma once
#include <stddef.h>
#include <stdarg.h>
typedef struct __sFILE FILE;
extern FILE *__stderrp;
extern FILE *__stdoutp;
#define stderr __stderrp
#define stdout __stdoutp
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int vfprintf(FILE *, const char *, va_list);
int snprintf(char *, size_t, const char *, ...);
int fputc(int, FILE *);
