#include "textflag.h"

// The shim's interpreter; shimcode_linux_amd64.s says more.
//
//	R19  the step at hand
//	R0   the result

#define FIRST_STEP 0x1000000
#define FAILURE 0x10000000

TEXT ·shimText(SB), NOSPLIT|NOFRAME, $0
	MOVD $FIRST_STEP, R19

run:
	MOVWU 4(R19), R0
	MOVWU 8(R19), R1
	MOVWU 12(R19), R2
	MOVWU 16(R19), R3
	MOVWU 20(R19), R4
	MOVWU 24(R19), R5
	MOVW  0(R19), R8
	CMPW  $-1, R8
	BEQ   load
	SVC

result:
	MOVWU 28(R19), R9   // store
	CBZ   R9, compare
	MOVW  R0, (R9)

compare:
	MOVWU 32(R19), R9   // equal to
	CBZ   R9, errors
	MOVW  (R9), R10
	CMPW  R10, R0
	BNE   errors
	MOVWU 36(R19), R19
	B     run

errors:
	CMN   $4095, R0
	BHS   failed
	MOVWU 44(R19), R19
	B     run

failed:
	MOVWU 40(R19), R9   // on error
	CBZ   R9, report
	MOVD  R9, R19
	B     run

report:
	MOVD  $FAILURE, R1
	MOVD  R19, 0(R1)
	MOVD  R0, 8(R1)
	MOVD  $3, R0        // statusFD
	MOVD  $16, R2
	MOVD  $64, R8       // write
	SVC
	MOVD  $125, R0      // it could not start its plugin; why went over the status pipe
	MOVD  $94, R8       // exit_group
	SVC

load:
	MOVW  (R0), R0
	B     result

	// "SHIM-END", shimEnd of image_linux.go
	WORD $0x4d494853
	WORD $0x444e452d

// func shimCodeAddress() unsafe.Pointer
TEXT ·shimCodeAddress(SB), NOSPLIT, $0-8
	MOVD $·shimText(SB), R0
	MOVD R0, ret+0(FP)
	RET
