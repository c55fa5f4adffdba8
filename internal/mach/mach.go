// Package mach owns what the kernel of macOS tells about the whole machine: how
// its processors spent their time and what its memory holds. It only asks, at
// one moment: rates, shares and what counts as used are the callers'.
//
// It is without cgo, which would cost every child that shares this executable:
// the few calls go through libSystem as those of golang.org/x/sys do.
package mach

import (
	"encoding/binary"
	"errors"
)

// Ticks are how one processor spent its time since the machine started, in
// hundredths of a second. They are 32 bits wide and wrap.
type Ticks struct{ User, System, Idle, Nice uint32 }

// The columns of processor_cpu_load_info in <mach/processor_info.h>, as
// <mach/machine.h> numbers the states.
const (
	columnUser   = 0
	columnSystem = 1
	columnIdle   = 2
	columnNice   = 3
	columns      = 4
)

// maxProcessors bounds what the kernel is believed to have.
const maxProcessors = 1024

var (
	errProcessors = errors.New("macOS's processor times are not as it documents them")
	errPages      = errors.New("macOS's memory statistics are shorter than it documents them")
)

// decodeTicks reads processor_cpu_load_info of so many processors.
func decodeTicks(words []uint32, processors int) ([]Ticks, error) {
	if processors < 1 || processors > maxProcessors || len(words) < processors*columns {
		return nil, errProcessors
	}
	out := make([]Ticks, processors)
	for i := range out {
		w := words[i*columns:]
		out[i] = Ticks{User: w[columnUser], System: w[columnSystem], Idle: w[columnIdle], Nice: w[columnNice]}
	}
	return out, nil
}

// Pages are what memory holds, in pages of the kernel's size.
type Pages struct {
	Free, Wired uint32
	// Purgeable may be thrown away by the kernel at any time.
	Purgeable uint32
	// Compressor is what compressed memory takes, not what it was.
	Compressor uint32
	// External have a file behind them, Internal have none.
	External, Internal uint32
}

// pagesSize is that of struct vm_statistics64 in <mach/vm_statistics.h> up to
// what macOS 14 has; later systems append to it and answer with as much as they
// are asked for.
const pagesSize = 152

func decodePages(info []byte) (Pages, error) {
	if len(info) < pagesSize {
		return Pages{}, errPages
	}
	// After the first four counts of 32 bits come nine of 64, after the next two
	// four more.
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(info[i:]) }
	return Pages{
		Free: at(0), Wired: at(12), Purgeable: at(88),
		Compressor: at(128), External: at(136), Internal: at(140),
	}, nil
}
