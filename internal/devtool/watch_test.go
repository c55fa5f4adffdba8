package devtool_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/devtool"
)

// change writes path until next returns: a watch that is not there yet misses
// the first writes.
func change(t *testing.T, c *devtool.Changes, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	require.NoError(t, c.Next(ctx), path)
}

func TestAChangeBelowTheFolderIsSeen(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	require.NoError(t, os.Mkdir(below, 0o755))
	c, err := devtool.WatchChanges(dir, "")
	require.NoError(t, err)
	defer c.Close()
	change(t, c, filepath.Join(dir, "a"))
	change(t, c, filepath.Join(below, "b"))
}

func TestWhatTheBuildMakesIsNoChange(t *testing.T) {
	dir := t.TempDir()
	product := filepath.Join(dir, "p")
	c, err := devtool.WatchChanges(dir, product)
	require.NoError(t, err)
	defer c.Close()
	for _, path := range []string{product, filepath.Join(dir, ".hidden"), filepath.Join(dir, "backup~")} {
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	// Longer than a folder has to rest to count as changed.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	assert.ErrorIs(t, c.Next(ctx), context.DeadlineExceeded)
	change(t, c, filepath.Join(dir, "source"))
}

func TestAScriptIsNoProductOfABuild(t *testing.T) {
	dir := t.TempDir()
	script, binary := filepath.Join(dir, "s"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(binary, []byte("\x7fELF"), 0o755))
	assert.Empty(t, devtool.Product(script))
	assert.Equal(t, binary, devtool.Product(binary))
	assert.Equal(t, "/nowhere", devtool.Product("/nowhere"))
}

func TestABuildIsTheGivenCommandElseMakeElseNone(t *testing.T) {
	dir := t.TempDir()
	assert.Equal(t, "x", devtool.BuildCommand(dir, "x"))
	assert.Empty(t, devtool.BuildCommand(dir, ""))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Makefile"), nil, 0o644))
	assert.Equal(t, "make", devtool.BuildCommand(dir, ""))
	err := devtool.Build(t.Context(), dir, "exit 3", io.Discard)
	assert.ErrorContains(t, err, `build "exit 3" in `+dir)
}
