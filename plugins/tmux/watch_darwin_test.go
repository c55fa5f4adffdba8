package tmux

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFolderTellsOfEachSocketThatComesOrGoes(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "flash-watch-") // sockets take short paths
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	w, err := newWatcher()
	require.NoError(t, err)
	require.NoError(t, w.Add(dir))
	require.NoError(t, w.Add(dir))
	changes := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(func(path string) { changes <- path }, func() {})
	}()
	next := func() {
		select {
		case path := <-changes:
			assert.Equal(t, dir, path)
		case <-time.After(time.Minute):
			t.Fatal("no change was told")
		}
	}
	for range 3 {
		l, err := net.Listen("unix", filepath.Join(dir, "default"))
		require.NoError(t, err)
		next()
		require.NoError(t, l.Close()) // which removes it
		next()
	}
	require.NoError(t, os.Remove(dir))
	next()
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, w.Add(dir), "another in its place")
	require.NoError(t, w.Close())
	<-ended
	require.ErrorIs(t, w.Add(dir), errWatchClosed)
}
