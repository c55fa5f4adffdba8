package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func listenUnix(t *testing.T, path string) string {
	t.Helper()
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return path
}

func TestThePluginReadsItsRootAndOwnsItsData(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		require.Equal(t, "{}", h.can("read", w.root+"/manifest.json"))
		require.Contains(t, h.can("list", w.root), "manifest.json")
		h.can("create", w.data+"/new")
		h.can("mkdir", w.data+"/dir")
		h.can("rename", w.data+"/new", w.data+"/dir/moved")
		h.can("link", w.data+"/dir/moved", w.data+"/linked")
		h.can("truncate", w.data+"/linked")
		h.can("remove", w.data+"/linked")
		h.cannot("create", words(w.root+"/new"))
		h.cannot("append", words(w.root+"/manifest.json"))
		require.FileExists(t, w.data+"/dir/moved")
	})
}

func TestUndeclaredPlacesAnswerEACCESOrEROFS(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		for _, path := range []string{w.outside, w.home, filepath.Dir(w.root), "/", "/usr", "/etc", "/tmp", "/var"} {
			h.cannot("create", words(path+"/flash-probe"), unix.EACCES, unix.EROFS)
			h.cannot("mkdir", words(path+"/flash-probe"), unix.EACCES, unix.EROFS)
		}
		h.cannot("append", words(w.home+"/.bashrc"), unix.EACCES, unix.EROFS)
		h.cannot("read", words(w.home+"/.bashrc"), unix.EACCES)
		h.cannot("read", words(w.outside+"/file"), unix.EACCES)
		h.cannot("list", words(w.outside), unix.EACCES)
		h.cannot("list", words(w.home), unix.EACCES)
		h.cannot("list", words("/etc"), unix.EACCES)
		h.cannot("remove", words(w.outside+"/file"), unix.EACCES, unix.EROFS)
	})
}

func TestWritesDoNotEscapeTheDataDirectory(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		h.can("symlink", w.outside, w.data+"/out")
		h.cannot("create", words(w.data+"/out/x"))
		h.can("symlink", w.outside+"/file", w.data+"/outfile")
		h.cannot("append", words(w.data+"/outfile"))
		h.cannot("read", words(w.data+"/outfile"))
		h.cannot("create", words(w.data+"/../x"))
		h.cannot("create", words(w.data+"//..//../x"))
		h.cannot("create", words(w.data+"/out/../x"))
		h.cannot("rename", words(w.data+"/storage.json", w.outside+"/storage.json"), unix.EACCES, unix.EROFS, unix.EXDEV, unix.EPERM)
		h.cannot("rename", words(w.outside+"/file", w.data+"/file"), unix.EACCES, unix.EROFS, unix.EXDEV, unix.EPERM)
		h.cannot("link", words(w.home+"/.ssh/id_ed25519", w.data+"/key"), unix.EACCES, unix.EROFS, unix.EXDEV, unix.EPERM)
		h.cannot("link", words(w.data+"/storage.json", w.outside+"/linked"), unix.EACCES, unix.EROFS, unix.EXDEV, unix.EPERM)
		h.cannot("rename", words(w.data, filepath.Dir(w.data)+"/taken"), unix.EACCES, unix.EROFS, unix.EBUSY, unix.EXDEV, unix.EPERM)
		entries, err := os.ReadDir(w.outside)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	})
}

func TestTruncationByPathIsAWrite(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.in.Read = []string{w.home + "/docs"}
		h := w.hand()
		require.Equal(t, "note", h.can("read", w.home+"/docs/note.txt"))
		h.cannot("truncate", words(w.home+"/docs/note.txt"))
		h.cannot("open-truncate", words(w.home+"/docs/note.txt"))
		h.cannot("truncate", words(w.home+"/.bashrc"))
		raw, err := os.ReadFile(w.home + "/docs/note.txt")
		require.NoError(t, err)
		require.Equal(t, "note", string(raw))
	})
}

// Landlock does not decide modes, owners, times and attributes. On a thread
// seccomp denies them everywhere; in a namespace the mounts do, and the data
// directory keeps them.
func TestMetadataOfOtherFilesCannotBeChanged(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.in.Read = []string{w.home + "/docs"}
		h := w.hand()
		for _, path := range []string{w.home + "/.ssh/id_ed25519", w.home + "/docs/note.txt", w.outside} {
			for _, op := range []string{"chmod", "chown", "utimes", "setxattr"} {
				h.cannot(op, words(path))
			}
		}
		h.cannot("fchmod", words(w.home+"/docs/note.txt"))
		if w.onThread() {
			h.cannot("chmod", words(w.data+"/storage.json"))
		} else {
			h.can("chmod", w.data+"/storage.json")
		}
		info, err := os.Stat(w.home + "/.ssh/id_ed25519")
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o644), info.Mode().Perm())
	})
}

// stat is the stated boundary: a thread's child can learn that a file exists,
// its size and times; in a namespace it cannot.
func TestStatShowsThatAFileExistsOnlyOnAThread(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		if w.onThread() {
			h.can("stat", w.home+"/.ssh/id_ed25519")
			return
		}
		h.cannot("stat", words(w.home+"/.ssh/id_ed25519"))
	})
}

func TestSecretsStayClosedUnderABroadGrant(t *testing.T) {
	for _, namespaces := range []bool{true, false} {
		t.Run(map[bool]string{true: "masked by mount", false: "only the siblings granted"}[namespaces], func(t *testing.T) {
			support := detect()
			if namespaces {
				needNamespaces(t)
			}
			support.Namespaces = namespaces
			w := newWorld(t)
			w.in.Read = []string{"~"}
			h := w.handWith(NewRunnerFor(support))
			require.Equal(t, "note", h.can("read", w.home+"/docs/note.txt"))
			require.Equal(t, "a = 1", h.can("read", w.home+"/.config/app.toml"))
			require.Equal(t, "alias", h.can("read", w.home+"/.bashrc"))
			for _, secret := range []string{"/.ssh/id_ed25519", "/.ssh/config", "/.config/gh/hosts.yml", "/.bash_history"} {
				h.cannot("read", words(w.home+secret), unix.EACCES)
			}
			h.cannot("list", words(w.home+"/.ssh"), unix.EACCES)
			if namespaces {
				require.Contains(t, h.can("list", w.home), "docs")
			} else {
				h.cannot("list", words(w.home), unix.EACCES)
			}
			// A secret that appears while the plugin runs is closed too.
			require.NoError(t, os.Mkdir(w.home+"/.aws", 0o755))
			require.NoError(t, os.WriteFile(w.home+"/.aws/credentials", []byte("k"), 0o644))
			h.cannot("read", words(w.home+"/.aws/credentials"), unix.EACCES)
		})
	}
}

func TestASecretNamedByTheManifestIsGrantedAlone(t *testing.T) {
	for _, broad := range []bool{false, true} {
		t.Run(map[bool]string{true: "with the home beside it", false: "alone"}[broad], func(t *testing.T) {
			w := newWorld(t)
			w.in.Read = []string{"~/.ssh/config", "~/.config/gh"}
			if broad {
				w.in.Read = append(w.in.Read, "~")
			}
			h := w.hand()
			require.Equal(t, "Host x", h.can("read", w.home+"/.ssh/config"))
			require.Equal(t, "token", h.can("read", w.home+"/.config/gh/hosts.yml"))
			h.cannot("read", words(w.home+"/.ssh/id_ed25519"), unix.EACCES)
		})
	}
}

func TestOtherPluginsDataIsClosed(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.in.Read = []string{filepath.Dir(filepath.Dir(filepath.Dir(w.data)))}
		h := w.hand()
		h.can("read", w.data+"/storage.json")
		h.can("append", w.data+"/storage.json")
		h.cannot("read", words(filepath.Dir(w.data)+"/other/secret"), unix.EACCES)
	})
}

func TestAConfiguredWritePathIsWritable(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		w.in.ConfigWrite = []string{w.outside}
		h := w.hand()
		h.can("append", w.outside+"/file")
		h.can("create", w.outside+"/new")
		h.cannot("create", words(w.home+"/new"))
	})
}

func TestDevicesAndCertificatesAreReadable(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		h.can("append", "/dev/null")
		h.can("read", "/etc/passwd")
		h.cannot("read", words("/etc/shadow"), unix.EACCES)
		if _, err := os.Stat("/etc/ssl/certs"); err == nil {
			h.can("list", "/etc/ssl/certs")
		}
		h.can("list", "/usr/lib")
	})
}

func (w *world) onThread() bool {
	pl, err := planFor(w.policy(), detect())
	require.NoError(w.t, err)
	return pl.way == wayThread
}
