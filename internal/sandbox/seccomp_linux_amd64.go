package sandbox

import (
	"debug/elf"

	"golang.org/x/sys/unix"
)

const (
	auditArch  = unix.AUDIT_ARCH_X86_64
	hasX32     = true
	elfMachine = elf.EM_X86_64
)

// The calls that only this architecture has, each an older form of one in the
// shared lists.
var (
	neverHere    = []uintptr{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS__SYSCTL}
	forkHere     = []uintptr{unix.SYS_FORK, unix.SYS_VFORK}
	metadataHere = []uintptr{
		unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN,
		unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
	}
)

func truncateHere(b *bpf) { b.on(unix.SYS_OPEN, openBlock(1)...) }
