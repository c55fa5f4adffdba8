package sandbox

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestAProcFileIsGrantedByItself(t *testing.T) {
	w := newWorld(t)
	w.in.Read = []string{"/proc/diskstats"}
	h := w.hand()
	require.True(t, w.onThread())
	h.can("read", "/proc/diskstats")
	h.can("read", "/proc/meminfo")
	h.cannot("read", words("/proc/self/status"), unix.EACCES)
	h.cannot("list", words("/proc"), unix.EACCES)
}

func TestProcSelfIsTheChildsOwn(t *testing.T) {
	needNamespaces(t)
	for _, path := range []string{"/proc/self/status", "/proc/net/dev"} {
		w := newWorld(t)
		w.in.Read = []string{path}
		require.NotEmpty(t, w.hand().can("read", path))
		// Without namespaces the plugin runs, and cannot read it.
		s := detect()
		s.Namespaces = false
		w.handWith(NewRunnerFor(s)).cannot("read", words(path), unix.EACCES)
	}
}

// procfs makes a new inode when a cached name was dropped; Landlock rules
// belong to inodes.
func TestAProcGrantSurvivesDroppedCaches(t *testing.T) {
	if os.Getuid() != 0 || testing.Short() {
		t.Skip("drops the machine's caches, as root")
	}
	w := newWorld(t)
	w.in.Read = []string{"/proc/diskstats"}
	h := w.hand()
	h.can("read", "/proc/diskstats")
	require.NoError(t, os.WriteFile("/proc/sys/vm/drop_caches", []byte("2"), 0))
	h.can("read", "/proc/diskstats")
	h.can("read", "/proc/meminfo")
}
