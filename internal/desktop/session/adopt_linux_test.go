package session

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

func listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o777)
	}
	return l, err
}

func socket(t *testing.T, path string) {
	t.Helper()
	l, err := listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
}

func TestAClientOffersItsSessionAndNothingElse(t *testing.T) {
	got := Offer([]string{
		"HOME=/root", "DISPLAY=:1", "LD_PRELOAD=/x", "PATH=/bin", "XAUTHORITY=", "WAYLAND_DISPLAY=wayland-0", "XDG_SESSION_TYPE=x11", "DISPLAY=:2",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "XDG_RUNTIME_DIR=/run/user/1", "XDG_SESSION_ID=3", "XDG_CURRENT_DESKTOP=KDE", "SSH_AUTH_SOCK=/x",
	})
	assert.Equal(t, []string{
		"XDG_RUNTIME_DIR=/run/user/1", "DISPLAY=:2", "WAYLAND_DISPLAY=wayland-0", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x",
		"XDG_SESSION_ID=3", "XDG_SESSION_TYPE=x11", "XDG_CURRENT_DESKTOP=KDE",
	}, got)
}

func refused(a Adoption) map[string]string {
	out := map[string]string{}
	for _, r := range a.Refused {
		out[r.Name] = r.Why.Error()
	}
	return out
}

func TestASessionThatIsTheUsersOwnIsAdopted(t *testing.T) {
	s := desktoptest.New(t)
	offered := append(Offer(s.Env()), "XDG_CURRENT_DESKTOP=ubuntu:GNOME", "LD_PRELOAD=/evil")
	own := []string{"HOME=/home/u", "XDG_SESSION_ID=old", "WAYLAND_DISPLAY=gone", "XAUTHORITY=/old", "PATH=/bin"}
	require.True(t, NeedsSession(own))
	a, err := Adopt(own, offered)
	require.NoError(t, err)
	assert.Empty(t, a.Refused)
	assert.Equal(t, []string{
		"HOME=/home/u", "PATH=/bin", "XDG_RUNTIME_DIR=" + s.Dir() + "/run", "DISPLAY=" + s.X().Display,
		"DBUS_SESSION_BUS_ADDRESS=" + s.BusAddress(), "XDG_SESSION_TYPE=x11", "XDG_CURRENT_DESKTOP=ubuntu:GNOME",
	}, a.Env)
	require.False(t, NeedsSession(a.Env))

	for _, v := range variables {
		t.Setenv(v.name, "before")
	}
	require.NoError(t, a.Export())
	assert.Equal(t, s.X().Display, os.Getenv("DISPLAY"))
	_, set := os.LookupEnv("XAUTHORITY")
	assert.False(t, set)

	s.X().Kill()
	require.Eventually(t, func() bool { return NeedsSession(a.Env) }, patience, 1_000_000, "the display went, another may be adopted")
}

func TestWhatIsNotTheUsersOwnIsRefused(t *testing.T) {
	s := desktoptest.New(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	socket(t, in("wayland"))
	require.NoError(t, os.WriteFile(in("file"), nil, 0o600))
	require.NoError(t, os.WriteFile(in("open"), nil, 0o600))
	require.NoError(t, os.Chmod(in("open"), 0o666))
	require.NoError(t, os.Mkdir(in("shared"), 0o700))
	require.NoError(t, os.Chmod(in("shared"), 0o755))
	for value, why := range map[string]string{
		"XDG_RUNTIME_DIR=relative":                                 "no absolute path",
		"XDG_RUNTIME_DIR=/nowhere":                                 "nothing is there",
		"XDG_RUNTIME_DIR=" + in("shared"):                          "this user's alone",
		"XAUTHORITY=" + in("open"):                                 "only this user can write",
		"XAUTHORITY=" + dir:                                        "only this user can write",
		"WAYLAND_DISPLAY=../x":                                     "XDG_RUNTIME_DIR",
		"WAYLAND_DISPLAY=" + in("nothing"):                         "nobody answers",
		"WAYLAND_DISPLAY=" + in("file"):                            "nobody answers",
		"DBUS_SESSION_BUS_ADDRESS=autolaunch:":                     "one local socket",
		"DBUS_SESSION_BUS_ADDRESS=unixexec:path=/bin/sh":           "one local socket",
		"DBUS_SESSION_BUS_ADDRESS=tcp:host=x,port=1":               "one local socket",
		"DBUS_SESSION_BUS_ADDRESS=unix:runtime=yes":                "one local socket",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/a;unix:path=/b":       "one local socket",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=relative":              "no absolute path",
		"DBUS_SESSION_BUS_ADDRESS=unix:abstract=flash-test-no-one": "nobody answers",
		"XDG_SESSION_ID=$(x)":                                      "no name",
		"XDG_SESSION_TYPE=x11\n":                                   "no value",
		"XDG_CURRENT_DESKTOP=" + strings.Repeat("x", maxValue+1):   "no value",
	} {
		name, _, _ := strings.Cut(value, "=")
		a, err := Adopt([]string{"XDG_RUNTIME_DIR=/kept"}, []string{"DISPLAY=" + s.X().Display, value})
		require.NoError(t, err, value)
		require.Contains(t, refused(a)[name], why, value)
		require.Equal(t, []string{"XDG_RUNTIME_DIR=/kept", "DISPLAY=" + s.X().Display}, a.Env, value)
	}
	for _, display := range []string{"host:0", "/x:0", "x", ":", ":999999", ":65000", "unix:../../x"} {
		_, err := Adopt(nil, []string{"DISPLAY=" + display})
		require.ErrorContains(t, err, "DISPLAY", display)
	}
	_, err := Adopt(nil, []string{"DBUS_SESSION_BUS_ADDRESS=" + s.BusAddress()})
	require.ErrorContains(t, err, "no display")
	a, err := Adopt(nil, []string{"WAYLAND_DISPLAY=wayland", "XDG_RUNTIME_DIR=" + dir})
	if info, _ := os.Stat(dir); info.Mode().Perm()&0o077 != 0 {
		require.Error(t, err)
		require.NoError(t, os.Chmod(dir, 0o700))
		a, err = Adopt(nil, []string{"WAYLAND_DISPLAY=wayland", "XDG_RUNTIME_DIR=" + dir})
	}
	require.NoError(t, err)
	require.Len(t, a.Env, 2)
}

func TestASocketOfAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs a second user")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "flash-other-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/test", data, 0o755))
	cmd := exec.Command(dir + "/test")
	cmd.Dir, cmd.Env = dir, []string{helperKey + "=listen", "FLASH_SESSION_SOCKET=" + dir + "/socket", "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "listening\n", line)
	_, err = Adopt(nil, []string{"WAYLAND_DISPLAY=" + dir + "/socket"})
	require.ErrorContains(t, err, "another user answers there")
	require.ErrorContains(t, checkBus("unix:path="+dir+"/socket", nil), "another user answers there")
	require.NoError(t, os.Chown(dir, 65534, 65534))
	require.NoError(t, os.Chmod(dir, 0o700))
	require.ErrorContains(t, checkRuntimeDir(dir, nil), "another user")
}

func TestASessionThatIsMovedToIsFollowed(t *testing.T) {
	first, second := newDesk(t, event.System()), newDesk(t, event.System())
	desktoptest.Need(t, "xclip", "xdotool")
	first.env = []string{"PATH=" + os.Getenv("PATH")}
	s := first.open(func(o *Options) { o.SystemBus = "unix:path=/nowhere" })
	first.listen(protocol.EventClipboardChanged, protocol.EventSpaceChanged)
	require.Error(t, s.WriteText(t.Context(), "x"))
	require.NotEmpty(t, s.ClipboardState().Problem)
	s.PauseClipboard(0)

	a, err := Adopt(first.env, Offer(second.env))
	require.NoError(t, err)
	s.Move(a.Env, s.o.Facets)
	require.True(t, s.ClipboardState().Paused, "a pause stands")
	require.False(t, s.ClipboardState().Watching)
	s.ResumeClipboard()
	require.Equal(t, ClipboardState{Watching: true}, s.ClipboardState())
	second.copy("from there")
	require.Equal(t, "from there", take(t, first.copied, "a copy"))
	second.show(1)
	require.Equal(t, protocol.EventSpaceChanged, take(t, first.events, "a space"))
	require.NoError(t, s.WriteText(t.Context(), "from here"))
	require.Equal(t, "from here", second.desk.Run("xclip", "-out", "-selection", "clipboard"))
	require.Empty(t, first.copied)
}

// copy copies a text as another program.
func (d *desk) copy(text string) {
	d.t.Helper()
	file := filepath.Join(d.desk.Dir(), "copied")
	require.NoError(d.t, os.WriteFile(file, []byte(text), 0o600))
	d.desk.Run("xclip", "-in", "-selection", "clipboard", file)
}
