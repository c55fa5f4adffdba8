package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shimCodeAddress is where shimText begins in this program.
func shimCodeAddress() unsafe.Pointer

const (
	// shimEnd follows the last instruction of shimText.
	shimEnd = "SHIM-END"
	// shimCodeCap bounds the search for it; the code takes 200 bytes or so.
	shimCodeCap = 2048
	// codeBase is where the shim's code is loaded, below the script.
	codeBase = 0x400000
	// segment aligns the parts of the image: the largest page of any kernel.
	segment = 0x10000
)

// shimCode is the interpreter's instructions. They are copied out of this
// program, so that the shim needs no file of its own beside it: a test binary
// starts children as the host does.
var shimCode = sync.OnceValues(func() ([]byte, error) {
	code := unsafe.Slice((*byte)(shimCodeAddress()), shimCodeCap)
	end := bytes.Index(code, []byte(shimEnd))
	if end < 0 {
		return nil, errors.New("the namespace shim's code has no end; this build is broken")
	}
	return code[:end], nil
})

// image makes the script an executable file in memory.
func (s *script) image() (fd int, err error) {
	code, err := shimCode()
	if err != nil {
		return -1, err
	}
	steps := s.encode()
	up := func(n int) uint64 { return uint64(n+segment-1) / segment * segment }
	dataAt := uint64(segment)
	stepsAt := dataAt + up(len(s.data))

	const headers = 64 + 4*56
	var head bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elfMachine), Version: uint32(elf.EV_CURRENT),
		Entry: codeBase + headers, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 4,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	load := func(offset, address uint64, size int, flags elf.ProgFlag) elf.Prog64 {
		return elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Off: offset, Vaddr: address, Paddr: address,
			Filesz: uint64(size), Memsz: uint64(size), Align: segment,
		}
	}
	for _, part := range []any{
		h,
		load(0, codeBase, headers+len(code), elf.PF_R|elf.PF_X),
		load(stepsAt, firstStep, len(steps), elf.PF_R|elf.PF_W),
		load(dataAt, firstWord, len(s.data), elf.PF_R|elf.PF_W),
		elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W)},
	} {
		if err := binary.Write(&head, binary.LittleEndian, part); err != nil {
			return -1, err
		}
	}
	head.Write(code)

	if fd, err = memoryFile(); err != nil {
		return -1, err
	}
	for _, part := range []struct {
		at    uint64
		bytes []byte
	}{{0, head.Bytes()}, {dataAt, s.data}, {stepsAt, steps}} {
		if _, err := unix.Pwrite(fd, part.bytes, int64(part.at)); err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("write the namespace shim: %w", err)
		}
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("seal the namespace shim: %w", err)
	}
	return fd, nil
}

// memoryFile is an executable file without a name in any file system. Kernels
// before 6.3 do not know that one may ask for it to be executable.
func memoryFile() (int, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("flash-sandbox", flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate("flash-sandbox", flags)
	}
	if err != nil {
		return -1, fmt.Errorf("memory for the namespace shim: %w", err)
	}
	return fd, nil
}
