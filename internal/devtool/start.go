package devtool

import (
	"context"
	"fmt"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// Policy is the sandbox that the host would put def into, with dataDir for its
// data. goos "" is this platform.
func (w *World) Policy(def manifest.Definition, dataDir, goos string) (*sandbox.Policy, []sandbox.Note, error) {
	m, cfg := def.Manifest, w.Config.For(def.ID())
	in := sandbox.PolicyInput{
		PluginID: def.ID(), Root: def.Root, DataDir: dataDir, Argv: def.Argv,
		Exec:        append(append([]string(nil), m.Sandbox.Exec...), cfg.ExecPaths...),
		UnixSockets: m.Sandbox.UnixSockets, Read: m.Sandbox.Read, AppleEvents: m.Sandbox.AppleEvents,
		Signal: m.Sandbox.Signal, Mach: m.Sandbox.Mach, Capabilities: m.Capabilities,
		ConfigRead: cfg.Read, Disabled: !cfg.Sandbox, LoginPath: w.loginPath(),
		PluginsData: w.Paths.Data, ControlSocket: w.Paths.Socket(),
		ExtraSecrets: []string{w.Paths.State, w.Paths.Logs}, GOOS: goos,
	}
	if cfg.MemoryMiB > 0 {
		bytes := int64(cfg.MemoryMiB) << 20
		in.MemoryBytes = &bytes
	}
	return sandbox.PolicyFor(in)
}

// Start starts def as the host would, or with the sandbox off.
func (w *World) Start(ctx context.Context, def manifest.Definition, dataDir string, confined bool) (*sandbox.Process, error) {
	env := manifest.Environment(def, manifest.World{DataDir: dataDir, LoginPath: w.loginPath()})
	return w.start(ctx, def, dataDir, confined, env)
}

func (w *World) start(ctx context.Context, def manifest.Definition, dataDir string, confined bool, env []string) (*sandbox.Process, error) {
	policy, _, err := w.Policy(def, dataDir, "")
	if err != nil {
		return nil, fmt.Errorf("its sandbox: %w", err)
	}
	if !confined {
		policy.Disabled = true
	}
	return sandbox.NewRunner().Start(ctx, sandbox.Command{Argv: def.Argv, Dir: def.Root, Env: env, Policy: policy})
}
