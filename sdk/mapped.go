package sdk

import "syscall"

// mappedSize is from where on a catalogue's frame lives in memory of its own
// instead of Go's heap: what the heap once grew by stays with the process, and
// a plugin's largest frame is often the one of its start.
const mappedSize = 64 << 10

// mapBuffer returns an empty buffer of that capacity, off the heap if it is
// large. unmapBuffer gives it back; until then nothing else does.
func mapBuffer(size int) []byte {
	if size < mappedSize {
		return make([]byte, 0, size)
	}
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil { // a sandbox or a limit in the way: the heap will do
		return make([]byte, 0, size)
	}
	return b[:0]
}

// unmapBuffer gives back what mapBuffer returned, and does nothing for a buffer
// of the heap. Unmap knows its own maps and refuses what is none.
func unmapBuffer(b []byte) {
	if cap(b) >= mappedSize {
		_ = syscall.Munmap(b[:cap(b)])
	}
}
