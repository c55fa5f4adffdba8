package manifest

import (
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
	// ExecFault says why Argv could not be resolved; it is shown when the plugin
	// would start, so that installing the program later needs no new manifest.
	ExecFault string

	manifestSum [32]byte
	binary      stamp
}

// PluginConfig is what the user configured for one plugin.
type PluginConfig struct {
	// Table is the `[plugin.<id>]` table as a JSON object, nil for none.
	Table []byte
}

// ID is the plugin's id.
func (d Definition) ID() string { return d.Manifest.ID }

// Set is what a load found, sorted by id; no id is there twice.
type Set []Definition

// Find returns the definition of id.
func (s Set) Find(id string) (Definition, bool) {
	i, ok := slices.BinarySearchFunc(s, id, func(d Definition, id string) int {
		switch {
		case d.Manifest.ID < id:
			return -1
		case d.Manifest.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return Definition{}, false
	}
	return s[i], true
}
