package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/flash-launcher/flash/internal/sandbox/seatbelttest"
)

// tableWorld is a world with what the table talks about in place.
func tableWorld(t *testing.T) (*world, seatbelttest.Places) {
	w := newWorld(t)
	base := filepath.Dir(w.home)
	for _, dir := range []string{w.home + "/sockets", w.home + "/run", w.home + "/papers", w.home + "/flash"} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	state := w.home + "/flash/rank"
	require.NoError(t, os.WriteFile(state, []byte("{}"), 0o644))
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { tcp.Close() })
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { udp.Close() })
	for _, socket := range []string{"/sockets/a", "/run/free.sock", "/.ssh/agent.sock"} {
		listenUnix(t, w.home+socket)
	}
	listenUnix(t, w.outside+"/docker.sock")
	w.in.ControlSocket = listenUnix(t, w.home+"/run/flash.sock")
	w.in.ExtraSecrets = []string{filepath.Dir(state)}
	return w, seatbelttest.Places{
		"home": w.home, "root": w.root, "data": w.data, "outside": w.outside,
		"otherdata": base + "/state/data/other", "state": state, "run": w.home + "/run", "control": w.in.ControlSocket,
		"granted": listenUnix(t, w.home+"/granted.sock"), "sockets": w.home + "/sockets",
		"history": w.home + "/.bash_history", "systemsecret": "/etc/shadow", "passwd": "/etc/passwd", "null": "/dev/null",
		"tcp": tcp.Addr().String(), "udp": udp.LocalAddr().String(),
		"program": "/usr/bin/true", "otherprogram": "/usr/bin/id", "shell": "/bin/sh",
		"host": strconv.Itoa(os.Getpid()), "other": strconv.Itoa(sibling(t)),
	}
}

// What the kernel says to what is denied: refused, not there, or on another
// mount. A row that is opened by something shows that its target is there.
var denials = []unix.Errno{
	unix.EACCES, unix.EPERM, unix.EROFS, unix.EXDEV, unix.EBUSY, unix.ENOENT, unix.ESRCH, unix.ENOSYS, unix.ECONNREFUSED,
}

// The table that a profile for macOS is held to, done on this kernel.
func TestTheTableHoldsOnThisKernel(t *testing.T) {
	needNamespaces(t)
	sets := [][]seatbelttest.Feature{nil}
	for _, f := range seatbelttest.Features {
		if f != seatbelttest.AppleEvents && f != seatbelttest.Mach {
			sets = append(sets, []seatbelttest.Feature{f})
		}
	}
	sets = append(sets,
		[]seatbelttest.Feature{seatbelttest.ReadHome, seatbelttest.WriteHome, seatbelttest.ReadSecret},
		[]seatbelttest.Feature{seatbelttest.ReadHome, seatbelttest.Sockets, seatbelttest.SocketRun},
		[]seatbelttest.Feature{seatbelttest.WriteHome, seatbelttest.WriteOutside, seatbelttest.Exec, seatbelttest.Network},
	)
	for _, features := range sets {
		var names []string
		for _, f := range features {
			names = append(names, string(f))
		}
		t.Run("with "+strings.Join(names, ", "), func(t *testing.T) {
			w, at := tableWorld(t)
			w.in = granting(w.in, at, features...)
			h := w.hand()
			at["self"] = lines(h.can("ids"))[0]
			for _, a := range seatbelttest.Attempts {
				d, ok := seatbelttest.DeedOf(a.Deed)
				require.True(t, ok, a.String())
				if a.NotOnLinux != "" || d.NotOnLinux != "" {
					continue
				}
				var args []string
				for _, arg := range a.Args {
					args = append(args, at.In(arg))
				}
				if a.Opened(features) {
					h.can(a.Deed, args...)
				} else {
					h.cannot(a.Deed, args, denials...)
				}
			}
		})
	}
}

// Whatever the hand can do on Linux has its counterpart in the questions to a
// profile, or a reason why macOS has no such thing.
func TestEveryDeedOfTheHandIsInTheTable(t *testing.T) {
	for name := range deeds {
		d, ok := seatbelttest.DeedOf(name)
		require.True(t, ok, "deed %q has no counterpart in seatbelttest.Deeds and no reason why macOS has none", name)
		require.Empty(t, d.NotOnLinux, name)
	}
	for _, d := range seatbelttest.Deeds {
		if d.NotOnLinux == "" {
			require.Contains(t, deeds, d.Name)
		}
	}
}
