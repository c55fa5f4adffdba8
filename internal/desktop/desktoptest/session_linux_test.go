package desktoptest_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

const patience = 30 * time.Second

func alive(pid int) bool {
	_, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return false
	}
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestNothingOfASessionOutlivesItsTest(t *testing.T) {
	leaktest.Check(t)
	var dir string
	var pids []int
	t.Run("a session", func(t *testing.T) {
		s := desktoptest.New(t)
		dir = s.Dir()
		info, err := os.Stat(dir + "/run")
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

		bus, err := dbus.Connect(s.BusAddress())
		require.NoError(t, err)
		defer func() { _ = bus.Close() }()
		var address string
		require.NoError(t, bus.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address))
		require.Contains(t, address, dir, "its socket is in the session's own runtime directory")

		// One that leaves its program's kernel session, and one that hides
		// which session it is in.
		p := s.Start("sh", "-c", "setsid --fork sleep 1000; env -i sleep 1001 &")
		require.Eventually(t, func() bool { return len(s.Find("sleep")) == 2 }, patience, time.Millisecond)
		pids = append(pids, p.PID())
		pids = append(pids, s.Find("sleep")...)
		pids = append(pids, s.Find("at-spi-bus-launcher")...)
		pids = append(pids, s.Find("dbus-daemon")...)
		require.Len(t, pids, 6, "the program, the sleepers, the launcher and two buses")
	})
	if dir == "" {
		t.Skip("no session")
	}
	for _, pid := range pids {
		require.False(t, alive(pid), "process %d", pid)
	}
	_, err := os.Stat(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestProgramsShowTheirWindowsOnThePrivateDisplay(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "zenity", "xdotool")
	s := desktoptest.New(t)
	s.Start("zenity", "--info", "--title=A title of its own", "--text=x")
	id := s.Window("^A title of its own$")
	require.Equal(t, "A title of its own", s.Run("xdotool", "getwindowname", id))
}

func TestTheSessionBusComesBackAtItsAddress(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	s.StopBus()
	_, err := dbus.Connect(s.BusAddress())
	require.Error(t, err)
	s.StartBus()
	c, err := dbus.Connect(s.BusAddress())
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func TestASessionIsForAnOrdinaryUserToo(t *testing.T) {
	if os.Getuid() != 0 || os.Getenv("FLASH_TEST_ORDINARY") != "" {
		t.Skip("this is how an ordinary user runs the other tests")
	}
	desktoptest.Need(t, "setpriv", "Xvfb", "openbox", "dbus-daemon", "at-spi-bus-launcher", "zenity", "xdotool")
	self, err := os.Executable()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "flash-ordinary-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/test", data, 0o755))
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", dir+"/test", "-test.run=Nothing|Private|Back")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "FLASH_TEST_ORDINARY=1", "FLASH_TEST_DISPLAY=require"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
