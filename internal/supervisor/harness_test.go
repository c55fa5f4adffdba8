package supervisor_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/internal/supervisor/childtest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/protocol"
)

func TestMain(m *testing.M) {
	childtest.Main()
	os.Exit(m.Run())
}

// plugin is a Plugin with real children, a clock held by the test, and a record
// of what reached the sinks.
type plugin struct {
	*supervisor.Plugin
	t      testing.TB
	time   *eventtest.Fake
	runner *childtest.Runner
	log    *logBuffer

	mu      sync.Mutex
	changed sync.Cond
	calls   []string
	rows    [][]protocol.Row
}

var resident = protocol.Manifest{
	ID: "test", Name: "Test", Version: "1", Exec: []string{"./test"},
	Sources: []protocol.Source{{Name: "test.items"}},
	Listen:  []string{"core:*"},
	Status:  []string{"state"},
	Commands: []protocol.Command{
		{Command: "test", Subcommand: "*"},
		{Command: "test", Subcommand: "quick", TimeoutMS: 700},
	},
}

func onDemand() protocol.Manifest {
	m := resident
	m.Sources, m.Listen, m.Status = nil, nil, nil
	return m
}

func statusBound() protocol.Manifest {
	m := resident
	m.Sources = nil
	return m
}

func definition(m protocol.Manifest) supervisor.Definition {
	return supervisor.Definition{Manifest: &m, Root: "/", Argv: []string{"/test"}}
}

type option func(*supervisor.Options)

func newPlugin(t testing.TB, mode string, m protocol.Manifest, opts ...option) *plugin {
	t.Helper()
	leaktest.Check(t)
	p := &plugin{t: t, time: eventtest.New(), runner: childtest.NewRunner(mode), log: &logBuffer{}}
	p.changed.L = &p.mu
	o := supervisor.Options{
		Runner: p.runner,
		Time:   p.time,
		Logger: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Prepare: func(_ context.Context, def supervisor.Definition) (supervisor.Spec, error) {
			return supervisor.Spec{PluginID: def.ID(), Argv: def.Argv, Dir: "/"}, nil
		},
		Sinks: supervisor.Sinks{
			Publish: func(_ string, gen uint64, rows []protocol.Row) {
				p.mu.Lock()
				p.rows = append(p.rows, rows)
				p.mu.Unlock()
				p.note("publish gen=%d rows=%d", gen, len(rows))
			},
			Status: func(_ string, gen uint64, values map[string]protocol.StatusValue) {
				for name, v := range values {
					p.note("status gen=%d %s=%s", gen, name, v.Text)
				}
			},
			ClearStatus: func(_ string, planned bool) { p.note("clear-status planned=%v", planned) },
			DropCatalog: func(string) { p.note("drop-catalog") },
			Poll: func(_ string, gen uint64, regs []protocol.Registration) {
				p.note("poll gen=%d timers=%d", gen, len(regs))
			},
			Log: func(_ string, rec protocol.LogRecord) { p.note("log %s", rec.Message) },
			HostCall: func(_ context.Context, c supervisor.Caller, method string, _ []byte) []byte {
				return protocol.NewObject(nil).Bool("ok", true).Str("who", c.PluginID).Int("gen", int64(c.Generation)).
					Str("method", method).Bytes()
			},
			Running: func(_ string, gen uint64) { p.note("running gen=%d", gen) },
			Changed: func(s supervisor.Snapshot) { p.note("state=%s", s.State) },
		},
	}
	for _, opt := range opts {
		opt(&o)
	}
	p.Plugin = supervisor.New(definition(m), o)
	t.Cleanup(p.end)
	return p
}

// end closes the plugin whatever its child ignores.
func (p *plugin) end() {
	done := make(chan error, 1)
	go func() { done <- p.Close(context.Background()) }()
	p.driveUntil("closed", func() bool {
		select {
		case err := <-done:
			require.NoError(p.t, err)
			return true
		default:
			return false
		}
	})
}

func (p *plugin) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, fmt.Sprintf(format, args...))
	p.changed.Broadcast()
}

func (p *plugin) noted() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

func (p *plugin) count(call string) int {
	n := 0
	for _, c := range p.noted() {
		if c == call {
			n++
		}
	}
	return n
}

// patience bounds what a broken build may make a test wait for.
const patience = 60 * time.Second

func (p *plugin) until(what string, ok func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			require.FailNowf(p.t, "never: "+what, "%+v\n%s\n%s", p.Snapshot(), strings.Join(p.noted(), "\n"), p.log)
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// driveUntil is until while time flies, for what takes as many timers as it takes.
func (p *plugin) driveUntil(what string, ok func() bool) {
	p.t.Helper()
	p.until(what, func() bool {
		if ok() {
			return true
		}
		p.time.Advance(50 * time.Millisecond)
		return false
	})
}

func (p *plugin) reach(s supervisor.State) supervisor.Snapshot {
	p.t.Helper()
	p.until(string(s), func() bool { return p.Snapshot().State == s })
	return p.Snapshot()
}

// running starts the plugin and waits for its first child.
func (p *plugin) running() supervisor.Snapshot {
	p.t.Helper()
	p.Start()
	return p.reach(supervisor.Running)
}

// reaped waits until the plugin has no child.
func (p *plugin) reaped() {
	p.t.Helper()
	p.until("reaped", func() bool { return p.Snapshot().PID == 0 })
}

func (p *plugin) command(sub string, args ...string) protocol.Outcome {
	return p.Perform(context.Background(), protocol.Perform{
		Kind: protocol.PerformCommand, Command: "test", Subcommand: sub, Args: args,
		Raw: ":test " + sub + " " + strings.Join(args, " "),
	}, 0)
}

// say runs a command that must succeed.
func (p *plugin) say(sub string, args ...string) string {
	p.t.Helper()
	out := p.command(sub, args...)
	require.True(p.t, out.OK, "%+v", out)
	return out.Message
}

// later runs a command beside the test.
func (p *plugin) later(sub string, args ...string) <-chan protocol.Outcome {
	ch := make(chan protocol.Outcome, 1)
	go func() { ch <- p.command(sub, args...) }()
	return ch
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func withSweep(clock *event.Clock, t event.Time) option {
	return func(o *supervisor.Options) { o.Sweep = supervisor.NewSweep(clock, t) }
}
