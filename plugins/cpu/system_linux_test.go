package cpu

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const stat = `cpu  100 0 50 800 50 0 0 0 30 0
cpu0 60 0 20 400 20 0 0 0 30 0
cpu1 40 0 30 400 30 0 0 0 0 0
intr 1 2 3
ctxt 9
`

func TestGuestTimeIsNotCountedTwiceAndWaitingIsNotBusy(t *testing.T) {
	c, err := parse([]byte(stat), []byte("0.50 0.25 0.10 1/99 4242\n"), []byte("some avg10=1.25 avg60=0.00 avg300=0.00 total=1\n"))
	require.NoError(t, err)
	assert.Equal(t, ticks{busy: 150, total: 1000}, c.all)
	assert.Equal(t, []ticks{{80, 500}, {70, 500}}, c.cpus)
	assert.Equal(t, "0.50 0.25 0.10", c.load)
	assert.Equal(t, "2 processors: - -, load 0.50 0.25 0.10, pressure 1.25%", details(c, c))
}

func TestTheMachinesOwnCountersParse(t *testing.T) {
	c, err := system()
	require.NoError(t, err)
	assert.Positive(t, c.all.total)
	assert.NotEmpty(t, c.cpus)
	assert.NotEmpty(t, c.load)
}

func TestMalformedCountersAreNamed(t *testing.T) {
	for _, bad := range []string{"", "intr 5\n", "cpu  1 2\n", "cpu  1 2 x 4 5\n"} {
		_, err := parse([]byte(bad), nil, nil)
		assert.ErrorContains(t, err, "/proc/stat", "%q", bad)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stat), []byte("0.5 0.2 0.1"), []byte("some avg10=1 "))
	f.Fuzz(func(t *testing.T, stat, load, psi []byte) {
		c, err := parse(stat, load, psi)
		if err == nil && (c.all.total == 0 || c.all.busy > c.all.total) {
			t.Fatalf("accepted %+v", c.all)
		}
	})
}
