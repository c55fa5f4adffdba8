#include "textflag.h"

// The shim's interpreter; script_linux.go says what a step is. It is copied
// into an executable of its own, so it names no symbol and calls nothing. It
// uses no stack, so that a vfork child may run on its parent's.
//
//	R12  the step at hand
//	AX   the result

// firstStep and firstWord of script_linux.go.
#define FIRST_STEP 0x1000000
#define FAILURE 0x10000000

TEXT ·shimText(SB), NOSPLIT|NOFRAME, $0
	MOVQ $FIRST_STEP, R12

run:
	MOVL 4(R12), DI
	MOVL 8(R12), SI
	MOVL 12(R12), DX
	MOVL 16(R12), R10
	MOVL 20(R12), R8
	MOVL 24(R12), R9
	MOVL 0(R12), AX
	CMPL AX, $-1
	JEQ  load
	SYSCALL

result:
	MOVL 28(R12), BX    // store
	TESTL BX, BX
	JEQ  compare
	MOVL AX, (BX)

compare:
	MOVL 32(R12), BX    // equal to
	TESTL BX, BX
	JEQ  errors
	CMPL AX, (BX)
	JNE  errors
	MOVL 36(R12), R12
	JMP  run

errors:
	CMPQ AX, $-4095
	JCC  failed
	MOVL 44(R12), R12
	JMP  run

failed:
	MOVL 40(R12), BX    // on error
	TESTL BX, BX
	JEQ  report
	MOVL BX, R12
	JMP  run

report:
	MOVQ $FAILURE, SI
	MOVQ R12, 0(SI)
	MOVQ AX, 8(SI)
	MOVL $3, DI         // statusFD
	MOVL $16, DX
	MOVL $1, AX         // write
	SYSCALL
	MOVL $125, DI       // it could not start its plugin; why went over the status pipe
	MOVL $231, AX       // exit_group
	SYSCALL

load:
	MOVLQSX (DI), AX
	JMP  result

	// "SHIM-END", shimEnd of image_linux.go
	LONG $0x4d494853
	LONG $0x444e452d

// func shimCodeAddress() unsafe.Pointer
TEXT ·shimCodeAddress(SB), NOSPLIT, $0-8
	LEAQ ·shimText(SB), AX
	MOVQ AX, ret+0(FP)
	RET
