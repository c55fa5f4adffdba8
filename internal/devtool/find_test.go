package devtool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/devtool"
)

// world is one of a user who has nothing.
func world(t *testing.T) *devtool.World {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	w, err := devtool.OpenAt(filepath.Join(home, "bin", "flash"))
	require.NoError(t, err)
	return w
}

// plugin makes a plugin called p whose program, exec of its manifest, holds text.
func plugin(t *testing.T, exec, text string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "p")
	require.NoError(t, os.Mkdir(root, 0o755))
	manifest := fmt.Sprintf(`{"id":"p","name":"P","version":"1","description":"x","exec":[%q],"sources":[{"name":"p.items"}]}`, exec)
	require.NoError(t, os.WriteFile(filepath.Join(root, "manifest.json"), []byte(manifest), 0o644))
	if text != "none" {
		require.NoError(t, os.WriteFile(filepath.Join(root, "run"), []byte(text), 0o755))
	}
	return root
}

func TestAProgramThatCannotRunIsNamedWithTheRemedy(t *testing.T) {
	w := world(t)
	for text, want := range map[string]string{
		"none":                         "run is not there; build it first",
		"":                             "is no program of this machine: build it for",
		"print('hello')\n":             "let a script begin with #! and its interpreter",
		"#!\n":                         "names no interpreter",
		"#!/usr/bin/nosuch -x\n":       "names /usr/bin/nosuch, which is not there: install it",
		"#!/usr/bin/env nosuch\n":      "names nosuch, which is not on the login PATH: install it",
		"#!/usr/bin/env -S A=b nosu\n": "names nosu, which is not on the login PATH",
		"#!/bin/sh\r\n":                "save the file with line ends of Unix",
	} {
		root := plugin(t, "./run", text)
		_, err := w.Find(root)
		require.ErrorContains(t, err, "plugin p: ", "%q", text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
	for _, text := range []string{"#!/bin/sh\n", "#!/usr/bin/env sh\n", "#! /bin/sh -e\n"} {
		root := plugin(t, "./run", text)
		_, err := w.Find(root)
		require.NoError(t, err, "%q", text)
		_, err = w.Find(filepath.Join(root, "manifest.json"))
		require.NoError(t, err, "a manifest stands for its folder")
	}
	_, err := w.Find(plugin(t, "nosuchprogram", "none"))
	require.ErrorContains(t, err, "install it, or name it by its absolute path")
	assert.NotContains(t, err.Error(), "build it first")
}

func TestANewPluginDoesNotTakeTheIDOfAnother(t *testing.T) {
	w := world(t)
	note, err := w.Free("p")
	require.NoError(t, err)
	assert.Empty(t, note)
	_, err = w.Free("conformance")
	require.ErrorContains(t, err, "for their probe; take another")

	official := t.TempDir()
	require.NoError(t, os.Rename(plugin(t, "./run", "#!/bin/sh\n"), filepath.Join(official, "p")))
	t.Setenv("FLASH_OFFICIAL_PLUGINS", official)
	_, err = world(t).Free("p")
	require.ErrorContains(t, err, "an official plugin has it, in "+filepath.Join(official, "p"))

	t.Setenv("FLASH_OFFICIAL_PLUGINS", t.TempDir())
	w = world(t)
	mine := filepath.Join(w.Paths.ConfigDir, "plugins")
	require.NoError(t, os.MkdirAll(mine, 0o755))
	require.NoError(t, os.Rename(plugin(t, "./run", "#!/bin/sh\n"), filepath.Join(mine, "p")))
	note, err = w.Free("p")
	require.NoError(t, err)
	assert.Contains(t, note, filepath.Join(mine, "p"))
}
