package memory

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/mach"
)

// usage is a struct xsw_usage as <sys/sysctl.h> of macOS lays it out. It was
// written from that header, not recorded on a Mac.
func usage(total, available uint64) []byte {
	var b []byte
	for _, n := range []uint64{total, available, total - available} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = binary.LittleEndian.AppendUint32(b, 16384)
	return binary.LittleEndian.AppendUint32(b, 1)
}

func TestWhatMacOSCountsAsUsedIsUsed(t *testing.T) {
	const gib = 1 << 30
	pages := mach.Pages{Free: 5000, External: 100000, Internal: 262144, Purgeable: 65536, Wired: 131072, Compressor: 65536}
	m := &meter{source: func() (reading, error) {
		return counted(pages, 16384, 16*gib, usage(2*gib, gib/2), 2)
	}}
	s, ready, err := m.read(time.Time{})
	require.NoError(t, err)
	require.True(t, ready)
	assert.Equal(t, "mem 38%", s["summary"], "3 GiB of programs, 2 wired, 1 compressed")
	assert.Equal(t, "6.0 GiB of 16.0 GiB, swap 1.5 GiB of 2.0 GiB, pressure warning", s["details"])
}

func TestPagesAreOfTheKernelsSize(t *testing.T) {
	r, err := counted(mach.Pages{Wired: 1 << 20}, 4096, 8<<30, nil, 1)
	require.NoError(t, err)
	assert.Equal(t, uint64(4<<30), r.available)
	assert.Zero(t, r.swapTotal)
	assert.Equal(t, "normal", r.pressure)
}

func TestFiguresThatDoNotAddUpStayWithinTheTotal(t *testing.T) {
	r, err := counted(mach.Pages{Internal: 10, Purgeable: 20, Wired: 1<<32 - 1}, 16384, 8<<30, []byte{1}, 3)
	require.NoError(t, err)
	assert.Zero(t, r.available)
	assert.Empty(t, r.pressure, "a level that no header names")
	for _, none := range []func() (reading, error){
		func() (reading, error) { return counted(mach.Pages{}, 0, 1, nil, 1) },
		func() (reading, error) { return counted(mach.Pages{}, 16384, 0, nil, 1) },
	} {
		_, err := none()
		assert.ErrorIs(t, err, errNoTotal)
	}
}

func FuzzCounted(f *testing.F) {
	f.Add(uint32(1), uint32(2), uint32(3), uint32(4), uint64(16384), uint64(8<<30), usage(2, 1), uint32(1))
	f.Fuzz(func(t *testing.T, internal, purgeable, wired, compressor uint32, size, total uint64, swap []byte, level uint32) {
		r, err := counted(mach.Pages{Internal: internal, Purgeable: purgeable, Wired: wired, Compressor: compressor}, size, total, swap, level)
		if err == nil && (r.total != total || r.available > r.total) {
			t.Fatalf("%+v", r)
		}
	})
}
