package sandbox

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// sibling is an ordinary process of the same user, beside the plugin.
func sibling(t *testing.T) int {
	t.Helper()
	c := exec.Command("/bin/sleep", "1000")
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c.Process.Pid
}

// A plugin that declares nothing tries ten things.
func TestAPluginThatDeclaresNothingIsDeniedTenThings(t *testing.T) {
	w := newWorld(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer udp.Close()
	agent := listenUnix(t, w.home+"/.ssh/agent.sock")
	bus := listenUnix(t, w.outside+"/bus")
	docker := listenUnix(t, w.outside+"/docker.sock")
	kitty := listenUnix(t, w.home+"/kitty.sock")
	other := sibling(t)
	host := strconv.Itoa(os.Getpid())
	h := w.hand()

	h.cannot("read", words(w.home+"/.ssh/id_ed25519"), unix.EACCES)
	h.cannot("tcp", words(tcp.Addr().String()))
	h.cannot("tcp", words("1.1.1.1:443"))
	h.cannot("udp", words(udp.LocalAddr().String()))
	for _, socket := range []string{agent, bus, docker, kitty} {
		h.cannot("unix", words(socket))
		h.cannot("dgram-pair", words(socket))
	}
	h.cannot("exec", words("/bin/sh", "-c", "true"))
	h.cannot("exec-self-away", words("/bin/sh", "-c", "true"))
	h.cannot("append", words(w.home+"/.bashrc"))
	h.cannot("ptrace", words(strconv.Itoa(other)))
	h.cannot("peek", words(strconv.Itoa(other)))
	h.cannot("signal", words(host))
	h.cannot("signal", words(strconv.Itoa(other)))
}

func TestTheHostsMemoryAndEnvironmentAreShut(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		host := strconv.Itoa(os.Getpid())
		for _, file := range []string{"environ", "mem", "maps", "cmdline", "fd/0", "status"} {
			h.cannot("read", words("/proc/"+host+"/"+file), unix.EACCES, unix.ENOENT, unix.EPERM, unix.ESRCH)
		}
		h.cannot("ptrace", words(host), unix.EPERM, unix.EACCES)
		h.cannot("peek", words(host), unix.EPERM)
	})
}

func TestOtherProcessesCannotBeReached(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		h := w.hand()
		denied := []unix.Errno{unix.EPERM}
		if !w.onThread() {
			denied = []unix.Errno{unix.ESRCH} // its namespace has no such process
		}
		for _, pid := range []int{os.Getpid(), sibling(t)} {
			target := words(strconv.Itoa(pid))
			for _, op := range []string{"signal", "limit-other", "renice-other", "pin-other"} {
				h.cannot(op, target, denied...)
			}
		}
		ids := lines(h.can("ids"))
		h.can("signal", ids[0])
		h.can("limit-other", "0")
	})
}

func TestTwoPluginsCannotReachEachOther(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) {
		first, second := w.hand(), w.hand()
		target := words(strconv.Itoa(second.proc.PID()))
		first.cannot("signal", target, unix.EPERM, unix.ESRCH)
		first.cannot("ptrace", target, unix.EPERM)
		first.cannot("read", words("/proc/"+target[0]+"/environ"), unix.EACCES, unix.ENOENT)
		first.cannot("read", words("/proc/"+target[0]+"/mem"), unix.EACCES, unix.ENOENT)
	})
}

func TestNetworkIsAllOrNothing(t *testing.T) {
	for _, exec := range [][]string{nil, {"true"}} {
		w := newWorld(t)
		if exec != nil {
			needNamespaces(t)
		}
		w.in.Exec = exec
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer tcp.Close()
		h := w.hand()
		h.cannot("tcp", words(tcp.Addr().String()))
		h.cannot("netlink", words("0"))
		w.in.Capabilities = []string{"network"}
		h = w.hand()
		h.can("tcp", tcp.Addr().String())
		h.can("udp", tcp.Addr().String())
		h.can("netlink", strconv.Itoa(unix.NETLINK_ROUTE))
		h.cannot("netlink", words(strconv.Itoa(unix.NETLINK_AUDIT)))
		h.cannot("socket", words(strconv.Itoa(unix.AF_VSOCK)))
		h.cannot("unix", words(listenUnix(t, w.outside+"/s")))
	}
}

func TestOnlyTheNamedSocketsAreReached(t *testing.T) {
	needNamespaces(t)
	for _, network := range []bool{false, true} {
		w := newWorld(t)
		if network {
			w.in.Capabilities = []string{"network"}
		}
		granted := listenUnix(t, w.home+"/granted.sock")
		require.NoError(t, os.Mkdir(w.home+"/sockets", 0o755))
		inDir := listenUnix(t, w.home+"/sockets/a")
		other := listenUnix(t, w.home+"/other.sock")
		abstract := listenUnix(t, "@flash-test-"+w.home)
		w.in.UnixSockets = []string{"~/granted.sock", "~/sockets", "~/missing.sock"}
		h := w.hand()
		h.can("unix", granted)
		h.can("unix", inDir)
		h.can("unix", listenUnix(t, w.home+"/sockets/later"))
		h.can("list", w.home+"/sockets")
		h.cannot("list", words(w.home))
		h.cannot("unix", words(other))
		h.cannot("unix", words(abstract))
		h.cannot("unix", words("/run/dbus/system_bus_socket"), unix.EACCES, unix.ENOENT)
		h.cannot("dgram-pair", words(other))
		for _, socket := range []string{granted, other} {
			allowed, _ := w.policy().Decide("unix", socket)
			require.Equal(t, socket == granted, allowed)
		}
	}
}

func TestStreamPairsWorkAsPipes(t *testing.T) {
	profiles(t, func(t *testing.T, w *world) { w.hand().can("stream-pair") })
}

// Abstract sockets have no path that a mount could hide. Below ABI 6 an empty
// network namespace carries them.
func TestAbstractSocketsAreClosedOnAnOlderKernelToo(t *testing.T) {
	needNamespaces(t)
	w := newWorld(t)
	w.in.UnixSockets = []string{listenUnix(t, w.home+"/granted.sock")}
	abstract := listenUnix(t, "@flash-old-"+w.home)
	s := detect()
	s.LandlockABI = 2
	h := w.handWith(NewRunnerFor(s))
	h.can("unix", w.home+"/granted.sock")
	h.cannot("unix", words(abstract), unix.ECONNREFUSED, unix.EPERM)
}

func TestAnOlderKernelsChildIsHeldToTheSameFiles(t *testing.T) {
	needNamespaces(t)
	for abi := 1; abi <= 6; abi++ {
		w := newWorld(t)
		w.in.Read = []string{"~/docs"}
		s := detect()
		if s.LandlockABI < abi {
			t.Skipf("this kernel has Landlock ABI %d", s.LandlockABI)
		}
		s.LandlockABI = abi
		h := w.handWith(NewRunnerFor(s))
		h.can("create", w.data+"/x")
		h.cannot("truncate", words(w.home+"/docs/note.txt"))
		h.cannot("open-truncate", words(w.home+"/docs/note.txt"))
		h.cannot("truncate", words(w.home+"/.bashrc"))
		h.cannot("append", words(w.home+"/.bashrc"))
		h.cannot("read", words(w.home+"/.ssh/id_ed25519"))
		h.cannot("link", words(w.home+"/docs/note.txt", w.data+"/n"), unix.EACCES, unix.EROFS, unix.EXDEV, unix.EPERM)
		h.cannot("signal", words(strconv.Itoa(os.Getpid())), unix.EPERM, unix.ESRCH)
		h.cannot("tcp", words("127.0.0.1:9"))
		if abi < abiTruncate {
			h.cannot("openat2", words(w.home+"/docs/note.txt"), unix.ENOSYS)
		}
	}
}

func TestAGrantedSignalReachesOthers(t *testing.T) {
	w := newWorld(t)
	w.in.Signal = true
	w.hand().can("signal", strconv.Itoa(sibling(t)))
}

func TestTheHostCanBeMadeNonDumpable(t *testing.T) {
	w := newWorld(t)
	host := w.hostRole("harden")
	pid := strconv.Itoa(host.Process.Pid)
	// Root passes by its capabilities; a confined child of root has none.
	if os.Getuid() != 0 {
		for _, file := range []string{"environ", "mem"} {
			_, err := os.ReadFile("/proc/" + pid + "/" + file)
			require.ErrorIs(t, err, syscall.EACCES)
		}
	}
	require.Equal(t, "private true, core 0", host.says)
}

// A read-only mount does not keep anybody from connecting.
func TestASocketBelowAReadGrantIsMasked(t *testing.T) {
	needNamespaces(t)
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.home+"/docs/sub dir", 0o755))
	granted := listenUnix(t, w.home+"/docs/granted.sock")
	other := listenUnix(t, w.home+"/docs/other.sock")
	deep := listenUnix(t, w.home+"/docs/sub dir/deep.sock")
	w.in.Read = []string{"~/docs"}
	w.in.UnixSockets = []string{granted}
	h := w.hand()
	h.can("unix", granted)
	h.cannot("unix", words(other))
	h.cannot("unix", words(deep))
	h.can("read", w.home+"/docs/note.txt")
}
