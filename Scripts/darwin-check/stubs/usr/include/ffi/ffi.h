#pragma once
#include <stddef.h>
typedef struct _ffi_type {
	size_t size;
	unsigned short alignment;
	unsigned short type;
	struct _ffi_type **elements;
} ffi_type;
typedef enum { FFI_OK = 0, FFI_BAD_TYPEDEF, FFI_BAD_ABI } ffi_status;
typedef enum { FFI_FIRST_ABI = 0, FFI_SYSV, FFI_LAST_ABI, FFI_DEFAULT_ABI = FFI_SYSV } ffi_abi;
typedef struct {
	ffi_abi abi;
	unsigned nargs;
	ffi_type **arg_types;
	ffi_type *rtype;
	unsigned bytes;
	unsigned flags;
	unsigned aarch64_nfixedargs;
} ffi_cif;
typedef unsigned long ffi_arg;
typedef struct {
	void *trampoline_table;
	void *trampoline_table_entry;
	ffi_cif *cif;
	void (*fun)(ffi_cif *, void *, void **, void *);
	void *user_data;
} ffi_closure;
#define FFI_TYPE_STRUCT 13
extern ffi_type ffi_type_void, ffi_type_uint8, ffi_type_sint8, ffi_type_uint16, ffi_type_sint16, ffi_type_uint32, ffi_type_sint32,
	ffi_type_uint64, ffi_type_sint64, ffi_type_float, ffi_type_double, ffi_type_pointer;
ffi_status ffi_prep_cif(ffi_cif *, ffi_abi, unsigned, ffi_type *, ffi_type **);
void ffi_call(ffi_cif *, void (*)(void), void *, void **);
void *ffi_closure_alloc(size_t, void **);
void ffi_closure_free(void *);
ffi_status ffi_prep_closure_loc(ffi_closure *, ffi_cif *, void (*)(ffi_cif *, void *, void **, void *), void *, void *);
