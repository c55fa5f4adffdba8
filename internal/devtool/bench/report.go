package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// SchemaVersion is of the report's JSON.
const SchemaVersion = 1

// Report is what a run found.
type Report struct {
	SchemaVersion   int       `json:"schema_version"`
	GeneratedAtUnix int64     `json:"generated_at_unix"`
	SettleMS        int64     `json:"settle_ms"`
	Concurrent      bool      `json:"concurrent"`
	Sandbox         bool      `json:"sandbox"`
	Results         []Result  `json:"results"`
	Aggregate       Aggregate `json:"aggregate"`
}

// Result is of one plugin, or of a reference.
type Result struct {
	ID        string   `json:"id"`
	Reference bool     `json:"reference,omitempty"`
	Summary   Summary  `json:"summary"`
	Raw       []Sample `json:"raw"`
}

// Spread is a distribution in three numbers. With n samples p95 is the highest
// until n is 20.
type Spread struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

// Summary is what the samples of one plugin come to; what has no spread of its
// own is the median.
type Summary struct {
	Samples      int     `json:"samples"`
	InitializeMS Spread  `json:"initialize_ms"`
	HandshakeMS  Spread  `json:"handshake_ms"`
	PingMS       Spread  `json:"ping_ms"`
	RSSKiB       Spread  `json:"rss_kib"`
	PSSKiB       float64 `json:"pss_kib"`
	PrivateKiB   float64 `json:"private_kib"`
	Threads      float64 `json:"threads"`
	CPUMS        float64 `json:"cpu_ms"`
	Wakeups      float64 `json:"wakeups"`
	CleanExits   int     `json:"clean_exits"`
	After        *After  `json:"after_pings,omitempty"` // the medians
}

// Aggregate is of the plugins without the references. Measured apart, memory is
// the sum of the medians, which on-demand plugins never reach together; measured
// together it is the median of what all children had at one moment.
type Aggregate struct {
	Plugins           int     `json:"plugins"`
	Children          int     `json:"children,omitempty"` // at once
	RSSKiB            float64 `json:"rss_kib"`
	PSSKiB            float64 `json:"pss_kib"`
	PrivateKiB        float64 `json:"private_kib"`
	Threads           float64 `json:"threads"`
	CPUMS             float64 `json:"cpu_ms"`
	Wakeups           float64 `json:"wakeups"`
	InitializeP95MS   float64 `json:"initialize_p95_ms"` // of the slowest
	PingP95MS         float64 `json:"ping_p95_ms"`       // of the slowest
	AllInitializedMS  *Spread `json:"all_initialized_ms,omitempty"`
	WithoutCleanExits int     `json:"without_clean_exits"` // processes that EOF did not end in time with code 0
}

func report(o Options, raw [][]Sample, side []together) Report {
	r := Report{SchemaVersion: SchemaVersion, GeneratedAtUnix: time.Now().Unix(), SettleMS: o.Settle.Milliseconds(), Concurrent: o.Concurrent}
	for i, t := range o.Targets {
		if len(raw[i]) == 0 {
			continue // of more plugins than children
		}
		s := summarize(raw[i])
		r.Results = append(r.Results, Result{ID: t.Definition.ID(), Reference: t.Reference, Summary: s, Raw: raw[i]})
		if t.Reference {
			continue
		}
		a := &r.Aggregate
		a.Plugins++
		a.RSSKiB += s.RSSKiB.P50
		a.PSSKiB += s.PSSKiB
		a.PrivateKiB += s.PrivateKiB
		a.Threads += s.Threads
		a.CPUMS += s.CPUMS
		a.Wakeups += s.Wakeups
		a.InitializeP95MS = max(a.InitializeP95MS, s.InitializeMS.P95)
		a.PingP95MS = max(a.PingP95MS, s.PingMS.P95)
		a.WithoutCleanExits += s.Samples - s.CleanExits
	}
	if len(side) > 0 {
		of := func(f func(together) float64) Spread {
			values := make([]float64, len(side))
			for i, t := range side {
				values[i] = f(t)
			}
			return spread(values)
		}
		a := &r.Aggregate
		a.Children = side[0].children
		a.RSSKiB = of(func(t together) float64 { return float64(t.rss) }).P50
		a.PSSKiB = of(func(t together) float64 { return float64(t.pss) }).P50
		a.PrivateKiB = of(func(t together) float64 { return float64(t.private) }).P50
		a.Threads = of(func(t together) float64 { return float64(t.threads) }).P50
		a.CPUMS = of(func(t together) float64 { return t.cpuMS }).P50
		a.Wakeups = of(func(t together) float64 { return float64(t.wakeups) }).P50
		all := of(func(t together) float64 { return t.allMS })
		a.AllInitializedMS = &all
	}
	return r
}

func summarize(samples []Sample) Summary {
	pick := func(f func(Sample) float64) []float64 {
		out := make([]float64, len(samples))
		for i, s := range samples {
			out[i] = f(s)
		}
		return out
	}
	s := Summary{
		Samples:      len(samples),
		InitializeMS: spread(pick(func(s Sample) float64 { return s.InitializeMS })),
		HandshakeMS:  spread(pick(func(s Sample) float64 { return s.HandshakeMS })),
		PingMS:       spread(pick(func(s Sample) float64 { return s.PingMS })),
		RSSKiB:       spread(pick(func(s Sample) float64 { return float64(s.RSSKiB) })),
		PSSKiB:       spread(pick(func(s Sample) float64 { return float64(s.PSSKiB) })).P50,
		PrivateKiB:   spread(pick(func(s Sample) float64 { return float64(s.PrivateKiB) })).P50,
		Threads:      spread(pick(func(s Sample) float64 { return float64(s.Threads) })).P50,
		CPUMS:        spread(pick(func(s Sample) float64 { return s.CPUMS })).P50,
		Wakeups:      spread(pick(func(s Sample) float64 { return float64(s.Wakeups) })).P50,
	}
	for _, sample := range samples {
		if sample.CleanExit {
			s.CleanExits++
		}
	}
	if len(samples) > 0 && samples[0].After != nil {
		after := func(f func(After) float64) float64 {
			return spread(pick(func(s Sample) float64 { return f(*s.After) })).P50
		}
		s.After = &After{
			Pings: samples[0].After.Pings,
			PingMS: Spread{
				P50: after(func(a After) float64 { return a.PingMS.P50 }),
				P95: after(func(a After) float64 { return a.PingMS.P95 }),
				Max: spread(pick(func(s Sample) float64 { return s.After.PingMS.Max })).Max,
			},
			RSSKiB:     int64(after(func(a After) float64 { return float64(a.RSSKiB) })),
			PSSKiB:     int64(after(func(a After) float64 { return float64(a.PSSKiB) })),
			PrivateKiB: int64(after(func(a After) float64 { return float64(a.PrivateKiB) })),
			Threads:    int(after(func(a After) float64 { return float64(a.Threads) })),
		}
	}
	return s
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	slices.Sort(values)
	return Spread{percentile(values, 50), percentile(values, 95), values[len(values)-1]}
}

// percentile of sorted values, the next higher one between two.
func percentile(sorted []float64, p int) float64 {
	return sorted[max(0, min((len(sorted)*p+99)/100, len(sorted))-1)]
}

// Load reads a report that was written as JSON.
func Load(path string) (Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Report{}, fmt.Errorf("the earlier report: %w", err)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, fmt.Errorf("the earlier report %s: %w; make one with bench --json", path, err)
	}
	if r.SchemaVersion != SchemaVersion {
		return Report{}, fmt.Errorf("the earlier report %s has schema_version %d, this program reads %d; make one with bench --json", path, r.SchemaVersion, SchemaVersion)
	}
	return r, nil
}
