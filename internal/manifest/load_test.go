package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
)

func TestPluginsAreLoadedSortedByID(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"zeta", "alpha", "mid.dle"} {
		w.plugin(id, nil)
	}
	w.write(w.path(".git", "config"), "", 0o644)
	w.write(w.path("README"), "", 0o644)
	set := w.good()
	require.Equal(t, []string{"alpha", "mid.dle", "zeta"}, ids(set))
	d, ok := set.Find("mid.dle")
	require.True(t, ok)
	require.Equal(t, w.path("mid.dle"), d.Root)
	_, ok = set.Find("none")
	require.False(t, ok)
}

func TestAFolderThatDoesNotExistHoldsNoPlugins(t *testing.T) {
	set, faults := manifest.Load([]manifest.Dir{{Path: filepath.Join(t.TempDir(), "none")}})
	require.Empty(t, set)
	require.Empty(t, faults)
}

func TestAllFaultsOfAManifestAreReportedAtOnceAndRefuseOnlyThatPlugin(t *testing.T) {
	w := newWorld(t)
	w.plugin("good", nil)
	w.plugin("bad", map[string]any{"colour": "red", "priority": "high", "version": 3})
	set, faults := w.load()
	require.Equal(t, []string{"good"}, ids(set))
	require.Len(t, faults, 1)
	require.Equal(t, "bad", faults[0].ID)
	require.Equal(t, w.path("bad", manifest.FileName), faults[0].Path)
	require.Len(t, faults[0].Problems, 3)
	for _, key := range []string{"colour", "priority", "version"} {
		require.Contains(t, faults[0].Error(), key)
	}
}

func TestUnusableFoldersAreNamedWithTheReason(t *testing.T) {
	w := newWorld(t)
	w.write(w.path("empty", "notes"), "", 0o644)
	w.write(w.path("broken", manifest.FileName), "{", 0o644)
	w.write(w.path("huge", manifest.FileName), strings.Repeat(" ", 1<<20+1), 0o644)
	w.write(w.path("renamed", manifest.FileName), `{"id":"other","name":"x","version":"1","description":"x"}`, 0o644)
	require.NoError(t, os.MkdirAll(w.path("pipe"), 0o755))
	require.NoError(t, syscall.Mkfifo(w.path("pipe", manifest.FileName), 0o600))
	set, faults := w.load()
	require.Empty(t, set)
	got := map[string]string{}
	for _, f := range faults {
		got[f.ID] = f.Error()
	}
	require.Len(t, got, 5)
	require.Contains(t, got["empty"], "needs a manifest.json")
	require.Contains(t, got["huge"], "over 1048576 bytes")
	require.Contains(t, got["renamed"], `must be the folder's name, "renamed"`)
	require.Contains(t, got["pipe"], "is not a file")
	require.NotEmpty(t, got["broken"])
}

func TestOfTwoPluginsWithOneIDTheFirstCountsAndTheOtherIsReported(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	a.plugin("same", nil)
	b.plugin("same", nil)
	set, faults := manifest.Load([]manifest.Dir{{Path: a.plugins, Official: true}, {Path: b.plugins}}, a.opts()...)
	require.Len(t, set, 1)
	require.Equal(t, a.path("same"), set[0].Root)
	require.True(t, set[0].Official)
	require.Len(t, faults, 1)
	require.Contains(t, faults[0].Error(), a.path("same"))
	require.Contains(t, faults[0].Error(), b.path("same"))
}

func TestPluginsForOtherPlatformsAreKnownAndSaySo(t *testing.T) {
	w := newWorld(t)
	w.plugin("here", map[string]any{"platforms": []string{"linux"}})
	w.plugin("there", map[string]any{"platforms": []string{"macos"}, "exec": []string{"no-such-program"}})
	w.plugin("anywhere", nil)
	set := w.good()
	require.Equal(t, []string{"anywhere", "here", "there"}, ids(set))
	require.Empty(t, set[0].Unsupported+set[1].Unsupported)
	require.Equal(t, "is for macOS only", set[2].Unsupported)
	require.Empty(t, set[2].ExecFault, "what is never run is not looked for")
}

func TestProgramsAreFoundByTheRuleOfTheirName(t *testing.T) {
	w := newWorld(t)
	beside := t.TempDir()
	flash := w.program(filepath.Join(beside, "flash"))
	w.program(filepath.Join(beside, "flash-plugin-calc"))
	w.program(filepath.Join(w.bin, "flash-plugin-calc"))
	w.program(filepath.Join(w.bin, "tool"))
	w.program(filepath.Join(beside, "tool"))
	w.program(w.path("local", "run"))
	absolute := w.program(filepath.Join(w.bin, "absolute"))
	w.plugin("bare", map[string]any{"exec": []string{"tool", "-x"}})
	w.plugin("calc", map[string]any{"exec": []string{"flash-plugin-calc"}})
	w.plugin("local", map[string]any{"exec": []string{"./run", "./script"}})
	w.plugin("absolute", map[string]any{"exec": []string{absolute}})
	set, faults := manifest.Load(w.dirs(), append(w.opts(), manifest.WithExecutable(flash))...)
	require.Empty(t, faults)
	argv := map[string][]string{}
	for _, d := range set {
		require.Empty(t, d.ExecFault)
		argv[d.ID()] = d.Argv
	}
	require.Equal(t, map[string][]string{
		"bare":     {filepath.Join(w.bin, "tool"), "-x"},
		"calc":     {filepath.Join(beside, "flash-plugin-calc")},
		"local":    {w.path("local", "run"), "./script"},
		"absolute": {absolute},
	}, argv)
}

func TestOfficialProgramsAreAlsoFoundBesideWhatALinkLeadsTo(t *testing.T) {
	w := newWorld(t)
	installed, home := t.TempDir(), t.TempDir()
	flash := w.program(filepath.Join(installed, "flash"))
	w.program(filepath.Join(installed, "flash-plugin-calc"))
	require.NoError(t, os.Symlink(flash, filepath.Join(home, "flash")))
	w.plugin("calc", map[string]any{"exec": []string{"flash-plugin-calc"}})
	set, _ := manifest.Load(w.dirs(), append(w.opts(), manifest.WithExecutable(filepath.Join(home, "flash")))...)
	require.Equal(t, "flash-plugin-calc", filepath.Base(set[0].Argv[0]))
}

func TestAProgramThatCannotBeRunIsSaidWithItsRemedy(t *testing.T) {
	w := newWorld(t)
	w.write(w.path("mode", "run"), "", 0o644)
	w.plugin("mode", map[string]any{"exec": []string{"./run"}})
	w.plugin("missing", map[string]any{"exec": []string{"no-such-tool"}})
	w.plugin("gone", map[string]any{"exec": []string{"/no/such/file"}})
	w.plugin("folder", map[string]any{"exec": []string{w.bin}})
	got := map[string]string{}
	for _, d := range w.good() {
		require.Nil(t, d.Argv)
		got[d.ID()] = d.ExecFault
	}
	require.Contains(t, got["mode"], "chmod +x")
	require.Contains(t, got["missing"], "not on the login PATH")
	require.Contains(t, got["gone"], "no such file")
	require.Contains(t, got["folder"], "is not a file")
}

func TestARelativeEntryOfTheLoginPATHIsIgnored(t *testing.T) {
	w := newWorld(t)
	t.Chdir(w.bin)
	w.program(filepath.Join(w.bin, "tool"))
	w.plugin("p", map[string]any{"exec": []string{"tool"}})
	set, _ := manifest.Load(w.dirs(), append(w.opts(), manifest.WithLoginPath(".:"))...)
	require.NotEmpty(t, set[0].ExecFault)
}

func FuzzAnyManifestIsEitherLoadedOrReported(f *testing.F) {
	f.Add([]byte(`{"id":"p","name":"x","version":"1","description":"x","exec":["./../../bin/sh"]}`))
	f.Add([]byte(`{"id":"p","exec":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(root, "p"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, "p", manifest.FileName), data, 0o600))
		set, faults := manifest.Load([]manifest.Dir{{Path: root}}, manifest.WithPlatform("linux"))
		require.LessOrEqual(t, len(set)+len(faults), 1)
		for _, d := range set {
			require.Equal(t, "p", d.ID())
			if len(d.Manifest.Exec) > 0 && d.ExecFault == "" {
				require.True(t, filepath.IsAbs(d.Argv[0]))
			}
		}
	})
}
