#include "textflag.h"

// One trampoline for each function of libSystem that mach_darwin.go names: Go
// code cannot take the address of an imported symbol itself.

TEXT host_self<>(SB),NOSPLIT,$0-0
	JMP	flash_mach_host_self(SB)
GLOBL	·hostSelf(SB), RODATA, $8
DATA	·hostSelf(SB)/8, $host_self<>(SB)

TEXT task_self<>(SB),NOSPLIT,$0-0
	JMP	flash_mach_task_self(SB)
GLOBL	·taskSelf(SB), RODATA, $8
DATA	·taskSelf(SB)/8, $task_self<>(SB)

TEXT processor_info<>(SB),NOSPLIT,$0-0
	JMP	flash_host_processor_info(SB)
GLOBL	·hostProcessorInfo(SB), RODATA, $8
DATA	·hostProcessorInfo(SB)/8, $processor_info<>(SB)

TEXT statistics64<>(SB),NOSPLIT,$0-0
	JMP	flash_host_statistics64(SB)
GLOBL	·hostStatistics64(SB), RODATA, $8
DATA	·hostStatistics64(SB)/8, $statistics64<>(SB)

TEXT deallocate<>(SB),NOSPLIT,$0-0
	JMP	flash_vm_deallocate(SB)
GLOBL	·vmDeallocate(SB), RODATA, $8
DATA	·vmDeallocate(SB)/8, $deallocate<>(SB)
