package memory

import (
	"encoding/binary"
	"errors"

	"github.com/flash-launcher/flash/internal/mach"
)

var errNoTotal = errors.New("macOS tells no size of its memory or its pages")

// counted makes a reading of what macOS tells. In use is what Activity Monitor
// calls Memory Used: memory of programs that no file is behind and that the
// kernel may not throw away, wired memory, and what compressed memory takes.
// The rest is free or holds copies of files, which programs get at once.
func counted(p mach.Pages, pageSize, total uint64, swap []byte, level uint32) (reading, error) {
	if total == 0 || pageSize == 0 {
		return reading{}, errNoTotal
	}
	programs := uint64(p.Internal) - min(uint64(p.Purgeable), uint64(p.Internal))
	used := (programs + uint64(p.Wired) + uint64(p.Compressor)) * pageSize
	r := reading{total: total, available: total - min(used, total), pressure: pressureOf(level)}
	r.swapTotal, r.swapFree = swapOf(swap)
	return r, nil
}

// swapSize is that of struct xsw_usage in <sys/sysctl.h>: total, available and
// used bytes, of which the last is what the other two say; the size of a page
// and whether it is encrypted.
const swapSize = 32

func swapOf(b []byte) (total, free uint64) {
	if len(b) < swapSize {
		return 0, 0
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}

// pressureOf is the kernel's own word for how short of memory it is: the levels
// of dispatch's memory pressure source.
func pressureOf(level uint32) string {
	switch level {
	case 1:
		return "normal"
	case 2:
		return "warning"
	case 4:
		return "critical"
	}
	return ""
}
