package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say which plugin is run and how.
type Options struct {
	// Argv starts the plugin. It runs unconfined, as the caller.
	Argv []string
	// Manifest is the text of its manifest.json.
	Manifest []byte
	// Dir is its working directory, the plugin's root; "" is the caller's.
	Dir string
	// Env is added to the scrubbed environment, as NAME=value.
	Env []string
	// Only keeps the scenarios whose name matches one of these patterns, as
	// path.Match has them, or lies in a folder so named. Empty keeps all.
	Only []string
	// Parallel is how many scenarios run at once; 0 is one a processor.
	Parallel int
	// Patience multiplies every time limit, for slow or busy machines; 0 is 1.
	Patience float64
	// Scenarios replaces the built-in ones.
	Scenarios fs.FS
	// Progress is told of each scenario as it begins.
	Progress func(scenario string)
	// TempDir holds the data directories; "" is the system's.
	TempDir string
}

func (o Options) scale(d time.Duration) time.Duration {
	if o.Patience <= 0 {
		return d
	}
	return time.Duration(float64(d) * o.Patience)
}

// Run drives the plugin through every scenario that its manifest calls for.
// The error is about the run itself (a bad manifest, no such pattern); what
// the plugin did wrong is in the report. Cancelling ctx ends every child.
func Run(ctx context.Context, o Options) (Report, error) {
	if len(o.Argv) == 0 {
		return Report{}, errors.New("conformance: no command to start the plugin with")
	}
	s, err := readSurfaces(o.Manifest)
	if err != nil {
		return Report{}, fmt.Errorf("conformance: %w", err)
	}
	scenarios, err := chosen(o)
	if err != nil {
		return Report{}, fmt.Errorf("conformance: %w", err)
	}
	report := Report{Plugin: s.ID, Version: s.Version, Results: make([]Result, len(scenarios))}
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, scenario := range scenarios {
		result := &report.Results[i]
		*result = Result{Scenario: scenario.Name, About: scenario.About, Status: Skipped}
		if lacking := slices.IndexFunc(scenario.Requires, func(r string) bool { return !s.has(r) }); lacking >= 0 {
			result.Reason = "the manifest does not call for it: " + scenario.Requires[lacking]
			continue
		}
		slots <- struct{}{}
		if o.Progress != nil {
			o.Progress(scenario.Name)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			runScenario(ctx, o, s, scenario, result)
		}()
	}
	wg.Wait()
	for _, r := range report.Results {
		switch r.Status {
		case Passed:
			report.Passed++
		case Failed:
			report.Failed++
		case Skipped:
			report.Skipped++
		}
	}
	return report, ctx.Err()
}

// CheckOnly says which of the patterns of Options.Only is none, or matches none
// of the built-in scenarios.
func CheckOnly(patterns []string) error {
	for _, pattern := range patterns {
		if _, err := chosen(Options{Only: []string{pattern}}); err != nil {
			return err
		}
	}
	return nil
}

func chosen(o Options) ([]Scenario, error) {
	all, err := Scenarios()
	if o.Scenarios != nil {
		all, err = Load(o.Scenarios)
	}
	if err != nil || len(o.Only) == 0 {
		return all, err
	}
	var kept []Scenario
	for _, s := range all {
		for _, pattern := range o.Only {
			whole, err := path.Match(pattern, s.Name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			folder, _ := path.Match(pattern, path.Dir(s.Name))
			if whole || folder {
				kept = append(kept, s)
				break
			}
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no scenario matches %s", strings.Join(o.Only, ", "))
	}
	return kept, nil
}
