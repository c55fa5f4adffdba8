package devtool

import (
	"context"

	"github.com/flash-launcher/flash/internal/confine"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

func (w *World) place() confine.Place { return confine.PlaceOf(w.Paths, w.Paths.Socket()) }

// Policy is the sandbox that the host would put def into, with dataDir for its
// data. goos "" is this platform.
func (w *World) Policy(def manifest.Definition, dataDir, goos string) (*sandbox.Policy, []sandbox.Note, error) {
	return w.place().Policy(def, w.Config.For(def.ID()), dataDir, goos)
}

// Debug has the SDKs for Python and Node tell of an error in full. A host does
// not set it: the text of an error may hold user content.
const Debug = "FLASH_PLUGIN_DEBUG=1"

// Start starts def as the host would, or with the sandbox off; extra is added
// to its environment.
func (w *World) Start(ctx context.Context, def manifest.Definition, dataDir string, confined bool, extra ...string) (*sandbox.Process, error) {
	cmd, _, err := w.place().Command(def, w.Config.For(def.ID()), dataDir)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, extra...)
	if !confined {
		cmd.Policy.Disabled = true
	}
	return sandbox.NewRunner().Start(ctx, cmd)
}
