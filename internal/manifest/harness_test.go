package manifest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
)

// world is a folder of plugins and a login PATH.
type world struct {
	t       *testing.T
	plugins string
	bin     string
}

func newWorld(t *testing.T) world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := world{t: t, plugins: filepath.Join(root, "plugins"), bin: filepath.Join(root, "bin")}
	require.NoError(t, os.MkdirAll(w.plugins, 0o755))
	require.NoError(t, os.MkdirAll(w.bin, 0o755))
	return w
}

func (w world) dirs() []manifest.Dir { return []manifest.Dir{{Path: w.plugins}} }

func (w world) opts() []manifest.Option {
	return []manifest.Option{
		manifest.WithLoginPath(w.bin), manifest.WithExecutable(""), manifest.WithPlatform("linux"),
	}
}

func (w world) load() (manifest.Set, []manifest.Fault) {
	return manifest.Load(w.dirs(), w.opts()...)
}

// good loads and expects no fault.
func (w world) good() manifest.Set {
	w.t.Helper()
	set, faults := w.load()
	require.Empty(w.t, faults)
	return set
}

func (w world) path(elem ...string) string {
	return filepath.Join(append([]string{w.plugins}, elem...)...)
}

func (w world) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), mode))
	require.NoError(w.t, os.Chmod(path, mode))
}

func (w world) program(path string) string {
	w.t.Helper()
	w.write(path, "#!/bin/sh\n", 0o755)
	return path
}

// plugin writes a manifest with the given keys over the required ones.
func (w world) plugin(id string, keys map[string]any) {
	w.t.Helper()
	m := map[string]any{"id": id, "name": id, "version": "1", "description": "for tests"}
	for k, v := range keys {
		m[k] = v
	}
	data, err := json.Marshal(m)
	require.NoError(w.t, err)
	w.write(w.path(id, manifest.FileName), string(data), 0o644)
}

func ids(set manifest.Set) []string {
	out := []string{}
	for _, d := range set {
		out = append(out, d.ID())
	}
	return out
}
