package host

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

// pluginOptions wires one plugin into the ring.
func (h *Host) pluginOptions(s *slot) supervisor.Options {
	id := s.def.ID()
	return supervisor.Options{
		Runner: confined{h.runner, s.memory},
		Time:   h.time,
		Logger: h.log,
		Prepare: func(_ context.Context, def manifest.Definition) (supervisor.Spec, error) {
			return h.prepare(def, s.memory)
		},
		DataDir:  h.paths.PluginData(id),
		Sweep:    h.sweep,
		Watchdog: h.watchdog,
		Sinks: supervisor.Sinks{
			Publish: func(id string, gen uint64, rows []protocol.Row) {
				h.guard.Touch()
				h.catalog.Publish(id, gen, rows)
				if !s.published.Swap(true) {
					h.pulse.Beat()
				}
			},
			Status: func(id string, gen uint64, values map[string]protocol.StatusValue) {
				h.guard.Touch()
				h.status.Merge(id, gen, values)
			},
			ClearStatus: func(id string, planned bool) {
				h.status.Clear(id, planned)
				h.broker.Forget(id)
			},
			DropCatalog: h.catalog.Drop,
			Poll:        h.poll,
			Log:         h.pluginLog,
			HostCall:    h.hostCall,
			First: func(string) []*event.Event {
				return []*event.Event{event.AppsChanged("snapshot", h.apps.running())}
			},
			Changed: func(snap supervisor.Snapshot) {
				h.guard.Touch()
				s.lastError(snap)
				h.pulse.Beat()
			},
		},
	}
}

// prepare makes the child's world: its data folder, environment and policy.
func (h *Host) prepare(def manifest.Definition, mem *memory) (supervisor.Spec, error) {
	id, m := def.ID(), def.Manifest
	if def.ExecFault != "" {
		return supervisor.Spec{}, fmt.Errorf("plugin %s: %s", id, def.ExecFault)
	}
	data := h.paths.PluginData(id)
	temp := filepath.Join(data, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return supervisor.Spec{}, fmt.Errorf("plugin %s: its data folder: %w", id, err)
	}
	cfg := h.cfg.Load().For(id)
	in := sandbox.PolicyInput{
		PluginID:       id,
		Root:           def.Root,
		DataDir:        data,
		Argv:           def.Argv,
		Exec:           slices.Concat(m.Sandbox.Exec, cfg.ExecPaths),
		UnixSockets:    slices.Concat(m.Sandbox.UnixSockets, cfg.UnixSockets),
		Read:           m.Sandbox.Read,
		AppleEvents:    m.Sandbox.AppleEvents,
		Signal:         m.Sandbox.Signal,
		Mach:           m.Sandbox.Mach,
		Capabilities:   m.Capabilities,
		ConfigRead:     cfg.Read,
		Disabled:       !cfg.Sandbox,
		MakeSocketDirs: true,
		LoginPath:      loginPath(),
		PluginsData:    h.paths.Data,
		ControlSocket:  h.opts.Socket,
		ExtraSecrets:   []string{h.paths.State, h.paths.Logs},
	}
	if cfg.MemoryMiB > 0 {
		bytes := int64(cfg.MemoryMiB) << 20
		in.MemoryBytes = &bytes
	}
	policy, notes, err := sandbox.PolicyFor(in)
	if err != nil {
		return supervisor.Spec{}, fmt.Errorf("plugin %s: %w", id, err)
	}
	for _, n := range notes {
		h.log.Info("sandbox grant skipped", "plugin", id, "key", n.Key)
	}
	mem.policy.Store(policy)
	return supervisor.Spec{
		PluginID: id,
		Argv:     def.Argv,
		Dir:      def.Root,
		Env:      childEnv(def, data, temp),
		Policy:   policy,
	}, nil
}

// childEnv is the child's environment. Its folder for temporary files is one that
// it may write: the system's is closed to it.
func childEnv(def manifest.Definition, data, temp string) []string {
	lookup := func(key string) (string, bool) {
		if key == "TMPDIR" {
			return temp, true
		}
		return os.LookupEnv(key)
	}
	return manifest.Environment(def, manifest.World{DataDir: data, LoginPath: loginPath(), Lookup: lookup})
}

func (h *Host) hostCall(ctx context.Context, c supervisor.Caller, method string, params []byte) []byte {
	h.guard.Touch()
	return h.broker.Call(ctx, broker.Caller{
		PluginID:     c.PluginID,
		Capabilities: c.Manifest.HasCapability,
		FetchURLs:    slices.Concat(c.Manifest.FetchURLs, h.cfg.Load().For(c.PluginID).FetchURLs),
		DataDir:      c.DataDir,
		Generation:   c.Generation,
	}, method, params)
}

// poll registers a plugin's whole set of timers with the shared clock.
func (h *Host) poll(id string, _ uint64, regs []protocol.Registration) {
	if len(regs) == 0 {
		h.clock.Unregister(id)
		return
	}
	err := h.clock.Register(id, regs, func(name string) {
		s := h.plugins.Load().slots[id]
		if s == nil || s.live == nil {
			h.clock.Done(id, name)
			return
		}
		s.live.Emit(event.Tick(name, func() { h.clock.Done(id, name) }))
	})
	if err != nil {
		h.log.Warn("timers refused", "plugin", id, "error", err.Error())
	}
}

// confined lends the sandbox's runner the shape that the supervisor asks for.
type confined struct {
	*sandbox.Runner
	memory *memory
}

func (c confined) Start(ctx context.Context, s supervisor.Spec) (supervisor.Process, error) {
	policy, ok := s.Policy.(*sandbox.Policy)
	if !ok {
		return nil, fmt.Errorf("plugin %s has no sandbox policy and is not started", s.PluginID)
	}
	p, err := c.Runner.Start(ctx, sandbox.Command{Argv: s.Argv, Dir: s.Dir, Env: s.Env, Policy: policy})
	if err != nil {
		return nil, err
	}
	return process{p, c.memory}, nil
}

type process struct {
	*sandbox.Process
	memory *memory
}

func (p process) Stdin() io.WriteCloser { return p.Process.Stdin() }
func (p process) Stdout() io.ReadCloser { return p.Process.Stdout() }
func (p process) Stderr() io.ReadCloser { return p.Process.Stderr() }

func (p process) Wait() supervisor.Exit {
	e := p.Process.Wait()
	p.memory.exit.Store(&e)
	return supervisor.Exit{Code: e.Code, Signal: e.Signal, Err: e.Err}
}

func (p process) Timings() supervisor.StartTimings {
	t := p.Process.Timings()
	return supervisor.StartTimings{Sandbox: t.Sandbox, Spawn: t.Spawn}
}
