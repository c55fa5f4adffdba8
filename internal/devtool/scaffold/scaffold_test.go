package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/devtool/scaffold"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/protocol/conformance"
)

// patience makes room for interpreters on a busy machine.
const patience = 4

var tools = map[string]string{"go": "go", "python": "python3", "node": "node", "sh": "awk"}

func checkout(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return dir
}

func TestEachScaffoldPassesItsTestAndTheConformance(t *testing.T) {
	for name, o := range map[string]scaffold.Options{
		"go against a checkout": {Language: "go", Checkout: checkout(t)}, "go with a copy of the SDK": {Language: "go"},
		"python": {Language: "python"}, "node": {Language: "node"}, "sh": {Language: "sh"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(tools[o.Language]); err != nil {
				t.Skipf("needs %s", tools[o.Language])
			}
			o.ID, o.Parent = "my-plugin.2", t.TempDir()
			r, err := scaffold.New(o)
			require.NoError(t, err)
			for _, command := range r.Next {
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = r.Dir
				// Nothing may come from a network, nor from what was fetched before.
				cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE="+filepath.Join(o.Parent, "modules"))
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s", command, out)
			}
			manifest, err := os.ReadFile(filepath.Join(r.Dir, "manifest.json"))
			require.NoError(t, err)
			report, err := conformance.Run(t.Context(), conformance.Options{
				Argv: []string{filepath.Join(r.Dir, "my-plugin.2")}, Manifest: manifest, Dir: r.Dir, Patience: patience,
			})
			require.NoError(t, err)
			for _, result := range report.Results {
				if result.Status == conformance.Failed {
					t.Errorf("%s: %+v", result.Scenario, *result.Failure)
				}
			}
			assert.Positive(t, report.Passed)
		})
	}
}

func TestEachScaffoldHasAManifestThatTheHostTakes(t *testing.T) {
	for _, language := range scaffold.Languages {
		r, err := scaffold.New(scaffold.Options{ID: "x", Language: language, Parent: t.TempDir()})
		require.NoError(t, err, language)
		data, err := os.ReadFile(filepath.Join(r.Dir, "manifest.json"))
		require.NoError(t, err)
		m, err := protocol.DecodeManifest(data)
		require.NoError(t, err, language)
		assert.Equal(t, "x", m.ID)
		for _, name := range r.Files {
			text, err := os.ReadFile(filepath.Join(r.Dir, name))
			require.NoError(t, err)
			assert.NotContains(t, string(text), "@ID@", "%s: %s", language, name)
		}
	}
}

func TestABadIDIsRefusedWithTheRule(t *testing.T) {
	for _, id := range []string{"", "A", "a..b", ".a", "-a", "a/b", "a b", "é", strings.Repeat("a", 65)} {
		_, err := scaffold.New(scaffold.Options{ID: id, Parent: t.TempDir()})
		assert.ErrorContains(t, err, "take 1 to 64 of a-z", "%q", id)
	}
}

func TestAnIDThatTheFolderNeedsItselfIsRefused(t *testing.T) {
	parent := t.TempDir()
	for id, language := range map[string]string{
		"test": "go", "flash": "go", "makefile": "go", "go.mod": "go", "x.go": "go",
		"flash_plugin.py": "python", "plugin.mjs": "node", "test.sh": "sh", "manifest.json": "sh",
	} {
		_, err := scaffold.New(scaffold.Options{ID: id, Language: language, Parent: parent})
		require.ErrorIs(t, err, scaffold.ErrUsage, id)
		assert.ErrorContains(t, err, "take another", id)
	}
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestAGoPluginWhoseIDIsNoModuleNameIsBuilt(t *testing.T) {
	r, err := scaffold.New(scaffold.Options{ID: "con.", Language: "go", Checkout: checkout(t), Parent: t.TempDir()})
	require.NoError(t, err)
	cmd := exec.Command("make")
	cmd.Dir = r.Dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.FileExists(t, filepath.Join(r.Dir, "con."))
}

func TestAPlaceThatCannotBeWrittenIsNamedWithTheRemedy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, parent := range []string{file, "/proc"} {
		_, err := scaffold.New(scaffold.Options{ID: "x", Language: "sh", Parent: parent})
		require.ErrorContains(t, err, "plugin folder "+parent+"/x: ")
		assert.ErrorContains(t, err, "--dir")
	}
}

func TestAFolderThatExistsIsLeftAlone(t *testing.T) {
	parent := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(parent, "here"), 0o755))
	_, err := scaffold.New(scaffold.Options{ID: "here", Parent: parent})
	require.ErrorContains(t, err, "it exists already; take another id")
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestAnUnknownLanguageIsRefusedWithTheKnownOnes(t *testing.T) {
	_, err := scaffold.New(scaffold.Options{ID: "x", Language: "cobol", Parent: t.TempDir()})
	assert.ErrorContains(t, err, "go, python, node, sh")
}
