package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestAFileIsReplacedWholeAndNothingIsLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	path := filepath.Join(dir, "state.json")
	for _, text := range []string{"one", "another, longer one", ""} {
		require.NoError(t, Write(path, []byte(text), 0o640))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
	}
	assert.Equal(t, []string{"state.json"}, names(t, dir))
}

func TestALinkStaysOne(t *testing.T) {
	dir := t.TempDir()
	elsewhere, link := filepath.Join(dir, "dots"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(elsewhere, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(elsewhere, link))
	require.NoError(t, Write(link, []byte("new"), 0o600))
	to, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, elsewhere, to)
	got, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
}

func TestAFailedWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json", "is a file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.json"), []byte("old"), 0o600))
	require.Error(t, Write(path, []byte("new"), 0o600))
	require.Error(t, Write(dir, []byte("new"), 0o600), "a folder")
	assert.Equal(t, []string{"state.json"}, names(t, dir))
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*.new"))
	require.NoError(t, err)
	assert.Empty(t, beside)
}

func TestWhatAKilledWriterLeftIsRemovedAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for _, name := range []string{".state.json.123.new", ".other.json.123.new", "state.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	RemoveLeftovers(path)
	assert.Equal(t, []string{".other.json.123.new", "state.json"}, names(t, dir))
}
