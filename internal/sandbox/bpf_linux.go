package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The few BPF instructions a seccomp filter needs. A filter runs over
// seccomp_data: nr at 0, arch at 4, the instruction pointer at 8, six 64-bit
// arguments from 16 on.
const (
	opLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	opEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	opAbove = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	opBits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	opMask  = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	opRet   = unix.BPF_RET | unix.BPF_K

	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// bpf is a filter under construction. Blocks of instructions always end in a
// verdict, so a block never falls into the next one.
type bpf struct{ ins []unix.SockFilter }

func op(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no}
}

func low(arg int) unix.SockFilter  { return op(opLoad, uint32(offsetArgs+8*arg)) }
func high(arg int) unix.SockFilter { return op(opLoad, uint32(offsetArgs+8*arg+4)) }

func allow() unix.SockFilter { return op(opRet, unix.SECCOMP_RET_ALLOW) }
func kill() unix.SockFilter  { return op(opRet, unix.SECCOMP_RET_KILL_PROCESS) }
func fail(errno unix.Errno) unix.SockFilter {
	return op(opRet, unix.SECCOMP_RET_ERRNO|uint32(errno))
}

func (b *bpf) add(ins ...unix.SockFilter) { b.ins = append(b.ins, ins...) }

// on runs the block for one syscall; the accumulator holds the number before
// and after.
func (b *bpf) on(nr uintptr, block ...unix.SockFilter) {
	b.add(jump(opEqual, uint32(nr), 0, uint8(len(block))))
	b.add(block...)
}

func (b *bpf) deny(errno unix.Errno, numbers ...uintptr) {
	for _, nr := range numbers {
		b.on(nr, fail(errno))
	}
}

// install puts the filter on the calling thread only. no_new_privs has to be
// set. It returns when the filter is in force.
func (b *bpf) install() error {
	if len(b.ins) > unix.BPF_MAXINSNS {
		return fmt.Errorf("seccomp: the filter has %d instructions, the kernel takes %d", len(b.ins), unix.BPF_MAXINSNS)
	}
	prog := unix.SockFprog{Len: uint16(len(b.ins)), Filter: &b.ins[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
