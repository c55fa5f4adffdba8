package host

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/doctor"
	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

// readyWait bounds how long a client waits for first rows once the plugins have
// settled: a plugin may take its time to look around, or have nothing to say.
const readyWait = 2 * time.Second

const (
	defaultRows = 20
	maxRows     = 1000
)

// register gives the control socket its verbs.
func (h *Host) register(s *control.Server) {
	s.Handle(control.MethodStatus, func(context.Context, control.Request) (any, error) { return h.statusReply(), nil })
	s.Handle(control.MethodReady, h.ready)
	s.Handle(control.MethodStop, func(_ context.Context, r control.Request) (any, error) {
		r.After(h.end)
		return nil, nil
	})
	s.Handle(control.MethodQuery, h.query)
	s.Handle(control.MethodPerform, h.perform)
	s.Handle(control.MethodPlugins, func(context.Context, control.Request) (any, error) {
		return control.Plugins{Plugins: h.pluginInfos()}, nil
	})
	s.Handle(control.MethodPlugin, h.pluginOp)
	s.Handle(control.MethodDoctor, h.doctor)
	s.Handle(control.MethodConfig, h.configState)
	h.registerSessions(s)
	h.registerStatusBar(s)
}

func (h *Host) query(ctx context.Context, r control.Request) (any, error) {
	var p control.QueryParams
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	if p.Limit == 0 {
		p.Limit = defaultRows
	}
	if p.Limit < 0 || p.Limit > maxRows {
		return nil, control.Errorf(control.CodeInvalid, "query: limit %d is not within 1..%d", p.Limit, maxRows)
	}
	r.After(func() { h.sessionOpened(context.WithoutCancel(ctx)) })
	return h.engine.Query(ctx, p.Text, p.Limit), nil
}

func (h *Host) perform(ctx context.Context, r control.Request) (any, error) {
	var p control.PerformParams
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	// What was typed, a command or a bang, is its own row's id.
	if _, _, err := catalog.ParseRowID(p.Row); err != nil && !strings.HasPrefix(p.Row, ":") && !strings.HasPrefix(p.Row, "!") {
		return nil, control.Errorf(control.CodeInvalid, "perform: %q is no row id; `flash query` prints them", p.Row)
	}
	if why := h.engine.Missing(p.Row); why != "" {
		return nil, control.Errorf(control.CodeNotFound, "perform: %s", why)
	}
	return resultOf(h.engine.Act(ctx, p.Row, p.Action)), nil
}

// ready answers once every plugin that was started has got somewhere: running,
// waiting to be wanted, or failed; and once those with rows have shown some.
func (h *Host) ready(ctx context.Context, _ control.Request) (any, error) {
	select {
	case <-h.up:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	deadline := time.NewTimer(readyWait)
	defer deadline.Stop()
	waited := false
	for {
		changed := h.pulse.Wait()
		settled, shown := h.settled()
		if settled && (shown || waited) {
			return h.statusReply(), nil
		}
		select {
		case <-changed:
		case <-deadline.C:
			waited = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// settled reports whether no plugin is on its way, and whether every running
// one that has warm sources has published.
func (h *Host) settled() (settled, shown bool) {
	settled, shown = true, true
	for _, s := range h.plugins.Load().slots {
		if s.live == nil {
			continue
		}
		switch s.live.Snapshot().State {
		case supervisor.Initial, supervisor.Installing, supervisor.Launching:
			settled = false
		case supervisor.Running:
			if warm(s.def.Manifest) && !s.published.Load() {
				shown = false
			}
		}
	}
	return settled, shown
}

func warm(m *protocol.Manifest) bool {
	return slices.ContainsFunc(m.Sources, func(s protocol.Source) bool { return !s.Live })
}

func (h *Host) statusReply() control.Status {
	cfg, set := h.cfg.Load(), h.plugins.Load()
	st := control.Status{
		Version:       h.opts.Version,
		PID:           os.Getpid(),
		UptimeSeconds: int64(time.Since(h.started).Seconds()),
		Socket:        h.opts.Socket,
		Config:        h.paths.ConfigFile,
		ConfigFaults:  cfg.faultTexts(),
		PluginDirs:    []string{},
		PluginFaults:  []string{},
		StateFaults:   append([]string{}, h.stateFaults...),
		Plugins:       map[string]int{},
		Rows:          h.catalog.Snapshot().Len(),
		Sessions:      h.sessions.Load(),
		Sandbox:       doctor.Sandbox(sandbox.Available()),
		Desktop:       []control.Check{},
	}
	for _, d := range h.pluginDirs() {
		st.PluginDirs = append(st.PluginDirs, d.Path)
	}
	for _, f := range set.faults {
		st.PluginFaults = append(st.PluginFaults, f.Error())
	}
	for _, s := range set.slots {
		state := supervisor.Stopped
		if s.live != nil {
			state = s.live.Snapshot().State
		}
		st.Plugins[string(state)]++
	}
	for _, f := range h.describeDesktop() {
		c := control.Check{Name: f.Name, OK: f.Backend != "", Detail: f.Backend}
		if !c.OK {
			c.Detail = f.Remedy
		} else if f.Remedy != "" {
			c.Detail += "; " + f.Remedy
		}
		st.Desktop = append(st.Desktop, c)
	}
	st.RSSKiB, _ = footprint(st.PID)
	return st
}

func (c *configuration) faultTexts() []string {
	out := []string{}
	for _, f := range c.faults {
		out = append(out, f.Error())
	}
	return append(append(out, c.theme...), c.templateFaults()...)
}

func (h *Host) pluginInfos() []control.PluginInfo {
	set, rows := h.plugins.Load(), h.catalog.Snapshot()
	out := make([]control.PluginInfo, 0, len(set.slots))
	for _, id := range slices.Sorted(maps.Keys(set.slots)) {
		info := h.pluginInfo(set.slots[id])
		if p := rows.Plugin(id); p != nil {
			info.Rows = len(p.Rows)
		}
		out = append(out, info)
	}
	return out
}

func (h *Host) pluginInfo(s *slot) control.PluginInfo {
	m := s.def.Manifest
	info := control.PluginInfo{
		ID: m.ID, Version: m.Version, Activation: m.Activation().String(),
		Official: s.def.Official, Root: s.def.Root, Install: m.Install,
		State: string(supervisor.Stopped), Sandbox: h.confinement(m.ID), Why: s.off,
	}
	if s.live == nil {
		return info
	}
	snap := s.live.Snapshot()
	info.State, info.PID, info.Restarts = string(snap.State), snap.PID, snap.Restarts
	info.LastError, info.Generation, info.InitializeMS = s.lastError(snap), snap.Generation, float64(snap.InitializeMS)
	info.Why = why(s, snap)
	if snap.Confinement != "" {
		info.Sandbox = snap.Confinement
	}
	if snap.PID > 0 {
		info.RSSKiB, info.PSSKiB = footprint(snap.PID)
	}
	return info
}

// confinement says how a plugin without a child would be confined.
func (h *Host) confinement(id string) string {
	if !h.cfg.Load().For(id).Sandbox {
		return "off (sandbox = false)"
	}
	return "on"
}

func (h *Host) pluginOp(ctx context.Context, r control.Request) (any, error) {
	var p control.PluginParams
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	before := h.plugins.Load().slots[p.ID]
	if before == nil {
		return nil, control.Errorf(control.CodeNotFound, "no plugin is called %q; `flash plugins` lists them", p.ID)
	}
	var old uint64
	if before.live != nil {
		old = before.live.Snapshot().Generation
	}
	var failed error
	err := h.ask(ctx, "plugin "+string(p.Op), func() { failed = h.applyOp(ctx, p) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return h.settledInfo(ctx, p, old)
}

func (h *Host) applyOp(ctx context.Context, p control.PluginParams) error {
	switch p.Op {
	case control.PluginEnable, control.PluginDisable:
		if err := h.overrides.set(p.ID, p.Op == control.PluginEnable); err != nil {
			return err
		}
		h.enact()
	case control.PluginInstall:
		return h.allowInstall(p)
	case control.PluginReload:
		h.loadPlugins(ctx)
		s := h.plugins.Load().slots[p.ID]
		if s == nil {
			return control.Errorf(control.CodeNotFound, "plugin %q is gone from its folder", p.ID)
		}
		if s.live == nil {
			return control.Errorf(control.CodeFailed, "plugin %q is off: %s", p.ID, s.off)
		}
		s.published.Store(false)
		s.live.Reload()
	default:
		return control.Errorf(control.CodeInvalid, "plugin: %q is none of reload, enable, disable, install", p.Op)
	}
	return nil
}

// settledInfo waits until the plugin has got somewhere, so that the answer says
// what came of the request. A reload has only when the child of generation old
// is no longer the one that runs.
func (h *Host) settledInfo(ctx context.Context, p control.PluginParams, old uint64) (any, error) {
	for {
		changed := h.pulse.Wait()
		s := h.plugins.Load().slots[p.ID]
		if s == nil {
			return nil, control.Errorf(control.CodeNotFound, "plugin %q is gone from its folder", p.ID)
		}
		info := h.pluginInfo(s)
		switch supervisor.State(info.State) {
		case supervisor.Initial, supervisor.Installing, supervisor.Launching:
		case supervisor.Running:
			if p.Op != control.PluginReload || info.Generation != old {
				return info, nil
			}
		default:
			return info, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (h *Host) configState(context.Context, control.Request) (any, error) {
	cfg := h.cfg.Load()
	text, err := cfg.Show()
	if err != nil {
		return nil, err
	}
	return control.ConfigState{Path: h.paths.ConfigFile, Loaded: cfg.loaded, Faults: cfg.faultTexts(), TOML: string(text)}, nil
}
