package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/supervisor"
	"github.com/flash-launcher/flash/protocol"
)

// pluginSet is all that is known of plugins at one moment. Readers load it
// whole and never wait; the main goroutine replaces it.
type pluginSet struct {
	defs   manifest.Set
	faults []manifest.Fault
	slots  map[string]*slot
}

// slot is one known plugin. live is nil while it is disabled.
type slot struct {
	def  manifest.Definition
	live *supervisor.Plugin
	off  string // why it is disabled, "" when it is not
	*memory
}

func (h *Host) pluginDirs() []manifest.Dir {
	var dirs []manifest.Dir
	if dir := manifest.OfficialDir(""); dir != "" {
		dirs = append(dirs, manifest.Dir{Path: dir, Official: true})
	}
	for _, dir := range h.cfg.Load().Plugins.Dirs {
		dirs = append(dirs, manifest.Dir{Path: dir})
	}
	return append(dirs, manifest.Dir{Path: filepath.Join(h.paths.ConfigDir, "plugins")})
}

func (h *Host) manifestOptions() []manifest.Option {
	return []manifest.Option{
		manifest.WithTime(h.time),
		manifest.WithLoginPath(manifest.LoginPath()),
		manifest.WithConfig(func(id string) manifest.PluginConfig {
			return manifest.PluginConfig{Table: h.cfg.Load().For(id).Table}
		}),
	}
}

// watchManifests follows the folders that are looked in now, instead of those before.
func (h *Host) watchManifests(ctx context.Context) {
	if h.watching != nil {
		h.watching()
	}
	watch, cancel := context.WithCancel(ctx)
	h.watching = cancel
	h.dirs = h.pluginDirs()
	if _, err := manifest.Watch(watch, h.dirs, func() {
		h.do(watch, "manifests", func() { h.loadPlugins(ctx) })
	}, h.manifestOptions()...); err != nil {
		h.log.Warn("plugin folders are not watched", "error", err.Error())
	}
}

// loadPlugins reads the plugin folders and brings what runs in line with them.
func (h *Host) loadPlugins(context.Context) {
	old := h.plugins.Load()
	next, faults := manifest.Load(h.pluginDirs(), h.manifestOptions()...)
	plan := manifest.Reconcile(old.defs, next, faults)
	for _, f := range faults {
		h.log.Warn("plugin refused", "plugin", f.ID, "faults", len(f.Problems))
	}
	if len(faults) == 0 && !slices.ContainsFunc(next, func(d manifest.Definition) bool { return d.Official }) {
		faults = append(faults, manifest.NoOfficial(manifest.OfficialDir("")))
		h.log.Warn("the plugins that come with Flash are not there")
	}

	slots := maps.Clone(old.slots)
	if slots == nil {
		slots = map[string]*slot{}
	}
	for _, id := range plan.Removed {
		h.retire(slots[id])
		delete(slots, id)
	}
	for _, def := range plan.Changed {
		slots[def.ID()] = h.replace(slots[def.ID()], def)
	}
	for _, def := range plan.Rebuilt {
		s := *slots[def.ID()]
		s.def = def
		slots[def.ID()] = &s
		if s.live != nil {
			s.live.Replace(def)
		}
	}
	for _, def := range plan.Added {
		slots[def.ID()] = &slot{def: def, off: h.offReason(def), memory: &memory{}}
	}
	for id, s := range slots {
		if s.live != nil {
			s.live.SetManifestError(faultOf(plan.Kept, id))
		}
	}
	h.plugins.Store(&pluginSet{defs: plan.Set, faults: faults, slots: slots})
	h.enact()
}

func faultOf(kept []manifest.Fault, id string) string {
	for _, f := range kept {
		if f.ID == id {
			return f.Error()
		}
	}
	return ""
}

// replace puts a changed definition into force.
func (h *Host) replace(s *slot, def manifest.Definition) *slot {
	n := &slot{def: def, live: s.live, off: h.offReason(def), memory: &memory{}}
	if n.live != nil {
		n.live.Replace(def)
	}
	return n
}

// enact starts what is enabled and does not live, stops what lives and is
// disabled, and tells bus and registry who there is.
func (h *Host) enact() {
	set := h.plugins.Load()
	slots := maps.Clone(set.slots)
	for id, s := range slots {
		off := h.offReason(s.def)
		if off == s.off && (off == "") == (s.live != nil) {
			continue
		}
		n := &slot{def: s.def, live: s.live, off: off, memory: s.memory}
		switch {
		case off == "" && n.live == nil:
			n.live = supervisor.New(s.def, h.pluginOptions(s))
		case off != "" && n.live != nil:
			h.retire(s)
			n.live = nil
		}
		slots[id] = n
	}
	h.plugins.Store(&pluginSet{defs: set.defs, faults: set.faults, slots: slots})

	declared := map[string][]string{}
	var listeners []event.Listener
	for _, id := range slices.Sorted(maps.Keys(slots)) {
		if s := slots[id]; s.live != nil {
			declared[id] = s.def.Manifest.Status
			listeners = append(listeners, s.live.Listener())
		}
	}
	h.status.SetDeclared(declared)
	h.bus.SetListeners(listeners)
	h.listenToDesktop()
	for id, s := range slots {
		if s.live != nil {
			s.live.SetObserved(h.status.Observed(id))
			s.live.Start()
		}
	}
	h.pulse.Beat()
}

// retire ends a plugin for good, in the background: the main goroutine waits
// for no child.
func (h *Host) retire(s *slot) {
	if s == nil || s.live == nil {
		return
	}
	id := s.def.ID()
	h.ending.Go(func() { h.closePlugin(s.live) })
	h.catalog.Drop(id)
}

func (h *Host) closePlugin(p *supervisor.Plugin) {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := p.Close(ctx); err != nil {
		h.log.Warn("plugin does not end", "plugin", p.ID(), "error", err.Error())
	}
}

// stopPlugins ends all plugins at once and waits for the last.
func (h *Host) stopPlugins() {
	for _, s := range h.plugins.Load().slots {
		if s.live != nil {
			h.ending.Go(func() { h.closePlugin(s.live) })
		}
	}
	h.ending.Wait()
	h.installs.Wait()
}

// offReason says why a plugin is not to live, "" when it is.
func (h *Host) offReason(def manifest.Definition) string {
	id := def.ID()
	if def.Unsupported != "" {
		return def.Unsupported
	}
	if on, said := h.overrides.get(id); said {
		if on {
			return h.installWait(def)
		}
		return fmt.Sprintf("disabled by `flash plugin disable %s`", id)
	}
	if !h.cfg.Load().Enabled(id) {
		return "disabled in " + h.paths.ConfigFile
	}
	return h.installWait(def)
}

// why explains a plugin that is neither running nor broken.
func why(s *slot, snap supervisor.Snapshot) string {
	switch {
	case s.off != "":
		return s.off
	case s.def.ExecFault != "":
		return s.def.ExecFault
	case snap.ManifestError != "":
		return snap.ManifestError
	case snap.State != supervisor.Idle:
		return ""
	}
	switch snap.Activation {
	case protocol.StatusBound:
		return "runs while the status bar shows one of its segments"
	case protocol.OnDemand:
		return "starts when it is first used"
	case protocol.ManifestOnly:
		return "has no process"
	}
	return ""
}

// applyConfig puts what needs no other plugin set into force.
func (h *Host) applyConfig() {
	c := h.cfg.Load()
	h.rank.SetLearning(c.History.Learning)
	h.engine.SetAliases(aliasesOf(c.Aliases))
	h.screen().apply()
	h.bar.reconfigured.Beat()
}

func aliasesOf(targets map[string]config.Target) map[string]flashlight.Alias {
	out := make(map[string]flashlight.Alias, len(targets))
	for name, t := range targets {
		out[name] = flashlight.Alias{Text: cmp.Or(t.Query, t.Command), Row: t.Row}
	}
	return out
}

// sameConfinement reports whether two tables of a plugin give its child the same
// sandbox. The plugin's own settings are its manifest's side to compare.
func sameConfinement(a, b config.Plugin) bool {
	return a.Sandbox == b.Sandbox && a.Network == b.Network && a.MemoryMiB == b.MemoryMiB &&
		slices.Equal(a.ExecPaths, b.ExecPaths) && slices.Equal(a.Read, b.Read) && slices.Equal(a.UnixSockets, b.UnixSockets)
}

// setConfig puts a changed configuration into force. Plugins whose own table
// changed are replaced; no other is disturbed.
func (h *Host) setConfig(ctx context.Context, c config.Config, faults []config.Fault) {
	before := h.cfg.Load()
	h.cfg.Store(&configuration{Config: c, faults: faults, theme: themeFaults(c, h.paths.ConfigDir), loaded: h.time.Now()})
	for _, f := range faults {
		h.log.Warn("configuration fault", "fault", f)
	}
	for id, s := range h.plugins.Load().slots {
		if s.live != nil && !sameConfinement(before.For(id), c.For(id)) {
			s.live.Reload()
		}
	}
	h.applyConfig()
	if !slices.Equal(h.pluginDirs(), h.dirs) {
		h.watchManifests(ctx)
	}
	h.loadPlugins(ctx)
	h.bus.Send(protocol.EventConfigChanged, func() *event.Event { return event.Plain(protocol.EventConfigChanged) })
}
