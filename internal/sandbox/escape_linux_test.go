package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestPrivilegedCallsAreDenied(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		h.cannot("chroot", words("/usr"))
		h.cannot("sethostname", nil)
		h.cannot("unshare", nil)
		h.cannot("mount", words(w.data))
		h.cannot("umount", words("/proc"))
		h.cannot("keyring", nil)
		require.Equal(t, "[{0 0 0} {0 0 0}]", h.can("caps"))
		if os.Getuid() == 0 {
			require.Empty(t, h.can("bounding"))
		}
	})
}

func TestNoNewNamespaceByAnyFork(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		for _, flag := range []uint64{unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWPID, unix.CLONE_NEWNET} {
			h.cannot("clone", words(fmt.Sprintf("%#x", flag|uint64(unix.SIGCHLD))), unix.EPERM)
		}
		h.cannot("clone3", nil, unix.ENOSYS)
	})
}

func TestWithoutExecForkIsDeniedAndThreadsAreNot(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		h.can("threads")
		if forks(w) {
			h.can("exec", "/usr/bin/true")
			return
		}
		for _, flags := range []uint64{
			uint64(unix.SIGCHLD),
			uint64(unix.SIGCHLD) | unix.CLONE_VFORK | unix.CLONE_VM,
			uint64(unix.SIGCHLD) | unix.CLONE_PARENT,
			unix.CLONE_VM,
		} {
			h.cannot("clone", words(fmt.Sprintf("%#x", flags)), unix.EPERM)
		}
		for _, nr := range forkHere {
			h.cannot("syscall", words(strconv.Itoa(int(nr))), unix.EPERM)
		}
		h.cannot("exec", words("/usr/bin/true"))
	})
}

// The fork of the host passes by a token in the flags. Guessing is not an
// error but the end.
func TestAGuessedForkTokenEndsTheChild(t *testing.T) {
	w := newWorld(t)
	h := w.hand()
	order := fmt.Sprintf(`{"Op":"clone","Args":["%#x"]}`+"\n", uint64(0x12345678)<<32|uint64(unix.SIGCHLD))
	_, err := h.proc.Stdin().Write([]byte(order))
	require.NoError(t, err)
	require.Equal(t, unix.SIGSYS, h.proc.Wait().Signal)
}

func TestUnknownAndForeignCallsDoNotExist(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		h.cannot("syscall", words(strconv.Itoa(lastKnown+1)), unix.ENOSYS)
		h.cannot("syscall", words("100000"), unix.ENOSYS)
		h.cannot("syscall", words(strconv.Itoa(unix.SYS_IO_URING_SETUP)), unix.ENOSYS)
		if hasX32 {
			h.cannot("syscall", words(strconv.Itoa(x32Bit|unix.SYS_GETPID)), unix.ENOSYS)
		}
	})
}

func TestTheChildCannotOutliveItsHostBySyscall(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		if forks(w) {
			// The init's own signal is what counts, and it is out of reach.
			h.can("outlive")
			return
		}
		h.cannot("outlive", nil, unix.EPERM)
	})
}

func TestMemoryOutsideTheDataLimitIsDenied(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		for _, flags := range []int{
			unix.MAP_SHARED | unix.MAP_ANONYMOUS,
			unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS,
			unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN,
			unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE,
		} {
			h.cannot("map", words(strconv.Itoa(flags)), unix.EPERM)
		}
		h.can("map", strconv.Itoa(unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))
		h.cannot("map-zero", nil)
		h.cannot("memfd", nil, unix.EPERM)
		h.cannot("syscall", words(strconv.Itoa(unix.SYS_SHMGET), "0", "1048576", "0x3c0"), unix.EPERM)
	})
}

func TestTheInitsMemoryIsShut(t *testing.T) {
	needNamespaces(t)
	w := newWorld(t)
	w.in.Exec = []string{"true"}
	h := w.hand()
	for _, file := range []string{"mem", "environ", "maps"} {
		h.cannot("read", words("/proc/1/"+file), unix.EACCES, unix.EPERM)
	}
	h.can("read", "/proc/self/status")
}

// What exec[] means: with an interpreter or the loader among the programs,
// what runs is not only what is named. What holds is the rest.
func TestTheLoaderRunsAnythingReadableWithinTheSameWalls(t *testing.T) {
	needNamespaces(t)
	loaders, _ := filepath.Glob("/lib64/ld-linux-*.so.*")
	if len(loaders) == 0 {
		t.Skip("no glibc loader here")
	}
	w := newWorld(t)
	w.in.Exec = []string{"true"}
	h := w.hand()
	h.can("exec", "/usr/bin/true")
	h.cannot("exec", words("/usr/bin/id"), unix.EACCES)
	// The documented boundary.
	h.can("exec", loaders[0], "/usr/bin/id")
	// The walls around it.
	_, err := h.ask("exec", loaders[0], "/usr/bin/cat", w.home+"/.ssh/id_ed25519")
	require.Error(t, err)
	_, err = h.ask("exec", loaders[0], "/usr/bin/touch", w.outside+"/touched")
	require.Error(t, err)
	require.NoFileExists(t, w.outside+"/touched")
}

func TestAScriptRunsWithItsInterpreter(t *testing.T) {
	for _, line := range []string{"#!/bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/env -S sh -e"} {
		w := newWorld(t)
		script := w.root + "/plugin.sh"
		require.NoError(t, os.WriteFile(script, []byte(line+"\nread line; echo \"got $line\"\n"), 0o755))
		w.in.Argv = []string{script}
		p := w.start("none")
		_, err := p.Stdin().WriteString("hello\n")
		require.NoError(t, err)
		buf := make([]byte, 64)
		n, err := p.Stdout().Read(buf)
		require.NoError(t, err, line)
		require.Equal(t, "got hello\n", string(buf[:n]))
		require.Equal(t, Exit{}, p.Wait())
	}
}
