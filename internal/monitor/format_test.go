package monitor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAHistoryKeepsTheLastTwentySamples(t *testing.T) {
	var h History
	for i := range 25 {
		h.Add(float64(i) * 4)
	}
	s := []rune(h.Sparkline())
	assert.Len(t, s, HistoryLen)
	assert.Equal(t, '▂', s[0], "the sixth sample, 20 %")
	assert.Equal(t, '█', s[HistoryLen-1])
	h.Reset()
	assert.Empty(t, h.Sparkline())
}

func TestSparklinesAndPercentagesStayInBounds(t *testing.T) {
	var h History
	for _, p := range []float64{-5, 0, 12.5, 100, 250} {
		h.Add(p)
	}
	assert.Equal(t, "▁▁▂██", h.Sparkline())
	assert.Equal(t, "0%", Percent(-5))
	assert.Equal(t, "100%", Percent(250))
}

func TestSizesAreInBinaryUnits(t *testing.T) {
	got := []string{Bytes(0), Bytes(1023), Bytes(1024), Bytes(1536), Bytes(1 << 40), Bytes(1<<64 - 1)}
	assert.Equal(t, "0 B|1023 B|1.0 KiB|1.5 KiB|1.0 TiB|16.0 EiB", strings.Join(got, "|"))
}

func TestPressureIsThatOfTheLastTenSeconds(t *testing.T) {
	assert.Equal(t, "1.25", Pressure([]byte("some avg10=1.25 avg60=0.00 avg300=0.00 total=1\nfull avg10=9.99 avg60=0.00 avg300=0.00 total=1\n")))
	assert.Empty(t, Pressure(nil))
	assert.Empty(t, Pressure([]byte("full avg10=9.99")))
}
