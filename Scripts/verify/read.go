package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/doctor"
)

// unsettled are the plugins that did not get somewhere good.
func unsettled(all control.Plugins) (out []string) {
	for _, p := range all.Plugins {
		switch p.State {
		case "failed", "backoff", "initial", "launching":
			why := p.LastError
			if why == "" {
				why = p.Why
			}
			out = append(out, strings.TrimSuffix(p.ID+" is "+p.State+": "+why, ": "))
		}
	}
	return out
}

// holds finds what the doctor says of something.
func holds(r doctor.Report, area, name string) (ok bool, detail string) {
	for _, f := range r.Findings {
		if f.Area == area && f.Name == name {
			return f.State == doctor.OK, f.Detail
		}
	}
	return false, "flash doctor says nothing of " + name
}

// problems are what the doctor finds wrong.
func problems(r doctor.Report) (out []string) {
	for _, f := range r.Findings {
		if f.State == doctor.Problem {
			out = append(out, f.Area+", "+f.Name+": "+f.Detail)
		}
	}
	return out
}

// answer is the part of a query's result that the checks look at.
type answer struct {
	Answers []struct{ Title string }
	Rows    []struct{ Source, Title string }
}

func (a answer) has(source, title string) bool {
	return slices.ContainsFunc(a.Rows, func(r struct{ Source, Title string }) bool {
		return strings.HasPrefix(r.Source, source) && strings.Contains(r.Title, title)
	})
}

// testRun is a run of `go test -json`.
type testRun struct {
	passed, skipped int
	failed          []string
	faults          []string // packages that failed without a test of theirs
}

func readTests(text string) (testRun, error) {
	var t testRun
	packages := map[string]bool{} // those that failed, and whether a test of theirs did
	for line := range strings.Lines(text) {
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			continue // what the compiler says stands between
		}
		short := strings.TrimPrefix(e.Package, "github.com/flash-launcher/flash/")
		switch {
		case e.Test != "" && e.Action == "pass":
			t.passed++
		case e.Test != "" && e.Action == "skip":
			t.skipped++
		case e.Test != "" && e.Action == "fail":
			t.failed = append(t.failed, short+"."+e.Test)
			packages[short] = true
		case e.Action == "fail" && !packages[short]:
			t.faults = append(t.faults, short)
		}
	}
	if t.passed+t.skipped+len(t.failed)+len(t.faults) == 0 {
		return t, fmt.Errorf("go test reported no test")
	}
	return t, nil
}

// finding says what came of the tests; a run in which none passed shows nothing.
func (t testRun) finding(o output) finding {
	figures := []figure{{Name: "passed", Value: float64(t.passed)}, {Name: "failed", Value: float64(len(t.failed))}, {Name: "skipped", Value: float64(t.skipped)}}
	switch {
	case len(t.failed)+len(t.faults) > 0:
		return fail("failed: "+strings.Join(append(t.failed, t.faults...), ", "), figures...)
	case !o.ok():
		return fail(o.said(), figures...)
	case t.passed == 0:
		return finding{skipped, "no test of it runs on this platform", figures}
	}
	return pass("", figures...)
}

// conformed is what `flash plugin-dev conform --json` says.
type conformed struct {
	Sandbox        bool
	Passed, Failed int
	Plugins        []struct {
		Name   string
		Failed int
	}
}

func (c conformed) finding() finding {
	figures := []figure{{Name: "scenarios passed", Value: float64(c.Passed)}, {Name: "scenarios failed", Value: float64(c.Failed)}, {Name: "plugins", Value: float64(len(c.Plugins))}}
	switch {
	case !c.Sandbox:
		return fail("the report is of plugins without their sandbox", figures...)
	case c.Failed > 0:
		var bad []string
		for _, p := range c.Plugins {
			if p.Failed > 0 {
				bad = append(bad, p.Name)
			}
		}
		return fail("scenarios failed of "+strings.Join(bad, ", "), figures...)
	case c.Passed == 0:
		return fail("no scenario was run", figures...)
	}
	return pass("", figures...)
}

// sample is what Scripts/measure-footprint.sh --json says. On macOS memory is
// the footprint, under the name that it has on Linux.
type sample struct {
	SampleSeconds float64 `json:"sample_seconds"`
	Processes     []load  `json:"processes"`
	Total         load    `json:"total"`
}

type load struct {
	ID      string  `json:"id"`
	Count   int     `json:"processes"`
	CPU     float64 `json:"cpu_percent"`
	Wakeups float64 `json:"wakeups_per_second"`
	Memory  float64 `json:"pss_kib"`
	Threads float64 `json:"threads"`
}

// readSample refuses a sample in which a process has no memory: what could not
// be measured must not lower the sum.
func readSample(o output) (sample, error) {
	var s sample
	if !o.ok() {
		return s, fmt.Errorf("the script measure-footprint.sh: %s", o.said())
	}
	if err := json.Unmarshal([]byte(o.stdout), &s); err != nil {
		return s, fmt.Errorf("the script measure-footprint.sh printed no JSON that is understood: %w", err)
	}
	if s.Total.Count == 0 || len(s.Processes) == 0 || s.Processes[0].ID != "resident" {
		return s, fmt.Errorf("the script measure-footprint.sh saw no resident")
	}
	for _, p := range s.Processes {
		if p.Memory <= 0 {
			return s, fmt.Errorf("the memory of %s could not be measured", p.ID)
		}
	}
	return s, nil
}

// lastNumber is the number that ends the last line of top's table; it marks a
// growing one with a plus.
func lastNumber(text string) (float64, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, fmt.Errorf("top printed nothing")
	}
	return strconv.ParseFloat(strings.TrimRight(fields[len(fields)-1], "+-"), 64)
}

// delivered is what `flash pointer run --summary` prints at its end.
func delivered(text string) map[string]int {
	out := map[string]int{}
	for line := range strings.Lines(text) {
		if name, n, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			if v, err := strconv.Atoi(n); err == nil {
				out[name] = v
			}
		}
	}
	return out
}
