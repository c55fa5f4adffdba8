package tmux

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheWatcherTellsOfFilesThatComeChangeAndGo(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(base, "tmux-1")
	file := filepath.Join(dir, "default")
	w, err := newWatcher()
	require.NoError(t, err)
	require.Error(t, w.Add(dir), "it is not there yet")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, w.Add(dir))
	require.NoError(t, w.Add(dir))

	told := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(func(path string) { told <- path }, func() { told <- "lost" })
	}()
	next := func(want string) {
		t.Helper()
		select {
		case path := <-told:
			require.Equal(t, want, path)
		case <-time.After(time.Minute):
			t.Fatal("nothing was told of", want)
		}
	}
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	next(file)
	require.NoError(t, os.Chmod(file, 0o700))
	next(file)
	require.NoError(t, os.Remove(file))
	next(file)
	require.NoError(t, os.Remove(dir))
	next(dir)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, w.Add(dir))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	next(file)

	require.NoError(t, w.Close())
	<-ended
	assert.Error(t, w.Add(dir))
}
