package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPolicyResolvesPathsAsTheFileSystemDoes(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "real/sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "real/file"), nil, 0o600))
	for name, target := range map[string]string{"dir": "real", "real/up": "..", "chain": "dir/sub", "loop": "loop", "gone": "nowhere"} {
		require.NoError(t, os.Symlink(target, filepath.Join(base, name)))
	}
	files := &policyFiles{known: map[string]resolved{}}
	for range 2 { // asked, and remembered
		for _, path := range []string{
			"real", "dir", "dir/file", "dir/sub", "chain", "chain/x", "real/up/real/file", "loop", "loop/x", "gone", "gone/x",
			"real/file/x", "none", "none/x", "chain/../file", "dir/./sub/",
		} {
			path = base + "/" + path
			want, wantErr := filepath.EvalSymlinks(path)
			got, err := files.Resolve(path)
			assert.Equal(t, wantErr == nil, err == nil, "%s: %v, %v", path, wantErr, err)
			assert.Equal(t, want, got, path)
		}
	}
	root, err := files.Resolve("/")
	require.NoError(t, err)
	assert.Equal(t, "/", root)
	_, err = files.Resolve("relative")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestADirectoryThatThePolicyMakesIsThereForIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sockets")
	files := &policyFiles{known: map[string]resolved{}}
	_, err := files.Resolve(path)
	require.Error(t, err)
	require.NoError(t, files.MakeDir(path))
	_, err = files.Resolve(path)
	require.NoError(t, err)
}
