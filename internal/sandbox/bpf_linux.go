package sandbox

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
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
	opSkip  = unix.BPF_JMP | unix.BPF_JA
	opMask  = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	opRet   = unix.BPF_RET | unix.BPF_K

	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// bpf is a filter under construction: a preamble, then one block per syscall.
// Blocks always end in a verdict, so a block never falls into the next one.
type bpf struct {
	ins    []unix.SockFilter
	blocks []block
}

type block struct {
	nr  uint32
	ins []unix.SockFilter
}

// chunk is how many blocks stand behind one comparison. The kernel runs a new
// filter over every syscall number to learn which are always allowed; a flat
// list of a hundred makes that the dearest part of a start.
const chunk = 8

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

// on sets the block of one syscall. The accumulator holds the number.
func (b *bpf) on(nr uintptr, ins ...unix.SockFilter) {
	b.blocks = append(b.blocks, block{uint32(nr), ins})
}

// finish lays the blocks out, sorted by number, in chunks that are skipped by
// one comparison; what has no block is allowed.
func (b *bpf) finish() *bpf {
	slices.SortStableFunc(b.blocks, func(x, y block) int { return cmp.Compare(x.nr, y.nr) })
	for chunk := range slices.Chunk(b.blocks, chunk) {
		var body []unix.SockFilter
		for _, bl := range chunk {
			body = append(body, jump(opEqual, bl.nr, 0, uint8(len(bl.ins))))
			body = append(body, bl.ins...)
		}
		body = append(body, allow())
		// Past the chunk's last number: on to the next chunk.
		b.add(jump(opAbove, chunk[len(chunk)-1].nr+1, 0, 1), op(opSkip, uint32(len(body))))
		b.add(body...)
	}
	b.add(allow())
	b.blocks = nil
	return b
}

func (b *bpf) deny(errno unix.Errno, numbers ...uintptr) {
	for _, nr := range numbers {
		b.on(nr, fail(errno))
	}
}

// bytes is the filter in the kernel's layout.
func (b *bpf) bytes() ([]byte, error) {
	if len(b.ins) > unix.BPF_MAXINSNS {
		return nil, fmt.Errorf("seccomp: the filter has %d instructions, the kernel takes %d", len(b.ins), unix.BPF_MAXINSNS)
	}
	raw := make([]byte, 0, 8*len(b.ins))
	for _, in := range b.ins {
		raw = binary.NativeEndian.AppendUint16(raw, in.Code)
		raw = append(raw, in.Jt, in.Jf)
		raw = binary.NativeEndian.AppendUint32(raw, in.K)
	}
	return raw, nil
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
