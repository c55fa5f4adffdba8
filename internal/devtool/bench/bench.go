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

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/protocol"
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
			if err := pause(ctx, r.Settle); err != nil {
				return l.abandon(err)
			}
			l.look()
			s, err := l.finish(r.Pings)
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
			fault = pause(ctx, r.Settle)
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
			s, err := l.finish(r.Pings)
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

// life is one process from its spawn to its end.
type life struct {
	id      string
	process *sandbox.Process
	replies chan reply
	readers sync.WaitGroup
	writeMu sync.Mutex // requests, and answers to host calls
	before  usage      // when the settle began
	sample  Sample
}

type reply struct {
	id int64
	ok bool
}

func start(ctx context.Context, spawn func(context.Context, manifest.Definition, string) (*sandbox.Process, error), t Target, dataDir string) (*life, error) {
	began := time.Now()
	p, err := spawn(ctx, t.Definition, dataDir)
	if err != nil {
		return nil, err
	}
	l := &life{id: t.Definition.ID(), process: p, replies: make(chan reply, 4)}
	l.readers.Go(l.read)
	l.readers.Go(l.drain)
	first := time.Now()
	if err := l.call(1, protocol.MethodInitialize, fmt.Appendf(nil, `{"protocol_version":%d}`, protocol.Version), protocol.DeadlineStartup); err != nil {
		return nil, l.abandon(err)
	}
	now := time.Now()
	l.sample.InitializeMS, l.sample.HandshakeMS = ms(now.Sub(began)), ms(now.Sub(first))
	l.before = measure(p.PID())
	return l, nil
}

// look notes what the process costs at rest.
func (l *life) look() {
	now := measure(l.process.PID())
	l.sample.RSSKiB, l.sample.PSSKiB, l.sample.PrivateKiB, l.sample.Threads = now.rss, now.pss, now.private, now.threads
	l.sample.CPUMS, l.sample.Wakeups = max(0, ms(now.cpu-l.before.cpu)), max(0, now.switches-l.before.switches)
}

// finish measures the ping, what many of them leave behind, and the end.
func (l *life) finish(pings int) (Sample, error) {
	took := make([]float64, 0, max(1, pings))
	for range max(1, pings) {
		began := time.Now()
		if err := l.call(int64(2+len(took)), protocol.MethodPing, nil, protocol.DeadlinePing); err != nil {
			return Sample{}, l.abandon(err)
		}
		took = append(took, ms(time.Since(began)))
	}
	l.sample.PingMS = took[0]
	if pings > 1 {
		u := measure(l.process.PID())
		l.sample.After = &After{pings, spread(took), u.rss, u.pss, u.private, u.threads}
	}
	began := time.Now()
	l.process.Stdin().Close()
	timer := time.AfterFunc(protocol.ShutdownGrace, func() { _ = l.process.Kill() })
	exit := l.process.Wait()
	inTime := timer.Stop()
	l.sample.ExitMS, l.sample.ExitCode = ms(time.Since(began)), exit.Code
	l.sample.CleanExit = inTime && exit.Code == 0 && exit.Err == nil
	l.readers.Wait()
	return l.sample, nil
}

// abandon ends the process and names it in the error.
func (l *life) abandon(err error) error {
	_ = l.process.Kill()
	l.process.Wait()
	l.process.Stdin().Close()
	l.readers.Wait()
	return fmt.Errorf("plugin %s: %w", l.id, err)
}

func (l *life) call(id int64, method string, params []byte, within time.Duration) error {
	if err := l.write(protocol.AppendRequest(nil, id, method, params, "", 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case r, ok := <-l.replies:
			if !ok {
				return fmt.Errorf("it ended without a reply to %s", method)
			}
			if r.id == id && r.ok {
				return nil
			}
			if r.id == id {
				return fmt.Errorf("it refused %s", method)
			}
		case <-timer.C:
			return fmt.Errorf("no reply to %s within %v", method, within)
		}
	}
}

func (l *life) write(line []byte) error {
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	_, err := l.process.Stdin().Write(line)
	return err
}

// read hands on replies and refuses host calls, as a host without grants does.
func (l *life) read() {
	defer l.process.Stdout().Close()
	defer close(l.replies)
	c := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := c.Fill(l.process.Stdout())
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			if err != nil {
				continue
			}
			e, err := protocol.DecodeEnvelope(line)
			switch {
			case err != nil:
			case e.IsResponse():
				ok, _, err := protocol.DecodeOK(e.Result)
				select {
				case l.replies <- reply{e.ID, ok && err == nil}:
				default: // nobody asked
				}
			case e.IsRequest():
				_ = l.write(protocol.AppendError(nil, e.ID, "missing capability in a measurement"))
			}
		}
		if readErr != nil {
			return
		}
	}
}

func (l *life) drain() {
	defer l.process.Stderr().Close()
	buffer := make([]byte, protocol.StderrLine)
	for {
		if _, err := l.process.Stderr().Read(buffer); err != nil {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
