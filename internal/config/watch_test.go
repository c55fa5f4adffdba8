package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type change struct {
	config Config
	faults []Fault
}

// observe starts a watch and returns its changes; the first is taken.
func observe(t *testing.T, path string) (<-chan change, change) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ch := make(chan change, 64)
	require.NoError(t, Watch(ctx, path, WatchOptions{}, func(c Config, f []Fault) { ch <- change{c, f} }))
	t.Cleanup(cancel)
	return ch, next(t, ch)
}

func next(t *testing.T, ch <-chan change) change {
	t.Helper()
	select {
	case c := <-ch:
		return c
	case <-time.After(20 * time.Second):
		require.FailNow(t, "no change was seen")
		return change{}
	}
}

// until takes changes until one shows that many rows: a write that is read
// half-way is legal, staying there is not.
func until(t *testing.T, ch <-chan change, rows int) change {
	t.Helper()
	for {
		if c := next(t, ch); c.config.Flashlight.Rows == rows && len(c.faults) == 0 {
			return c
		}
	}
}

func write(t *testing.T, path string, rows int) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "[flashlight]\nrows = %d\n", rows), 0o600))
}

// replace writes the way most editors do.
func replace(t *testing.T, path string, rows int) {
	t.Helper()
	tmp := path + "~"
	write(t, tmp, rows)
	require.NoError(t, os.Rename(tmp, path))
}

func TestAWriteAndAReplacementAreSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write(t, path, 11)
	ch, first := observe(t, path)
	assert.Equal(t, 11, first.config.Flashlight.Rows)
	write(t, path, 12)
	until(t, ch, 12)
	for rows := 13; rows < 16; rows++ {
		replace(t, path, rows)
		until(t, ch, rows)
	}
}

func TestTheLastGoodValueStaysWhileTheFileIsFaulty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write(t, path, 11)
	ch, _ := observe(t, path)
	require.NoError(t, os.WriteFile(path+"~", []byte("[flashlight]\nrows = \"x\"\nwidth = 900\n"), 0o600))
	require.NoError(t, os.Rename(path+"~", path))
	c := next(t, ch)
	require.Len(t, c.faults, 1)
	assert.Equal(t, path+":2:1: flashlight.rows: is a string, not a whole number", c.faults[0].Error())
	assert.Equal(t, 11, c.config.Flashlight.Rows)
	assert.Equal(t, Defaults().Flashlight.Width, c.config.Flashlight.Width, "no half of a faulty file is applied")
	replace(t, path, 12)
	until(t, ch, 12)
}

func TestAFileMadeLaterInADirectoryMadeLaterIsSeen(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "b", "c", "config.toml")
	ch, first := observe(t, path)
	assert.Equal(t, Defaults(), first.config)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	write(t, path, 12)
	until(t, ch, 12)
}

func TestARemovedFileIsTheDefaultsAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write(t, path, 12)
	ch, _ := observe(t, path)
	require.NoError(t, os.Remove(path))
	assert.Equal(t, Defaults(), next(t, ch).config)
	write(t, path, 13)
	until(t, ch, 13)
}

func TestADirectoryRemovedOrMovedAwayAndMadeAgainIsSeen(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "flash", "config.toml")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	write(t, path, 11)
	ch, _ := observe(t, path)
	require.NoError(t, os.RemoveAll(filepath.Dir(path)))
	until(t, ch, Defaults().Flashlight.Rows)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	write(t, path, 12)
	until(t, ch, 12)
	require.NoError(t, os.Rename(filepath.Dir(path), filepath.Join(root, "old")))
	until(t, ch, Defaults().Flashlight.Rows)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	write(t, path, 13)
	until(t, ch, 13)
}

func TestAFileBehindLinksIsSeenWhereverTheChangeIs(t *testing.T) {
	root := t.TempDir()
	dotfiles := filepath.Join(root, "dotfiles")
	other := filepath.Join(root, "other")
	home := filepath.Join(root, "config")
	for _, d := range []string{dotfiles, other, home} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	write(t, filepath.Join(dotfiles, "flash.toml"), 11)
	write(t, filepath.Join(other, "flash.toml"), 15)
	require.NoError(t, os.Symlink("../dotfiles", filepath.Join(home, "flash")))
	require.NoError(t, os.Symlink("flash.toml", filepath.Join(dotfiles, "config.toml")))
	require.NoError(t, os.Symlink("flash.toml", filepath.Join(other, "config.toml")))
	ch, first := observe(t, filepath.Join(home, "flash", "config.toml"))
	assert.Equal(t, 11, first.config.Flashlight.Rows)

	replace(t, filepath.Join(dotfiles, "flash.toml"), 12)
	until(t, ch, 12)

	// The directory's link is turned elsewhere.
	require.NoError(t, os.Symlink("../other", filepath.Join(home, "new")))
	require.NoError(t, os.Rename(filepath.Join(home, "new"), filepath.Join(home, "flash")))
	until(t, ch, 15)

	// And the old place no longer counts, the new one does.
	replace(t, filepath.Join(other, "flash.toml"), 16)
	until(t, ch, 16)

	// The file's link dangles, then leads somewhere again.
	require.NoError(t, os.Remove(filepath.Join(other, "flash.toml")))
	until(t, ch, Defaults().Flashlight.Rows)
	write(t, filepath.Join(other, "flash.toml"), 17)
	until(t, ch, 17)
}

func TestRewritingTheSameContentChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write(t, path, 11)
	ch, _ := observe(t, path)
	replace(t, path, 11)
	replace(t, path, 12)
	assert.Equal(t, 12, next(t, ch).config.Flashlight.Rows)
	assert.Empty(t, ch)
}

func TestTheDirectoriesWatchedAreThoseThatDecide(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "real"), 0o700))
	require.NoError(t, os.Symlink("loop2", filepath.Join(root, "loop1")))
	require.NoError(t, os.Symlink("loop1", filepath.Join(root, "loop2")))
	require.NoError(t, os.Symlink(filepath.Join(root, "real"), filepath.Join(root, "link")))
	real := filepath.Join(root, "real")
	for path, want := range map[string][]string{
		filepath.Join(real, "config.toml"):                   {real},
		filepath.Join(root, "link", "config.toml"):           {root, real},
		filepath.Join(root, "link", "..", "real", "x"):       {real},
		filepath.Join(root, "absent", "deep", "config.toml"): {root},
		filepath.Join(root, "loop1", "config.toml"):          {root},
	} {
		got := watchDirs(path)
		assert.Len(t, got, len(want), path)
		for _, w := range want {
			assert.True(t, got[w], "%s: %s in %v", path, w, got)
		}
	}
}
