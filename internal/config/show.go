package config

import (
	"bytes"

	"github.com/pelletier/go-toml/v2"
)

// Show writes the effective configuration as TOML that reads back to the same.
func (c Config) Show() ([]byte, error) {
	type pluginView = map[string]any
	view := struct {
		Version    int        `toml:"version"`
		Flashlight Flashlight `toml:"flashlight"`
		Hotkeys    struct {
			Open string         `toml:"open"`
			Bind map[string]any `toml:"bind,omitempty"`
		} `toml:"hotkeys"`
		Aliases   map[string]any `toml:"aliases,omitempty"`
		StatusBar StatusBar      `toml:"statusbar"`
		Plugins   struct {
			Enabled        []string `toml:"enabled"`
			Disabled       []string `toml:"disabled"`
			Dirs           []string `toml:"dirs"`
			StartupTimeout string   `toml:"startup_timeout"`
		} `toml:"plugins"`
		Logs    Logs                  `toml:"logs"`
		History History               `toml:"history"`
		Pointer map[string]any        `toml:"pointer,omitempty"`
		Plugin  map[string]pluginView `toml:"plugin,omitempty"`
	}{Version: Version, Flashlight: c.Flashlight, StatusBar: c.StatusBar, Logs: c.Logs, History: c.History, Pointer: c.pointer}
	view.Hotkeys.Open, view.Hotkeys.Bind, view.Aliases = c.Hotkeys.Open, targetsView(c.Hotkeys.Bind), targetsView(c.Aliases)
	view.Plugins.Enabled, view.Plugins.Disabled = shown(c.Plugins.Enabled), shown(c.Plugins.Disabled)
	view.Plugins.Dirs, view.Plugins.StartupTimeout = shown(c.Plugins.Dirs), c.Plugins.StartupTimeout.String()
	for id, p := range c.Plugin {
		if view.Plugin == nil {
			view.Plugin = map[string]pluginView{}
		}
		view.Plugin[id] = p.view()
	}
	var b bytes.Buffer
	err := toml.NewEncoder(&b).Encode(view)
	return b.Bytes(), err
}

func (p Plugin) view() map[string]any {
	v := map[string]any{"enabled": p.Enabled, "sandbox": p.Sandbox}
	if p.Network {
		v["network"] = true
	}
	if p.MemoryMiB > 0 {
		v["memory_mib"] = p.MemoryMiB
	}
	for name, list := range map[string][]string{"fetch_urls": p.FetchURLs, "exec_paths": p.ExecPaths, "read": p.Read, "unix_sockets": p.UnixSockets} {
		if len(list) > 0 {
			v[name] = list
		}
	}
	for name, s := range p.settings {
		v[name] = s
	}
	return v
}

// shown makes an absent list an empty one: it is a setting like the others.
func shown(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
