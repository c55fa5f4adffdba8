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

// next waits for a change, for so long as a busy machine takes.
func next(t *testing.T, c *devtool.Changes) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return c.Next(ctx)
}

// still holds when nothing counts as a change for longer than a folder has to rest.
func still(t *testing.T, c *devtool.Changes) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.ErrorIs(t, c.Next(ctx), context.DeadlineExceeded)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func watched(t *testing.T, files ...string) (c *devtool.Changes, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range files {
		put(t, filepath.Join(dir, f), "x")
	}
	c, err := devtool.WatchChanges(dir)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c, dir
}

func TestAChangeBelowTheFolderIsSeen(t *testing.T) {
	c, dir := watched(t, "a", "below/b")
	put(t, filepath.Join(dir, "a"), "longer")
	require.NoError(t, next(t, c))
	put(t, filepath.Join(dir, "below", "b"), "longer")
	require.NoError(t, next(t, c))
	put(t, filepath.Join(dir, "new", "deep", "c"), "x")
	require.NoError(t, next(t, c))
	put(t, filepath.Join(dir, "new", "deep", "c"), "longer")
	require.NoError(t, next(t, c))
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o755))
	require.NoError(t, next(t, c), "a program that may be run now")
	require.NoError(t, os.Remove(filepath.Join(dir, "a")))
	require.NoError(t, next(t, c))
}

func TestWhatIsNobodysEditIsNoChange(t *testing.T) {
	c, dir := watched(t, "a")
	product := filepath.Join(dir, "p")
	c.Product(product)
	for _, name := range []string{"p", ".hidden", "backup~", "node_modules/m/x.js", ".git/index", "__pycache__/x.pyc"} {
		put(t, filepath.Join(dir, name), "x")
	}
	// An editor tries whether it may write.
	put(t, filepath.Join(dir, "4913"), "")
	require.NoError(t, os.Remove(filepath.Join(dir, "4913")))
	still(t, c)
	put(t, filepath.Join(dir, "source"), "x")
	require.NoError(t, next(t, c))
}

func TestAnEditDuringABuildIsBuiltAndItsProductsAreNot(t *testing.T) {
	c, dir := watched(t, "source", "generated")
	source, generated := filepath.Join(dir, "source"), filepath.Join(dir, "generated")
	build := func(text string) bool {
		put(t, generated, text)
		put(t, filepath.Join(dir, "new-"+text), text)
		return c.Built()
	}
	require.True(t, build("1"), "who changed it, the build or a person?")
	require.False(t, build("22"), "the build did, again")
	still(t, c)

	put(t, source, "edited before")
	require.NoError(t, next(t, c))
	put(t, source, "and edited while it is built")
	require.True(t, build("333"))
	require.False(t, build("4444"))
	still(t, c)

	put(t, generated, "edited by hand")
	require.NoError(t, next(t, c))
	require.True(t, build("55555"))
	require.False(t, build("666666"))
}

func TestAFolderThatIsGoneEndsTheWatch(t *testing.T) {
	c, dir := watched(t, "a")
	require.NoError(t, os.RemoveAll(dir))
	require.ErrorContains(t, next(t, c), "the folder is gone")
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
