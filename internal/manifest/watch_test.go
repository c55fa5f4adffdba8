package manifest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

// watched is a world under watch, with time in the test's hand.
type watched struct {
	world
	time    *eventtest.Fake
	changed chan struct{}
}

func watch(t *testing.T, w world, dirs ...manifest.Dir) watched {
	t.Helper()
	leaktest.Check(t)
	if dirs == nil {
		dirs = w.dirs()
	}
	x := watched{world: w, time: eventtest.New(), changed: make(chan struct{}, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	done, err := manifest.Watch(ctx, dirs, func() { x.changed <- struct{}{} }, append(w.opts(), manifest.WithTime(x.time))...)
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return x
}

// settles waits for the watch to see something, lets it settle and expects one call.
func (x watched) settles() {
	x.t.Helper()
	noticed := make(chan struct{})
	go func() {
		x.time.AwaitTimer(manifest.Settle)
		close(noticed)
	}()
	select {
	case <-noticed:
	case <-time.After(20 * time.Second):
		require.FailNow(x.t, "the change was not noticed")
	}
	// Events of one change come one by one, and each begins the wait anew.
	for {
		x.time.Advance(manifest.Settle)
		select {
		case <-x.changed:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// ignores makes a change and proves that it was seen and did not count: the one
// call that comes is for a change that was made after it.
func (x watched) ignores(change func()) {
	x.t.Helper()
	change()
	require.NoError(x.t, os.Mkdir(x.path("fence"), 0o755))
	x.settles()
	require.NoError(x.t, os.Remove(x.path("fence")))
	x.settles()
}

func TestWhatAPluginIsMadeOfIsWatched(t *testing.T) {
	exec := map[string]any{"exec": []string{"./run", "./main.py"}}
	for name, change := range map[string]func(w world){
		"a manifest in place": func(w world) { w.plugin("local", exec) },
		"a manifest by rename": func(w world) {
			require.NoError(t, os.Rename(w.path("local", ".tmp"), w.path("local", manifest.FileName)))
		},
		"a program":         func(w world) { w.write(w.path("local", "run"), "#!/bin/sh\n#2\n", 0o755) },
		"a script":          func(w world) { w.write(w.path("local", "main.py"), "2", 0o644) },
		"a program on PATH": func(w world) { w.write(filepath.Join(w.bin, "tool"), "#!/bin/sh\n#2\n", 0o755) },
		"a mode":            func(w world) { require.NoError(t, os.Chmod(w.path("local", "run"), 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.program(filepath.Join(w.bin, "tool"))
			w.program(w.path("local", "run"))
			w.write(w.path("local", "main.py"), "1", 0o644)
			w.write(w.path("local", ".tmp"), "{}", 0o644)
			w.plugin("local", exec)
			w.plugin("bare", map[string]any{"exec": []string{"tool"}})
			x := watch(t, w)
			change(w)
			x.settles()
		})
	}
}

func TestAPluginThatComesIsWatchedFromThenOn(t *testing.T) {
	x := watch(t, newWorld(t))
	require.NoError(t, os.Mkdir(x.path("new"), 0o755))
	x.settles()
	x.plugin("new", nil)
	x.settles()
	require.Equal(t, []string{"new"}, ids(x.good()))
	require.NoError(t, os.RemoveAll(x.path("new")))
	x.settles()
	require.Empty(t, x.good())
}

func TestAFolderOfPluginsMayAppearLater(t *testing.T) {
	w := newWorld(t)
	later := filepath.Join(w.bin, "deep", "plugins")
	x := watch(t, w, manifest.Dir{Path: later})
	require.NoError(t, os.MkdirAll(filepath.Join(later, "p"), 0o755))
	x.settles()
	w.write(filepath.Join(later, "p", manifest.FileName), `{}`, 0o644)
	x.settles()
}

func TestOtherFilesOfAPluginAreNobodysBusiness(t *testing.T) {
	w := newWorld(t)
	w.program(w.path("p", "run"))
	w.plugin("p", map[string]any{"exec": []string{"./run"}})
	x := watch(t, w)
	x.ignores(func() {
		w.write(w.path("p", "cache.db"), "1", 0o644)
		w.write(w.path("p", "cache.db"), "2", 0o644)
	})
	require.Empty(t, x.changed)
}

func TestManyWritesAreOneChange(t *testing.T) {
	w := newWorld(t)
	x := watch(t, w)
	for range 50 {
		w.plugin("p", nil)
	}
	x.settles()
	require.Empty(t, x.changed)
}
