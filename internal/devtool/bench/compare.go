package bench

import (
	"cmp"
	"math"
	"slices"
)

// Ratio is how one median changed against an earlier one.
type Ratio struct {
	ID, Metric string
	Reference  bool
	Before     float64
	After      float64
	// Ratio is after / before; of a time, by how much more than the references
	// of the same two runs: what the whole machine lost or gained is no change
	// of a plugin.
	Ratio float64
	// Noise is how far from 1 the ratio may lie by chance.
	Noise float64
}

// Differs reports whether the change is more than chance. Half and double are
// equally far.
func (r Ratio) Differs() bool {
	return !r.Reference && math.Abs(math.Log(r.Ratio)) > math.Log(1+r.Noise)
}

// metric is one figure that is compared.
type metric struct {
	name string
	of   func(Sample) float64
	// least is what two runs of the same program differ by however steady the
	// samples of each are: where memory lands differs from run to run.
	least float64
	time  bool
}

var metrics = []metric{
	{"initialize_ms", func(s Sample) float64 { return s.InitializeMS }, 0.05, true},
	{"ping_ms", func(s Sample) float64 { return s.PingMS }, 0.05, true},
	{"rss_kib", func(s Sample) float64 { return float64(s.RSSKiB) }, 0.03, false},
	{"pss_kib", func(s Sample) float64 { return float64(s.PSSKiB) }, 0.03, false},
}

// notches is how many notches of all the medians in a ratio make its noise. One
// is the 95 % bound of a single comparison on a machine that stays as it is; a
// report has some dozens, on a machine that does not.
const notches = 3

// Compare sets the plugins that both reports have side by side.
func Compare(before, after Report) []Ratio {
	var out []Ratio
	for _, m := range metrics {
		machine := change{ratio: 1}
		if m.time {
			machine = references(before, after, m)
		}
		for _, now := range after.Results {
			c, ok := changed(before, now, m)
			if !ok {
				continue
			}
			r := Ratio{ID: now.ID, Metric: m.name, Reference: now.Reference, Before: c.before, After: c.after, Ratio: c.ratio}
			variance := c.variance
			if !now.Reference {
				r.Ratio /= machine.ratio
				variance += machine.variance
			}
			r.Noise = notches*math.Sqrt(variance) + m.least
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Ratio) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// change is of one median. variance is the sum of the squared relative notches.
type change struct{ before, after, ratio, variance float64 }

// references is the change of the machine: the geometric mean of the references'.
func references(before, after Report, m metric) change {
	var logs, variance, n float64
	for _, now := range after.Results {
		if c, ok := changed(before, now, m); ok && now.Reference {
			logs, variance, n = logs+math.Log(c.ratio), variance+c.variance, n+1
		}
	}
	if n == 0 {
		return change{ratio: 1}
	}
	return change{ratio: math.Exp(logs / n), variance: variance / (n * n)}
}

func changed(before Report, now Result, m metric) (change, bool) {
	i := slices.IndexFunc(before.Results, func(r Result) bool { return r.ID == now.ID })
	if i < 0 {
		return change{}, false
	}
	a, noiseA := notch(before.Results[i].Raw, m.of)
	b, noiseB := notch(now.Raw, m.of)
	return change{a, b, b / a, noiseA*noiseA + noiseB*noiseB}, a > 0 && b > 0
}

// notch returns a median and the relative half-width of its confidence: 1.57
// times the interquartile range over the root of the number of samples.
func notch(samples []Sample, of func(Sample) float64) (median, relative float64) {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	median = percentile(values, 50)
	if median == 0 {
		return 0, 0
	}
	const notchWidth = 1.57
	spread := percentile(values, 75) - percentile(values, 25)
	return median, notchWidth * spread / math.Sqrt(float64(len(values))) / median
}
