package confine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/confine"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

// plugin is a definition with a program in a folder of its own.
func plugin(t *testing.T) (def manifest.Definition, base string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.Join(base, "p")
	require.NoError(t, os.Mkdir(root, 0o755))
	program := filepath.Join(root, "p")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	m, err := protocol.DecodeManifest([]byte(`{"id":"p","name":"P","version":"1","description":"x","exec":["./p"],
		"sandbox":{"unix_sockets":["` + base + `/manifest/"],"read":["` + base + `"]}}`))
	require.NoError(t, err)
	return manifest.Definition{Manifest: m, Root: root, Argv: []string{program}}, base
}

func TestAPolicyHasWhatManifestAndConfigurationGrant(t *testing.T) {
	def, base := plugin(t)
	socket := filepath.Join(base, "s")
	require.NoError(t, os.WriteFile(socket, nil, 0o600))
	cfg := config.Plugin{Sandbox: true, UnixSockets: []string{socket}, MemoryMiB: 64}
	place := confine.PlaceOf(config.Paths{State: base + "/state", Logs: base + "/logs", Data: base + "/data"}, base+"/control")
	cmd, _, err := place.Command(def, cfg, filepath.Join(base, "data", "p"))
	require.NoError(t, err)
	assert.Subset(t, cmd.Policy.UnixSockets, []string{socket, base + "/manifest"})
	assert.DirExists(t, base+"/manifest")
	assert.Equal(t, int64(64<<20), cmd.Policy.MemoryBytes)
	assert.Contains(t, cmd.Policy.DenyRead, base+"/control")
	assert.Contains(t, cmd.Policy.DenyRead, base+"/state")
	assert.False(t, cmd.Policy.Disabled)
	assert.False(t, cmd.Policy.Network)
	cfg.Network = true
	open, _, err := place.Command(def, cfg, filepath.Join(base, "data", "p"))
	require.NoError(t, err)
	assert.True(t, open.Policy.Network)
	assert.Contains(t, cmd.Env, "TMPDIR="+base+"/data/p/tmp")
	assert.DirExists(t, base+"/data/p/tmp")
}

func TestAPolicyThatIsOnlyShownMakesNothing(t *testing.T) {
	def, base := plugin(t)
	p, _, err := confine.Place{}.Policy(def, config.Plugin{}, t.TempDir(), "darwin")
	require.NoError(t, err)
	assert.True(t, p.Disabled)
	assert.Equal(t, "darwin", p.GOOS)
	assert.NoDirExists(t, base+"/manifest")
}
