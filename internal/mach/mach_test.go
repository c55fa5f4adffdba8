package mach

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The layouts in these tests were written from the headers of macOS that the
// code names, not recorded on a Mac.

func TestTheTicksOfEachProcessorAreRead(t *testing.T) {
	// unsigned int cpu_ticks[CPU_STATE_MAX]: user, system, idle, nice
	got, err := decodeTicks([]uint32{1, 2, 3, 4, 10, 20, 1<<32 - 1, 40}, 2)
	require.NoError(t, err)
	assert.Equal(t, []Ticks{{User: 1, System: 2, Idle: 3, Nice: 4}, {User: 10, System: 20, Idle: 1<<32 - 1, Nice: 40}}, got)
}

func TestTicksThatAreNotThereAreAnError(t *testing.T) {
	for _, processors := range []int{-1, 0, 2, maxProcessors + 1} {
		_, err := decodeTicks([]uint32{1, 2, 3, 4, 5}, processors)
		assert.ErrorIs(t, err, errProcessors, "%d processors", processors)
	}
}

// statistics is a struct vm_statistics64 in which each field is its own number.
func statistics() []byte {
	var b []byte
	n := uint32(0)
	narrow := func(count int) {
		for range count {
			n++
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	wide := func(count int) {
		for range count {
			n++
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
	}
	narrow(4) // free_count 1, active_count 2, inactive_count 3, wire_count 4
	wide(9)   // zero_fill_count, reactivations, pageins, pageouts, faults, cow_faults, lookups, hits, purges 13
	narrow(2) // purgeable_count 14, speculative_count 15
	wide(4)   // decompressions, compressions, swapins, swapouts 19
	narrow(4) // compressor_page_count 20, throttled_count 21, external_page_count 22, internal_page_count 23
	wide(1)   // total_uncompressed_pages_in_compressor 24
	return b
}

func TestTheCountsOfMemoryAreRead(t *testing.T) {
	info := statistics()
	require.Len(t, info, pagesSize)
	got, err := decodePages(info)
	require.NoError(t, err)
	assert.Equal(t, Pages{
		Free: 1, Wired: 4, Purgeable: 14, Compressor: 20, External: 22, Internal: 23,
	}, got)
	_, err = decodePages(append(info, 1, 2, 3))
	assert.NoError(t, err, "a later macOS appends")
	_, err = decodePages(info[:pagesSize-1])
	assert.ErrorIs(t, err, errPages)
}

func FuzzDecode(f *testing.F) {
	f.Add(statistics(), 1)
	f.Fuzz(func(t *testing.T, b []byte, processors int) {
		_, err := decodePages(b)
		assert.Equal(t, len(b) < pagesSize, err != nil)
		words := make([]uint32, len(b)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(b[i*4:])
		}
		if got, err := decodeTicks(words, processors); err == nil {
			require.Len(t, got, processors)
		}
	})
}
