package manifest

import (
	"cmp"
	"os"
	"slices"

	"github.com/flash-launcher/flash/protocol"
)

// Definition is one plugin, ready to be run. It is immutable.
type Definition struct {
	Manifest *protocol.Manifest
	Root     string   // the plugin's folder, absolute
	Official bool     // part of Flash, not installed by the user
	Argv     []string // resolved: Argv[0] is absolute; nil for a manifest-only plugin
	Config   PluginConfig
	// ExecFault says why Argv could not be resolved. The plugin is known all the
	// same: its program may be installed later.
	ExecFault string
	// Unsupported says which platforms the plugin is for where this is none of
	// them, "" where it is. Such a plugin is known and never run.
	Unsupported string

	sum   [32]byte // of manifest.json
	files []file   // that the child is made of
}

// PluginConfig is what the user configured for one plugin.
type PluginConfig struct {
	// Table is the `[plugin.<id>]` table as a JSON object, nil for none.
	Table []byte
}

// Resolved looks again for the program of a definition without one: it may have
// been installed since.
func (d Definition) Resolved(loginPath string) Definition {
	if d.ExecFault == "" {
		return d
	}
	exe, err := os.Executable()
	if err != nil {
		exe = ""
	}
	d.Argv, d.ExecFault = newResolver(exe, loginPath).resolve(d.Root, d.Manifest.Exec)
	d.files = filesOf(d.Root, d.Argv)
	return d
}

// ID is the plugin's id.
func (d Definition) ID() string { return d.Manifest.ID }

// Set is what a load found, sorted by id; no id is there twice.
type Set []Definition

// Find returns the definition of id.
func (s Set) Find(id string) (Definition, bool) {
	i, ok := slices.BinarySearchFunc(s, id, func(d Definition, id string) int { return cmp.Compare(d.ID(), id) })
	if !ok {
		return Definition{}, false
	}
	return s[i], true
}
