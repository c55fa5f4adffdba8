package browsers

import (
	"encoding/binary"
	"errors"
)

// magic begins a file of Mozilla's: the length of what it holds follows, and
// one LZ4 block.
const magic = "mozLz40\x00"

// maxStore bounds a session store. Those of people who keep thousands of tabs
// are some ten megabytes.
const maxStore = 64 << 20

var errLZ4 = errors.New("the session store is damaged")

// unpack reads a mozLz4 file.
func unpack(b []byte) ([]byte, error) {
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return nil, errLZ4
	}
	size := binary.LittleEndian.Uint32(b[len(magic):])
	if size > maxStore {
		return nil, errors.New("the session store is larger than 64 MiB")
	}
	return unblock(b[len(magic)+4:], int(size))
}

// unblock decodes one LZ4 block into exactly size bytes: literals, and copies of
// what came before, by turns.
func unblock(b []byte, size int) ([]byte, error) {
	// No block grows by more than 255 to 1: a few bytes do not get megabytes.
	if size > 255*len(b)+64 {
		return nil, errLZ4
	}
	out := make([]byte, 0, size)
	length := func(n int) (int, bool) {
		if n < 15 {
			return n, true
		}
		for len(b) > 0 {
			c := b[0]
			b = b[1:]
			if n += int(c); n > size {
				return 0, false
			}
			if c < 255 {
				return n, true
			}
		}
		return 0, false
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(b) || n > size-len(out) {
			return nil, errLZ4
		}
		out, b = append(out, b[:n]...), b[n:]
		if len(b) == 0 {
			break // the last sequence is literals alone
		}
		if len(b) < 2 {
			return nil, errLZ4
		}
		back := int(b[0]) | int(b[1])<<8
		b = b[2:]
		n, ok = length(int(token & 15))
		if n += 4; !ok || back == 0 || back > len(out) || n > size-len(out) {
			return nil, errLZ4
		}
		for range n { // may overlap what it writes
			out = append(out, out[len(out)-back])
		}
	}
	if len(out) != size {
		return nil, errLZ4
	}
	return out, nil
}
