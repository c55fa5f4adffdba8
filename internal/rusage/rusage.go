// Package rusage owns what macOS charges a process with: its footprint, its
// processor time and its wake-ups. It only looks, at one moment; Linux tells
// these elsewhere.
package rusage

import (
	"encoding/binary"
	"errors"
	"time"
)

// Usage is what a process has, and has used since it started.
type Usage struct {
	// Footprint is the memory that only its end would free, compressed and
	// swapped memory included: what Activity Monitor shows.
	Footprint int64 // bytes
	Resident  int64 // bytes, of shared memory too
	CPU       time.Duration
	// Wakeups is how often an interrupt, of a timer for instance, woke it. Those
	// that also ended a package's idle state are among them.
	Wakeups int64
}

// infoSize is that of struct rusage_info_v0 in <sys/resource.h>: a UUID, then
// numbers of eight bytes.
const infoSize = 96

var errShort = errors.New("the process's usage is shorter than macOS documents it")

// decode reads a struct rusage_info_v0. Its times are in ticks of which a second
// has perSecond.
func decode(info []byte, perSecond uint64) (Usage, error) {
	if len(info) < infoSize || perSecond == 0 {
		return Usage{}, errShort
	}
	const user, system, wakeups, resident, footprint = 16, 24, 40, 64, 72
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(info[i:]) }
	ticks := at(user) + at(system)
	whole, rest := ticks/perSecond, ticks%perSecond
	return Usage{
		Footprint: int64(at(footprint)), Resident: int64(at(resident)), Wakeups: int64(at(wakeups)),
		CPU: time.Duration(whole)*time.Second + time.Duration(rest*uint64(time.Second)/perSecond),
	}, nil
}
