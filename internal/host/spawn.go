package host

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/confine"
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
		StartupTimeout: func() time.Duration { return h.cfg.Load().Plugins.StartupTimeout },
		Install:        h.install,
		NeedsInstall:   h.needsInstall,
		DataDir:        h.paths.PluginData(id),
		Sweep:          h.sweep,
		Watchdog:       h.watchdog,
		Sinks: supervisor.Sinks{
			Publish: func(id string, gen uint64, rows []protocol.Row) {
				h.guard.Touch()
				h.catalog.Publish(id, gen, rows)
				if !s.published.Swap(true) {
					h.pulse.Beat()
				}
			},
			// A monitor's word each second is no activity: what it leaves behind is
			// collected when the headroom is used up.
			Status: func(id string, gen uint64, values map[string]protocol.StatusValue) {
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
	id := def.ID()
	if def = def.Resolved(manifest.LoginPath()); def.ExecFault != "" {
		return supervisor.Spec{}, fmt.Errorf("plugin %s: %s", id, def.ExecFault)
	}
	cmd, notes, err := confine.PlaceOf(h.paths, h.opts.Socket).Command(def, h.cfg.Load().For(id), h.paths.PluginData(id))
	if err != nil {
		return supervisor.Spec{}, err
	}
	for _, n := range notes {
		h.log.Info("sandbox grant skipped", "plugin", id, "key", n.Key)
	}
	mem.policy.Store(cmd.Policy)
	return supervisor.Spec{PluginID: id, Argv: cmd.Argv, Dir: cmd.Dir, Env: cmd.Env, Policy: cmd.Policy}, nil
}

func (h *Host) hostCall(ctx context.Context, c supervisor.Caller, method string, params []byte) []byte {
	h.guard.Touch()
	return h.broker.Call(h.performing.lend(ctx, c.PluginID), broker.Caller{
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
