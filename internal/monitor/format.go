package monitor

import (
	"bytes"
	"strconv"
	"strings"
)

// HistoryLen is how many samples a history segment shows.
const HistoryLen = 20

// History keeps the last HistoryLen percentages.
type History struct {
	samples [HistoryLen]float64
	n       int
}

// Add appends one sample and forgets the oldest of a full history.
func (h *History) Add(percent float64) {
	if h.n == HistoryLen {
		copy(h.samples[:], h.samples[1:])
		h.n--
	}
	h.samples[h.n] = percent
	h.n++
}

// Reset forgets all samples.
func (h *History) Reset() { h.n = 0 }

var bars = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Sparkline draws the samples oldest first, one bar for each eighth of 100 %.
func (h *History) Sparkline() string {
	var b strings.Builder
	for _, p := range h.samples[:h.n] {
		i := int(p / 100 * float64(len(bars)))
		b.WriteString(bars[min(max(i, 0), len(bars)-1)])
	}
	return b.String()
}

// Percent writes a percentage without decimals, as `7%`.
func Percent(p float64) string {
	return strconv.FormatFloat(min(max(p, 0), 100), 'f', 0, 64) + "%"
}

// Bytes writes a size in binary units with one decimal from KiB on.
func Bytes(n uint64) string {
	if n < 1024 {
		return strconv.FormatUint(n, 10) + " B"
	}
	v, unit := float64(n), 0
	for ; v >= 1024 && unit < len(units)-1; unit++ {
		v /= 1024
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[unit]
}

var units = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Pressure is the `some avg10` of one of Linux's pressure files, in percent and
// as the kernel writes it; "" where there is none.
func Pressure(psi []byte) string {
	for line := range bytes.Lines(psi) {
		if rest, ok := bytes.CutPrefix(line, []byte("some avg10=")); ok {
			value, _, _ := bytes.Cut(rest, []byte(" "))
			return string(value)
		}
	}
	return ""
}
