package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const info = `MemTotal:       16000000 kB
MemFree:         1000000 kB
MemAvailable:   12000000 kB
SwapTotal:       4000000 kB
SwapFree:        3000000 kB
HugePages_Total:       0
`

const psi = `some avg10=1.25 avg60=0.00 avg300=0.00 total=1
full avg10=9.99 avg60=0.00 avg300=0.00 total=1
`

func TestUsedIsWhatCannotBeHadWithoutSwapping(t *testing.T) {
	r, err := parse([]byte(info), []byte(psi))
	require.NoError(t, err)
	m := &meter{source: func() (reading, error) { return r, nil }}
	s, ready, err := m.read(time.Time{})
	require.NoError(t, err)
	require.True(t, ready)
	assert.Equal(t, "mem 25%", s["summary"])
	assert.Equal(t, "3.8 GiB of 15.3 GiB, swap 976.6 MiB of 3.8 GiB, pressure 1.25%", s["details"])
	assert.Equal(t, "▃", s["history"])
}

func TestAKernelWithoutPressureInformationIsNoFailure(t *testing.T) {
	r, err := parse([]byte(info), nil)
	require.NoError(t, err)
	assert.Empty(t, r.pressure)
}

func TestTheMachinesOwnTotalsParse(t *testing.T) {
	r, err := system()
	require.NoError(t, err)
	assert.Positive(t, r.total)
	assert.LessOrEqual(t, r.available, r.total)
}

func TestMalformedTotalsAreNamed(t *testing.T) {
	for _, bad := range []string{"", "MemFree: 1 kB\n", "MemTotal:\n", "MemTotal: many kB\n", "MemTotal: 99999999999999999999 kB\n"} {
		_, err := parse([]byte(bad), nil)
		assert.ErrorContains(t, err, "/proc/meminfo", "%q", bad)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(info), []byte(psi))
	f.Fuzz(func(t *testing.T, info, psi []byte) {
		r, err := parse(info, psi)
		if err == nil && r.total == 0 {
			t.Fatal("accepted a machine without memory")
		}
	})
}
