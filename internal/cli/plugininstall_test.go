package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/manifest"
)

func TestAnInstallStepShowsLineByLineAsTheShellReadsIt(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, manifest.FileName),
		[]byte(`{"id":"sly","name":"Sly","version":"1","description":"d","exec":["./sly"]}`), 0o600))
	var out bytes.Buffer
	require.NoError(t, showInstall(&out, control.PluginInfo{ID: "sly", Version: "1", Root: root, Install: "# only looks\nrm -r \u202e~\x1b[8m"}))
	assert.Contains(t, out.String(), "\n    # only looks\n    rm -r ~[8m\n")
	assert.Contains(t, out.String(), "It asks for:\n    nothing\n")
}
