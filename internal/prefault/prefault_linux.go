package prefault

import (
	"syscall"
	"unsafe"
)

func init() { program() }

const (
	auxvSize    = 1 << 10 // the kernel hands over some 20 pairs of 16 bytes
	auxHeaders  = 3       // AT_PHDR: where the program headers are mapped
	auxCount    = 5       // AT_PHNUM
	segmentLoad = 1       // PT_LOAD
	executable  = 1       // PF_X
	populate    = 22      // MADV_POPULATE_READ, since Linux 5.14
)

// header is a program header of a 64-bit ELF file.
type header struct {
	kind, flags           uint32
	offset, address, phys uintptr
	fileSize, size, align uintptr
}

// program maps the text of the running program. Its constant data is as large
// and touched in fewer places. It gives up silently: then each page comes when it
// is touched, as ever.
func program() {
	for _, h := range headers() {
		if h.kind != segmentLoad || h.flags&executable == 0 {
			continue
		}
		page := uintptr(syscall.Getpagesize())
		start := h.address &^ (page - 1)
		size := (h.address + h.size - start + page - 1) &^ (page - 1)
		_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, start, size, populate)
	}
}

// headers finds the program headers as the C library does, by the auxiliary
// vector. A program that is not linked to fixed addresses is left alone.
func headers() []header {
	fd, err := syscall.Open("/proc/self/auxv", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	var pairs [auxvSize / 16][2]uintptr
	n, err := syscall.Read(fd, unsafe.Slice((*byte)(unsafe.Pointer(&pairs)), auxvSize))
	if err != nil {
		return nil
	}
	var at unsafe.Pointer
	var count uintptr
	for _, p := range pairs[:n/16] {
		switch p[0] {
		case auxHeaders:
			at = *(*unsafe.Pointer)(unsafe.Pointer(&p[1]))
		case auxCount:
			count = p[1]
		}
	}
	if at == nil {
		return nil
	}
	return unsafe.Slice((*header)(at), count)
}
