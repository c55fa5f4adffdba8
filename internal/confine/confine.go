// Package confine makes what a plugin's child is started with from its manifest
// and the user's configuration: the policy of its sandbox, its environment and
// its folder for temporary files. The host and the tools for plugin authors
// start plugins alike because both ask here. It never starts a process and
// enforces nothing; package sandbox does.
package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// Place is what a policy has to know of the host.
type Place struct {
	PluginsData   string   // holds the data of every plugin
	ControlSocket string   // the host's own socket
	Secrets       []string // what else the host keeps to itself
}

// PlaceOf is the place of a host with these paths.
func PlaceOf(p config.Paths, socket string) Place {
	return Place{PluginsData: p.Data, ControlSocket: socket, Secrets: []string{p.State, p.Logs}}
}

func (p Place) input(def manifest.Definition, cfg config.Plugin, dataDir string) sandbox.PolicyInput {
	m := def.Manifest
	in := sandbox.PolicyInput{
		PluginID:      def.ID(),
		Root:          def.Root,
		DataDir:       dataDir,
		Argv:          def.Argv,
		Exec:          slices.Concat(m.Sandbox.Exec, cfg.ExecPaths),
		UnixSockets:   slices.Concat(m.Sandbox.UnixSockets, cfg.UnixSockets),
		Read:          m.Sandbox.Read,
		AppleEvents:   m.Sandbox.AppleEvents,
		Signal:        m.Sandbox.Signal,
		Mach:          m.Sandbox.Mach,
		Capabilities:  m.Capabilities,
		ConfigRead:    cfg.Read,
		Disabled:      !cfg.Sandbox,
		LoginPath:     manifest.LoginPath(),
		PluginsData:   p.PluginsData,
		ControlSocket: p.ControlSocket,
		ExtraSecrets:  p.Secrets,
	}
	if cfg.Network {
		in.Capabilities = append(slices.Clip(in.Capabilities), "network")
	}
	if cfg.MemoryMiB > 0 {
		bytes := int64(cfg.MemoryMiB) << 20
		in.MemoryBytes = &bytes
	}
	return in
}

// Policy is the sandbox of def on goos ("" is this platform). It makes nothing:
// dataDir has to be there.
func (p Place) Policy(def manifest.Definition, cfg config.Plugin, dataDir, goos string) (*sandbox.Policy, []sandbox.Note, error) {
	in := p.input(def, cfg, dataDir)
	in.GOOS = goos
	return sandbox.PolicyFor(in)
}

// Command is all that starting def takes. It makes the data folder, with a
// folder for temporary files in it, and the socket folders of the policy.
func (p Place) Command(def manifest.Definition, cfg config.Plugin, dataDir string) (sandbox.Command, []sandbox.Note, error) {
	temp := filepath.Join(dataDir, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return sandbox.Command{}, nil, fmt.Errorf("plugin %s: its data folder: %w", def.ID(), err)
	}
	in := p.input(def, cfg, dataDir)
	in.MakeSocketDirs = true
	policy, notes, err := sandbox.PolicyFor(in)
	if err != nil {
		return sandbox.Command{}, nil, err
	}
	return sandbox.Command{Argv: def.Argv, Dir: def.Root, Env: environment(def, dataDir, temp), Policy: policy}, notes, nil
}

// environment is the child's. Its folder for temporary files is one that it may
// write: the system's is closed to it.
func environment(def manifest.Definition, dataDir, temp string) []string {
	lookup := func(key string) (string, bool) {
		if key == "TMPDIR" {
			return temp, true
		}
		return os.LookupEnv(key)
	}
	return manifest.Environment(def, manifest.World{DataDir: dataDir, LoginPath: manifest.LoginPath(), Lookup: lookup})
}
