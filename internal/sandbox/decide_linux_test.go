package sandbox

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What Decide says of a path is what the confined child experiences there.
func TestDecideAgreesWithTheKernel(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.in.Read = append(w.in.Read, "~", "~/.ssh/config")
		w.in.ConfigWrite = []string{w.outside}
		require.NoError(t, os.Symlink(w.home+"/.ssh/id_ed25519", w.home+"/docs/key"))
		require.NoError(t, os.Symlink(w.home+"/docs/note.txt", w.data+"/note"))
		p, h := w.policy(), w.hand()
		for _, path := range []string{
			w.home + "/docs/note.txt", w.home + "/.bashrc", w.home + "/.config/app.toml",
			w.home + "/.ssh/id_ed25519", w.home + "/.ssh/config", w.home + "/.bash_history",
			w.home + "/.config/gh/hosts.yml", w.home + "/docs/key", w.home + "/docs/../.ssh/id_ed25519",
			w.root + "/manifest.json", w.data + "/storage.json", w.data + "/note",
			w.outside + "/file", w.in.PluginsData + "/other/secret",
			"/etc/passwd", "/etc/hostname", "/etc/shadow", "/usr/bin/true", "/usr/bin/id", "/dev/null", "/dev/zero", "/var/lib/dpkg/status",
		} {
			if _, err := os.Stat(path); err != nil {
				continue
			}
			want, why := p.Decide("read", path)
			_, err := h.ask("open-read", path)
			require.Equal(t, want, err == nil, "read %s: Decide says %v (%s), the kernel %v", path, want, why, err)
			if err != nil {
				require.ErrorIs(t, err, unix.EACCES, path)
			}
			want, why = p.Decide("write", path)
			_, err = h.ask("open-write", path)
			require.Equal(t, want, err == nil, "write %s: Decide says %v (%s), the kernel %v", path, want, why, err)
			if forks(w) {
				want, _ = p.Decide("exec", path)
				_, err = h.ask("exec", path)
				// Anything but EACCES means that the sandbox let it through.
				require.Equal(t, want, !errors.Is(err, unix.EACCES), "exec %s: %v", path, err)
			}
		}
		network, _ := p.Decide("network", "")
		_, err := h.ask("netlink", "0")
		require.Equal(t, network, err == nil)
		fork, _ := p.Decide("fork", "")
		require.Equal(t, forks(w), fork)
	})
}
