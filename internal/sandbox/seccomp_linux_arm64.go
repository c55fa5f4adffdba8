package sandbox

import (
	"debug/elf"

	"golang.org/x/sys/unix"
)

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	hasX32     = false
	elfMachine = elf.EM_AARCH64
)

// arm64 has only the newer calls.
var (
	neverHere    []uintptr
	forkHere     []uintptr
	metadataHere []uintptr
)

func truncateHere(*bpf) {}
