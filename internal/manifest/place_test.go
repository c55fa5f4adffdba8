package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
)

func TestOfficialPluginsLieWhereTheBuildPutsThem(t *testing.T) {
	t.Setenv("FLASH_OFFICIAL_PLUGINS", "")
	for _, rel := range []string{"share/flash/plugins", "Resources/plugins", "plugins"} {
		base, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		exe := filepath.Join(base, "bin", "flash")
		assert.Empty(t, manifest.OfficialDir(exe))
		require.NoError(t, os.MkdirAll(filepath.Join(base, rel), 0o755))
		assert.Equal(t, filepath.Join(base, rel), manifest.OfficialDir(exe))
	}
	assert.Contains(t, manifest.NoOfficial("").Error(), "../plugins; leave the program where it was installed")
	assert.Contains(t, manifest.NoOfficial("/elsewhere").Error(), "/elsewhere: holds none of the plugins")
	t.Setenv("FLASH_OFFICIAL_PLUGINS", "/elsewhere")
	assert.Equal(t, "/elsewhere", manifest.OfficialDir("/usr/bin/flash"))
}

func TestTheLoginPathKeepsPATHAndAddsTheUsersFolders(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("PATH", "/opt/x:/usr/bin")
	dirs := filepath.SplitList(manifest.LoginPath())
	assert.Equal(t, []string{"/opt/x", "/usr/bin"}, dirs[:2])
	assert.Subset(t, dirs, []string{"/home/ada/.local/bin", "/home/ada/bin", "/usr/local/bin", "/bin"})
	seen := map[string]bool{}
	for _, dir := range dirs {
		assert.False(t, seen[dir], "%s twice", dir)
		seen[dir] = true
	}
}
