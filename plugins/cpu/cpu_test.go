package cpu

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fed returns a meter that reads the given counters one after the other.
func fed(series ...counters) *meter {
	i := 0
	return &meter{source: func() (counters, error) {
		if i >= len(series) {
			return counters{}, errors.New("no more")
		}
		i++
		return series[i-1], nil
	}}
}

func one(busy, total uint64) counters {
	return counters{all: ticks{busy, total}, cpus: []ticks{{busy, total}}}
}

func read(t *testing.T, m *meter) (map[string]string, bool) {
	t.Helper()
	s, ready, err := m.read(time.Time{})
	require.NoError(t, err)
	return s, ready
}

func TestTheShareIsOfTheTimeThatPassed(t *testing.T) {
	m := fed(one(100, 1000), one(125, 1100), one(625, 1600))
	_, ready := read(t, m)
	assert.False(t, ready, "one reading says nothing of a rate")
	s, ready := read(t, m)
	require.True(t, ready)
	assert.Equal(t, "cpu 25%", s["summary"])
	assert.Equal(t, "1 processor: 25%", s["details"])
	s, _ = read(t, m)
	assert.Equal(t, "100%", s["percent"])
	assert.Equal(t, "▃█", s["history"])
}

func TestCountersThatGoBackStartTheHistoryAnew(t *testing.T) {
	m := fed(one(100, 1000), one(150, 1100), one(5, 50), one(5, 150))
	read(t, m)
	read(t, m)
	_, ready := read(t, m)
	assert.False(t, ready)
	s, ready := read(t, m)
	require.True(t, ready)
	assert.Equal(t, "▁", s["history"])
}

func TestAProcessorThatGoesStartsAnew(t *testing.T) {
	two := one(150, 1100)
	two.cpus = append(two.cpus, ticks{1, 2})
	m := fed(one(100, 1000), two)
	read(t, m)
	_, ready := read(t, m)
	assert.False(t, ready)
}
