package cpu

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/mach"
)

// loadavg is a struct loadavg as <sys/resource.h> of macOS lays it out; FSCALE
// is 2048 there. It was written from that header, not recorded on a Mac.
func loadavg(scale uint64, three ...uint32) []byte {
	var b []byte
	for _, n := range three {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, 0, 0, 0, 0)
	return binary.LittleEndian.AppendUint64(b, scale)
}

func TestTicksOfMacOSBecomeShares(t *testing.T) {
	readings := [][]mach.Ticks{
		{{User: 100, System: 50, Idle: 1000, Nice: 10}, {Idle: 500}},
		{{User: 120, System: 60, Idle: 1065, Nice: 15}, {Idle: 600}}, // 35 of 100 and 0 of 100
	}
	var tl tally
	m := &meter{source: func() (counters, error) {
		r := readings[0]
		readings = readings[1:]
		return tl.count(r, loadavg(2048, 2048, 3072, 205)), nil
	}}
	_, ready, err := m.read(time.Time{})
	require.NoError(t, err)
	assert.False(t, ready)
	s, ready, err := m.read(time.Time{})
	require.NoError(t, err)
	require.True(t, ready)
	assert.Equal(t, "cpu 18%", s["summary"])
	assert.Equal(t, "2 processors: 35% 0%, load 1.00 1.50 0.10", s["details"])
}

func TestTicksThatWrapGoOn(t *testing.T) {
	var tl tally
	before := tl.count([]mach.Ticks{{User: 1<<32 - 10, Idle: 1<<32 - 50}}, nil)
	after := tl.count([]mach.Ticks{{User: 15, Idle: 25}}, nil)
	share, ok := after.all.since(before.all)
	require.True(t, ok)
	assert.InDelta(t, 25, share, 1e-9, "25 of 100 ticks")
}

func TestTicksThatGoBackAreNoShare(t *testing.T) {
	var tl tally
	first := tl.count([]mach.Ticks{{User: 100, Idle: 1000}}, nil)
	back := tl.count([]mach.Ticks{{User: 110, Idle: 998}}, nil)
	_, ok := back.all.since(first.all)
	assert.False(t, ok)
	on := tl.count([]mach.Ticks{{User: 120, Idle: 1088}}, nil)
	again := tl.count([]mach.Ticks{{User: 130, Idle: 1178}}, nil)
	share, ok := again.all.since(on.all)
	require.True(t, ok)
	assert.InDelta(t, 10, share, 1e-9)
}

func TestAProcessorThatComesBeginsAnew(t *testing.T) {
	var tl tally
	one := tl.count([]mach.Ticks{{Idle: 10}}, nil)
	two := tl.count([]mach.Ticks{{Idle: 20}, {Idle: 20}}, nil)
	assert.Len(t, one.cpus, 1)
	assert.Len(t, two.cpus, 2)
	assert.Equal(t, uint64(40), two.all.total)
}

func TestLoadAveragesThatCannotBeReadAreLeftOut(t *testing.T) {
	assert.Equal(t, "0.50 12.00 0.01", loadOf(loadavg(2048, 1024, 24576, 20)))
	for _, b := range [][]byte{nil, make([]byte, loadSize-1), loadavg(0, 1, 2, 3)} {
		assert.Empty(t, loadOf(b))
	}
}

func FuzzTally(f *testing.F) {
	f.Add(uint32(1), uint32(2), uint32(3), uint32(4), uint32(5), uint32(6), []byte{})
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g uint32, load []byte) {
		var tl tally
		loadOf(load)
		before := tl.count([]mach.Ticks{{User: a, System: b, Idle: c}}, load)
		after := tl.count([]mach.Ticks{{User: d, System: e, Idle: g}}, load)
		if share, ok := after.all.since(before.all); ok && (share < 0 || share > 100) {
			t.Fatalf("a share of %g", share)
		}
	})
}
