package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/manifest"
)

func TestALoadThatFindsTheSameAsksForNothing(t *testing.T) {
	w := newWorld(t)
	w.program(w.path("p", "run"))
	w.plugin("p", map[string]any{"exec": []string{"./run"}})
	set := w.good()
	plan := manifest.Reconcile(set, w.good(), nil)
	require.True(t, plan.Empty())
	require.Equal(t, set, plan.Set)
}

func TestAReconcileTellsWhatChangedApart(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"manifest", "binary", "script", "stays", "goes", "breaks", "installs"} {
		w.program(w.path(id, "run"))
		w.write(w.path(id, "main.py"), "1", 0o644)
		exec := []string{"./run", "./main.py"}
		if id == "installs" {
			exec = []string{"tool"}
		}
		w.plugin(id, map[string]any{"exec": exec})
	}
	old := w.good()

	w.plugin("manifest", map[string]any{"exec": []string{"./run", "./main.py"}, "priority": 30})
	w.write(w.path("binary", "run"), "#!/bin/sh\n# new\n", 0o755)
	w.write(w.path("script", "main.py"), "22", 0o644)
	require.NoError(t, os.RemoveAll(w.path("goes")))
	w.write(w.path("breaks", manifest.FileName), "{", 0o644)
	w.program(filepath.Join(w.bin, "tool"))
	w.plugin("comes", nil)

	next, faults := w.load()
	plan := manifest.Reconcile(old, next, faults)
	require.Equal(t, []string{"comes"}, ids(plan.Added))
	require.Equal(t, []string{"installs", "manifest"}, ids(plan.Changed))
	require.Equal(t, []string{"binary", "script"}, ids(plan.Rebuilt))
	require.Equal(t, []string{"goes"}, plan.Removed)
	require.Len(t, plan.Kept, 1)
	require.Equal(t, "breaks", plan.Kept[0].ID)
	require.Equal(t, []string{"binary", "breaks", "comes", "installs", "manifest", "script", "stays"}, ids(plan.Set))

	again := manifest.Reconcile(plan.Set, next, faults)
	require.Equal(t, []string{"breaks"}, ids(manifest.Set{mustFind(t, again.Set, "breaks")}))
	require.Len(t, again.Kept, 1)
}

func mustFind(t *testing.T, set manifest.Set, id string) manifest.Definition {
	t.Helper()
	d, ok := set.Find(id)
	require.True(t, ok)
	return d
}

func TestAChangedConfigurationReplacesThePlugin(t *testing.T) {
	w := newWorld(t)
	w.plugin("p", nil)
	with := func(table string) manifest.Set {
		set, _ := manifest.Load(w.dirs(), append(w.opts(), manifest.WithConfig(func(string) manifest.PluginConfig {
			return manifest.PluginConfig{Table: []byte(table)}
		}))...)
		return set
	}
	plan := manifest.Reconcile(with(`{"a":1}`), with(`{"a":2}`), nil)
	require.Equal(t, []string{"p"}, ids(plan.Changed))
}

func TestPluginsOfAFolderThatCannotBeReadRunOn(t *testing.T) {
	w := newWorld(t)
	w.plugin("p", nil)
	old := w.good()
	fault := manifest.Fault{Path: w.plugins, Problems: []string{"cannot be read"}}
	plan := manifest.Reconcile(old, nil, []manifest.Fault{fault})
	require.Empty(t, plan.Removed)
	require.Equal(t, []string{"p"}, ids(plan.Set))
	require.Equal(t, "p", plan.Kept[0].ID)
}
