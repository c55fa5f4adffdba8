//go:build !darwin || cgo

package desktop

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watched runs a tree watch whose settle time a test need not wait for.
type watched struct {
	t     *testing.T
	calls chan struct{}
}

// watchRoots settles fast enough to wait for; watchTree takes other times.
func watchRoots(t *testing.T, roots ...string) watched {
	t.Helper()
	return watchTree(t, 20*time.Millisecond, 200*time.Millisecond, roots...)
}

func watchTree(t *testing.T, settle, ceiling time.Duration, roots ...string) watched {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := watched{t, make(chan struct{}, 100)}
	require.NoError(t, tree{roots: roots, depth: 3, suffix: ".desktop", settle: settle, ceiling: ceiling}.
		watch(ctx, func() { w.calls <- struct{}{} }))
	t.Cleanup(func() {
		cancel()
		require.Eventually(t, func() bool { return !running("(*watching).run") }, 20*time.Second, time.Millisecond, "the watch goes on")
	})
	return w
}

func running(fn string) bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), fn)
}

func (w watched) seen(what string) {
	w.t.Helper()
	select {
	case <-w.calls:
	case <-time.After(20 * time.Second):
		w.t.Fatal("not seen: " + what)
	}
}

func tempDir(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func put(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(path), 0o600))
}

func TestFilesThatAppearChangeAndGoAreSeen(t *testing.T) {
	dir := tempDir(t)
	w := watchRoots(t, dir)
	f := filepath.Join(dir, "a.desktop")
	put(t, f)
	w.seen("a new file")
	put(t, f)
	w.seen("a changed file")
	require.NoError(t, os.Rename(f, filepath.Join(dir, "b.desktop")))
	w.seen("a renamed file")
	require.NoError(t, os.Remove(filepath.Join(dir, "b.desktop")))
	w.seen("a removed file")
}

func TestADirectoryThatIsMadeLaterIsWatchedToTheBottom(t *testing.T) {
	dir := tempDir(t)
	root := filepath.Join(dir, "share", "deep", "applications")
	w := watchRoots(t, root)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "vendor"), 0o700))
	w.seen("the directory")
	put(t, filepath.Join(root, "vendor", "a.desktop"))
	w.seen("a file below it")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "share")))
	w.seen("its removal")
	require.NoError(t, os.MkdirAll(root, 0o700))
	w.seen("its return")
	put(t, filepath.Join(root, "b.desktop"))
	w.seen("a file in the new one")
}

func TestALinkThatIsTurnedIsFollowed(t *testing.T) {
	dir := tempDir(t)
	for _, d := range []string{"one/applications", "two/applications"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o700))
	}
	link := filepath.Join(dir, "profile")
	require.NoError(t, os.Symlink("one", link))
	w := watchRoots(t, filepath.Join(link, "applications"))
	require.NoError(t, os.Symlink("two", link+".new"))
	require.NoError(t, os.Rename(link+".new", link))
	w.seen("the turned link")
	put(t, filepath.Join(dir, "two/applications/a.desktop"))
	w.seen("a file behind the new target")
}

func TestABurstIsOneChange(t *testing.T) {
	dir := tempDir(t)
	w := watchTree(t, time.Second, time.Hour, dir)
	for range 50 {
		put(t, filepath.Join(dir, "a.desktop"))
	}
	w.seen("the burst")
	assert.Empty(t, w.calls)
}

func TestAChangeThatNeverSettlesStillShows(t *testing.T) {
	dir := tempDir(t)
	w := watchTree(t, time.Hour, 20*time.Millisecond, dir)
	put(t, filepath.Join(dir, "a.desktop"))
	w.seen("the change")
	put(t, filepath.Join(dir, "a.desktop"))
	w.seen("the next one")
}

func TestWhatIsNoConcernOfAListIsNotReported(t *testing.T) {
	dir := tempDir(t)
	root := filepath.Join(dir, "share", "applications")
	w := watchTree(t, time.Second, time.Hour, root)
	put(t, filepath.Join(dir, "other.desktop")) // beside the missing directory
	require.NoError(t, os.MkdirAll(root, 0o700))
	w.seen("the directory")
	put(t, filepath.Join(root, "mimeinfo.cache"))
	require.NoError(t, os.Chmod(root, 0o755))
	put(t, filepath.Join(root, "a.desktop"))
	w.seen("the one that matters")
	assert.Empty(t, w.calls)
}
