package bench

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func samples(times ...float64) []Sample {
	out := make([]Sample, len(times))
	for i, t := range times {
		out[i] = Sample{InitializeMS: t, PingMS: 1, RSSKiB: 1000, CleanExit: i > 0}
	}
	return out
}

func TestASummaryHasTheHighestForP95OfFewSamples(t *testing.T) {
	s := summarize(samples(3, 1, 2))
	assert.Equal(t, Spread{P50: 2, P95: 3, Max: 3}, s.InitializeMS)
	assert.Equal(t, 2, s.CleanExits)
	var many []float64
	for i := range 100 {
		many = append(many, float64(100-i))
	}
	assert.Equal(t, Spread{P50: 50, P95: 95, Max: 100}, summarize(samples(many...)).InitializeMS)
}

func TestOnlyAChangeBeyondTheScatterDiffers(t *testing.T) {
	report := func(times ...float64) Report {
		return Report{Results: []Result{{ID: "p", Raw: samples(times...)}}}
	}
	first := func(before, after Report) Ratio { return Compare(before, after)[0] }
	steady := report(10, 10.1, 9.9, 10, 10)
	assert.False(t, first(steady, steady).Differs())
	doubled := first(steady, report(20, 20.1, 19.9, 20, 20))
	assert.InDelta(t, 2, doubled.Ratio, 0.01)
	assert.True(t, doubled.Differs())
	assert.False(t, first(report(5, 10, 40, 8, 30), report(8, 30, 7, 45, 12)).Differs())
	assert.Empty(t, Compare(Report{}, steady))
}

func TestAMachineThatSlowsDownIsNoChangeOfAPlugin(t *testing.T) {
	report := func(plugin, reference []Sample) Report {
		return Report{Results: []Result{{ID: "p", Raw: plugin}, {ID: "r", Reference: true, Raw: reference}}}
	}
	before := report(samples(10, 10, 10.1), samples(5, 5, 5.1))
	for _, r := range Compare(before, report(samples(30, 30, 30.1), samples(15, 15, 15.1))) {
		assert.False(t, r.Differs(), "%s %s", r.ID, r.Metric)
	}
	slowed := Compare(before, report(samples(60, 60, 60.1), samples(15, 15, 15.1)))[0]
	assert.True(t, slowed.Differs())
	assert.InDelta(t, 2, slowed.Ratio, 0.05)
	halved := Compare(before, report(samples(15, 15, 15.1), samples(15, 15, 15.1)))[0]
	assert.True(t, halved.Differs(), "a gain is a difference too")
}

func TestAReportOfAnotherKindIsRefusedWithTheRemedy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	for text, want := range map[string]string{`{"schema_version":9}`: "schema_version 9", `[]`: "make one with bench --json"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := Load(path)
		assert.ErrorContains(t, err, want)
	}
}

func TestTheDrawingIsXML(t *testing.T) {
	r := Report{Results: []Result{{ID: "a<b", Summary: summarize(samples(1, 2))}, {ID: "ref", Reference: true}}}
	var b bytes.Buffer
	require.NoError(t, r.WriteSVG(&b))
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else {
			require.NoError(t, err)
		}
	}
}
