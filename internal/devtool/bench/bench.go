// Package bench measures plugins as processes: how fast they start and answer,
// and what they cost while nobody asks them anything. It owns the measurement,
// its summary and how two of them compare. It reports; it judges nothing.
package bench

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// Target is one program to measure.
type Target struct {
	Definition manifest.Definition
	// Reference is a floor that the others are seen against, and no plugin.
	Reference bool
}

// Options say what is measured and how.
type Options struct {
	Targets []Target
	Start   func(ctx context.Context, def manifest.Definition, dataDir string) (*sandbox.Process, error)
	Samples int
	Settle  time.Duration
	// Concurrent starts all plugins of a sample at once and lets them live
	// together, as a session does.
	Concurrent bool
	// Children is how many live together, the plugins in turn; 0 is each once.
	Children int
	// Pings is how many are sent at the end, the settled one first.
	Pings    int
	Progress func(done, of int, id string)
}

// Sample is one life of one process.
type Sample struct {
	InitializeMS float64 `json:"initialize_ms"` // from the spawn to the good reply
	HandshakeMS  float64 `json:"handshake_ms"`  // from the first frame written to the good reply
	PingMS       float64 `json:"ping_ms"`       // once settled
	RSSKiB       int64   `json:"rss_kib"`
	PSSKiB       int64   `json:"pss_kib,omitempty"`
	PrivateKiB   int64   `json:"private_kib,omitempty"` // private dirty
	Threads      int     `json:"threads"`
	CPUMS        float64 `json:"cpu_ms"`  // over the settle
	Wakeups      int64   `json:"wakeups"` // voluntary context switches over the settle
	ExitCode     int     `json:"exit_code"`
	ExitMS       float64 `json:"exit_ms"` // from the end of stdin
	CleanExit    bool    `json:"clean_exit"`
	After        *After  `json:"after_pings,omitempty"`
}

// After is what a process costs once it has answered many pings.
type After struct {
	Pings      int    `json:"pings"`
	PingMS     Spread `json:"ping_ms"`
	RSSKiB     int64  `json:"rss_kib"`
	PSSKiB     int64  `json:"pss_kib,omitempty"`
	PrivateKiB int64  `json:"private_kib,omitempty"`
	Threads    int    `json:"threads"`
}

// Run measures every target and returns the report.
func Run(ctx context.Context, o Options) (Report, error) {
	root, err := os.MkdirTemp("", "flash-bench-*")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(root)
	r := runner{Options: o, root: root}
	raw := make([][]Sample, len(o.Targets))
	var plugins, apart []int
	for i, t := range o.Targets {
		if o.Concurrent && !t.Reference {
			plugins = append(plugins, i)
		} else {
			apart = append(apart, i)
		}
	}
	var side []together
	if len(plugins) > 0 {
		each := len(plugins)
		for k := each; k < o.Children; k++ {
			plugins = append(plugins, plugins[k%each])
		}
		if o.Children > 0 && o.Children < each {
			plugins = plugins[:o.Children]
		}
		if side, err = r.together(ctx, raw, plugins); err != nil {
			return Report{}, err
		}
	}
	if err := r.apart(ctx, raw, apart); err != nil {
		return Report{}, err
	}
	return report(o, raw, side), nil
}

type runner struct {
	Options
	root  string
	lives int
}

func (r *runner) progress(done, of int, id string) {
	if r.Progress != nil {
		r.Progress(done, of, id)
	}
}

// apart measures one process at a time, the targets in turn, so that a busy
// moment of the machine does not fall on one of them alone.
func (r *runner) apart(ctx context.Context, raw [][]Sample, targets []int) error {
	for n := range r.Samples {
		for k, i := range targets {
			t := r.Targets[i]
			r.progress(n*len(targets)+k, r.Samples*len(targets), t.Definition.ID())
			l, err := r.begin(ctx, t)
			if err != nil {
				return err
			}
			if err := event.Wait(ctx, event.System(), r.Settle); err != nil {
				return l.abandon(err)
			}
			l.look()
			s, err := l.finish(ctx, r.Pings)
			if err != nil {
				return err
			}
			raw[i] = append(raw[i], s)
		}
	}
	return nil
}

// together is what the plugins of one sample came to side by side.
type together struct {
	allMS             float64 // until the last was initialized
	children          int
	rss, pss, private int64
	threads           int
	cpuMS             float64
	wakeups           int64
}

func (t *together) add(s Sample) {
	t.rss, t.pss, t.private = t.rss+s.RSSKiB, t.pss+s.PSSKiB, t.private+s.PrivateKiB
	t.threads, t.cpuMS, t.wakeups = t.threads+s.Threads, t.cpuMS+s.CPUMS, t.wakeups+s.Wakeups
}

// together measures the plugins of one sample side by side.
func (r *runner) together(ctx context.Context, raw [][]Sample, targets []int) (all []together, err error) {
	for n := range r.Samples {
		r.progress(n, r.Samples, fmt.Sprintf("%d at once", len(targets)))
		lives := make([]*life, len(targets))
		faults := make([]error, len(targets))
		dirs := make([]string, len(targets))
		for k := range dirs {
			if dirs[k], err = r.dataDir(); err != nil {
				return nil, err
			}
		}
		began := time.Now()
		var wg sync.WaitGroup
		for k, i := range targets {
			wg.Go(func() { lives[k], faults[k] = start(ctx, r.Start, r.Targets[i], dirs[k]) })
		}
		wg.Wait()
		side := together{allMS: ms(time.Since(began)), children: len(targets)}
		fault := firstError(faults)
		if fault == nil {
			fault = event.Wait(ctx, event.System(), r.Settle)
		}
		if fault == nil {
			// All are looked at before the first is asked for anything.
			for _, l := range lives {
				l.look()
				side.add(l.sample)
			}
		}
		for k, l := range lives {
			if l == nil {
				continue
			}
			if fault != nil {
				_ = l.abandon(fault)
				continue
			}
			s, err := l.finish(ctx, r.Pings)
			if err != nil {
				fault = err
				continue
			}
			raw[targets[k]] = append(raw[targets[k]], s)
		}
		if fault != nil {
			return nil, fault
		}
		all = append(all, side)
	}
	return all, nil
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// dataDir is a clean one for each life.
func (r *runner) dataDir() (string, error) {
	r.lives++
	dir := fmt.Sprintf("%s/%d", r.root, r.lives)
	return dir, os.Mkdir(dir, 0o700)
}

func (r *runner) begin(ctx context.Context, t Target) (*life, error) {
	dir, err := r.dataDir()
	if err != nil {
		return nil, err
	}
	return start(ctx, r.Start, t, dir)
}
