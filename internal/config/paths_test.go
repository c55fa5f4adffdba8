package config

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func environment(goos string, vars map[string]string) Environment {
	return Environment{Getenv: func(k string) string { return vars[k] }, GOOS: goos, Home: "/home/ada", UID: 1000}
}

func TestPathsFollowThePlatform(t *testing.T) {
	p, err := ResolvePaths(environment("linux", nil))
	require.NoError(t, err)
	assert.Equal(t, Paths{
		ConfigFile: "/home/ada/.config/flash/config.toml", ConfigDir: "/home/ada/.config/flash",
		State: "/home/ada/.local/state/flash", Logs: "/home/ada/.local/state/flash/logs",
		Data: "/home/ada/.local/share/flash", Cache: "/home/ada/.cache/flash", Runtime: "/tmp/flash-1000",
	}, p)
	p, err = ResolvePaths(environment("linux", map[string]string{
		"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_DATA_HOME": "relative", "XDG_CACHE_HOME": "/k",
		"XDG_RUNTIME_DIR": "/run/user/1000", "TMPDIR": "/t",
	}))
	require.NoError(t, err)
	assert.Equal(t, Paths{
		ConfigFile: "/c/flash/config.toml", ConfigDir: "/c/flash", State: "/s/flash", Logs: "/s/flash/logs",
		Data: "/home/ada/.local/share/flash", Cache: "/k/flash", Runtime: "/run/user/1000/flash",
	}, p)
	p, err = ResolvePaths(environment("darwin", nil))
	require.NoError(t, err)
	assert.Equal(t, "/home/ada/Library/Application Support/Flash/config.toml", p.ConfigFile)
	assert.Equal(t, "/home/ada/Library/Logs/Flash/flash.log", p.LogFile())
	assert.Equal(t, "/home/ada/Library/Application Support/Flash/data/plugins/cpu", p.PluginData("cpu"))
	p, err = ResolvePaths(environment("darwin", map[string]string{"XDG_CONFIG_HOME": "/c"}))
	require.NoError(t, err)
	assert.Equal(t, "/c/flash/config.toml", p.ConfigFile)
}

func TestFlashConfigNamesTheFile(t *testing.T) {
	p, err := ResolvePaths(environment("linux", map[string]string{"FLASH_CONFIG": "/etc/my/flash.toml"}))
	require.NoError(t, err)
	assert.Equal(t, "/etc/my/flash.toml", p.ConfigFile)
	assert.Equal(t, "/etc/my", p.ConfigDir)
	_, err = ResolvePaths(environment("linux", map[string]string{"FLASH_CONFIG": "flash.toml"}))
	assert.ErrorContains(t, err, "absolute")
}

func TestWhatCannotWorkIsSaidWithTheRemedy(t *testing.T) {
	e := environment("linux", nil)
	e.Home = ""
	_, err := ResolvePaths(e)
	assert.ErrorContains(t, err, "set HOME")
	_, err = ResolvePaths(environment("linux", map[string]string{"XDG_RUNTIME_DIR": "/" + strings.Repeat("r", 100)}))
	assert.ErrorContains(t, err, "XDG_RUNTIME_DIR to a shorter")
}

// realPaths is Paths below a fresh directory, in the fallback's form.
func realPaths(t *testing.T) (Paths, string) {
	t.Helper()
	root, err := os.MkdirTemp("", "flash-paths-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	p, err := ResolvePaths(Environment{Getenv: func(k string) string {
		return map[string]string{"TMPDIR": root}[k]
	}, GOOS: "linux", Home: filepath.Join(root, "home"), UID: os.Getuid()})
	require.NoError(t, err)
	return p, root
}

func TestEveryDirectoryIsMadeForTheUserAlone(t *testing.T) {
	p, _ := realPaths(t)
	require.NoError(t, p.Ensure())
	require.NoError(t, p.Ensure(), "twice")
	for _, dir := range []string{p.ConfigDir, p.State, p.Data, p.Cache, p.Logs, p.Runtime} {
		st, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), st.Mode().Perm(), dir)
	}
	l, err := net.Listen("unix", p.Socket())
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

func TestAnOpenDirectoryOfOursIsClosedAndTheUsersConfigIsLeftAlone(t *testing.T) {
	p, _ := realPaths(t)
	for _, dir := range []string{p.Logs, p.ConfigDir} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	require.NoError(t, p.Ensure())
	st, err := os.Stat(p.Logs)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), st.Mode().Perm())
	st, err = os.Stat(p.ConfigDir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), st.Mode().Perm())
}

func TestARuntimeDirectoryThatOthersCouldHaveMadeIsRefused(t *testing.T) {
	t.Run("open", func(t *testing.T) {
		p, _ := realPaths(t)
		require.NoError(t, os.Mkdir(p.Runtime, 0o755))
		require.NoError(t, os.Chmod(p.Runtime, 0o777))
		assert.ErrorContains(t, p.Ensure(), "mode 0777")
	})
	t.Run("a link", func(t *testing.T) {
		p, root := realPaths(t)
		require.NoError(t, os.Mkdir(filepath.Join(root, "x"), 0o700))
		require.NoError(t, os.Symlink("x", p.Runtime))
		assert.ErrorContains(t, p.Ensure(), "not a directory")
	})
	t.Run("a file", func(t *testing.T) {
		p, _ := realPaths(t)
		require.NoError(t, os.WriteFile(p.Runtime, nil, 0o600))
		assert.ErrorContains(t, p.Ensure(), "not a directory")
	})
	t.Run("another's", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("giving a directory away takes root")
		}
		p, _ := realPaths(t)
		require.NoError(t, os.Mkdir(p.Runtime, 0o700))
		require.NoError(t, os.Chown(p.Runtime, 65534, 65534))
		assert.ErrorContains(t, p.Ensure(), "belongs to uid 65534")
	})
}
