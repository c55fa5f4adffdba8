package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// patient makes launches wait for a failure however slow the machine is.
func patient(a Apps) { a.(*apps).launcher.grace = time.Minute }

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// eventually retries until ok or a deadline generous enough for a loaded
// machine.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 20*time.Second, 5*time.Millisecond, what)
}

// children lists the test process's own children in one of these states.
func children(t *testing.T, states string) []int {
	t.Helper()
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil || parentPID(data) != os.Getpid() {
			continue
		}
		rest := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if strings.Contains(states, rest[0]) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestFiftyLaunchesLeaveNothingDefunct(t *testing.T) {
	h := newHome(t)
	h.entry("data/applications/t.desktop", "True", "true")
	apps := h.facets().Apps
	patient(apps) // one after another, as a user would
	for range 50 {
		require.NoError(t, apps.Launch(context.Background(), "t", nil))
	}
	eventually(t, "defunct children stay", func() bool { return len(children(t, "Z")) == 0 })
}

func TestALaunchedProgramHasItsOwnSessionAndNothingOfTheHosts(t *testing.T) {
	h := newHome(t)
	// An inheritable descriptor, as a host may have got from its own parent.
	leak, err := os.Open("/dev/null")
	require.NoError(t, err)
	defer func() { _ = leak.Close() }()
	fd, err := syscall.Dup(int(leak.Fd()))
	require.NoError(t, err)
	defer func() { _ = syscall.Close(fd) }()

	h.env = append(h.env, "FLASH_SECRET=x", "NOTIFY_SOCKET=/x", "KEPT=yes")
	h.program("report", `{ pwd; for f in /proc/$$/fd/*; do readlink "$f"; done; echo; cut -d' ' -f1,6 /proc/$$/stat; env; } > "$HOME/out.tmp" 2>&1; mv "$HOME/out.tmp" "$HOME/out"; exec sleep 60`)
	h.entry("data/applications/r.desktop", "Report", "report")
	require.NoError(t, h.facets().Apps.Launch(context.Background(), "r", nil))
	var out string
	eventually(t, "the program reported nothing", func() bool {
		data, err := os.ReadFile(h.path("out"))
		out = string(data)
		return err == nil
	})
	head, rest, _ := strings.Cut(out, "\n\n")
	lines := strings.Split(head, "\n")
	assert.Equal(t, h.dir, lines[0], "working directory")
	for _, l := range lines[1:] {
		assert.Contains(t, []string{"/dev/null", h.path("out.tmp"), h.path("bin/report")}, l, "a descriptor of the host's")
	}
	ids, env, _ := strings.Cut(rest, "\n")
	pid, session, _ := strings.Cut(ids, " ")
	assert.Equal(t, pid, session, "it leads no session of its own")
	assert.Contains(t, env, "KEPT=yes")
	assert.NotContains(t, env, "FLASH_SECRET")
	assert.NotContains(t, env, "NOTIFY_SOCKET")
	n, err := strconv.Atoi(pid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(n, syscall.SIGKILL))
	eventually(t, "it was not reaped", func() bool { return syscall.Kill(n, 0) != nil })
}

// TestMain is the host of the test below when it is asked to be.
func TestMain(m *testing.M) {
	if os.Getenv("DESKTOP_TEST_HOST") != "" {
		f := New(context.Background(), os.Environ())
		if err := f.Apps.Launch(context.Background(), "sleeper", nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("launched")
		select {}
	}
	os.Exit(m.Run())
}

func TestALaunchedProgramOutlivesAKilledHost(t *testing.T) {
	h := newHome(t)
	h.program("sleeper", `echo $$ > "$HOME/pid.tmp"; mv "$HOME/pid.tmp" "$HOME/pid"; exec sleep 60`)
	h.entry("data/applications/sleeper.desktop", "Sleeper", "sleeper")
	host := exec.Command("/proc/self/exe")
	host.Env = append(append([]string{}, h.env...), "DESKTOP_TEST_HOST=1")
	host.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, host.Start())
	var pid int
	eventually(t, "the program did not start", func() bool {
		data, _ := os.ReadFile(h.path("pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid > 0
	})
	require.NoError(t, syscall.Kill(-host.Process.Pid, syscall.SIGKILL))
	require.Error(t, host.Wait())
	assert.NoError(t, syscall.Kill(pid, 0), "it died with the host")
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestAWaitForALongRunningProgramHoldsNoThread(t *testing.T) {
	h := newHome(t)
	l := newLauncher(h.env)
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		return len(list)
	}
	before := threads()
	for range 20 {
		require.NoError(t, l.start(context.Background(), []string{"sleep", "600"}, "", time.Millisecond))
	}
	assert.Less(t, threads(), before+15, "a thread for every running program")
	running := children(t, "SRD")
	assert.Len(t, running, 20)
	for _, pid := range running {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	eventually(t, "not reaped", func() bool { return len(children(t, "SRDZ")) == 0 })
}

func TestAStartThatFailsIsReportedWithItsRemedy(t *testing.T) {
	h := newHome(t)
	h.program("dies", "exit 127")
	h.write("bin/nointerp", "#!/no/such/interpreter\n")
	require.NoError(t, os.Chmod(h.path("bin/nointerp"), 0o700))
	h.entry("data/applications/dies.desktop", "x", "dies")
	h.entry("data/applications/nointerp.desktop", "x", "nointerp")
	h.entry("data/applications/gone.desktop", "x", "no-such-program-here")
	h.entry("data/applications/files.desktop", "x", "true %f")
	apps := h.facets().Apps
	patient(apps)
	for id, want := range map[string]string{
		"dies": "ended at once: exit status 127", "nointerp": "no such file", "gone": "not in PATH; install it",
		"missing": "not installed; no missing.desktop in " + h.path("data/applications"), "dies:act": `no action "act"`,
	} {
		err := apps.Launch(context.Background(), id, nil)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, strconv.Quote(id), "the error does not name the application")
	}
	require.ErrorContains(t, apps.Launch(context.Background(), "files", []string{"https://x.test"}), "local files only")
	require.ErrorContains(t, apps.Launch(context.Background(), "files", []string{"--option"}), "neither a URL")
}

// recorder makes a program that writes its arguments, one a line, to a file
// that appears whole; wait reads it.
func (h *home) recorder(name string) (wait func() string) {
	h.program(name, `{ printf '%s\n' "$@"; pwd; } > "$HOME/`+name+`.$$"; mv "$HOME/`+name+`.$$" "$HOME/`+name+`.out"`)
	return func() string {
		h.t.Helper()
		var data []byte
		eventually(h.t, name+" was not started", func() (ok bool) {
			var err error
			data, err = os.ReadFile(h.path(name + ".out"))
			return err == nil
		})
		require.NoError(h.t, os.Remove(h.path(name+".out")))
		return string(data)
	}
}

func TestActionsURLsWorkingDirectoryAndTerminalReachTheProgram(t *testing.T) {
	h := newHome(t)
	app := h.recorder("app")
	h.entry("data/applications/a.desktop", "The App", "app --name %c %U", "Path="+h.path("data"), "Actions=new;", "[Desktop Action new]", "Name=New", "Exec=app --new")
	apps := h.facets().Apps
	require.NoError(t, apps.Launch(context.Background(), "a", []string{"https://x.test/a b", "/tmp/y"}))
	assert.Equal(t, "--name\nThe App\nhttps://x.test/a b\n/tmp/y\n"+h.path("data")+"\n", app())
	require.NoError(t, apps.Launch(context.Background(), ActionID("a", "new"), nil))
	assert.Equal(t, "--new\n"+h.path("data")+"\n", app())

	term := h.recorder("foot-like")
	h.env = append(h.env, "TERMINAL=foot-like")
	h.entry("data/applications/t.desktop", "Edit", "app %F", "Terminal=true")
	require.NoError(t, h.facets().Apps.Launch(context.Background(), "t", []string{"file:///tmp/a%20b"}))
	assert.Equal(t, "-e\napp\n/tmp/a b\n"+h.dir+"\n", term())

	h.env = append(h.env, "TERMINAL=", "PATH="+h.path("bin"))
	require.ErrorContains(t, h.facets().Apps.Launch(context.Background(), "t", nil), "install one or name it in TERMINAL")
}

func TestAServiceOfTheUsersSystemdIsRecognised(t *testing.T) {
	for cgroup, want := range map[string]bool{
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/flash.service\n":            true,
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-kitty-12.scope\n": false,
		"0::/user.slice/user-1000.slice/session-3.scope\n":                                      false,
		"0::/user.slice/user-1000.slice/user@1000.service\n":                                    false,
		"12:cpu:/x\n0::/\n": false,
		"":                  false,
	} {
		assert.Equal(t, want, inUserService(cgroup), cgroup)
	}
}

func TestALaunchedProgramMayDumpItsCoreThoughTheHostMayNot(t *testing.T) {
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_CORE, &before))
	if before.Max == 0 {
		t.Skip("core files are off for good here: raise the hard limit (ulimit -Hc)")
	}
	t.Cleanup(func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_CORE, &before)) })
	h := newHome(t)
	l := newLauncher(h.env)
	assert.Equal(t, before, *l.core)
	l.core = &unix.Rlimit{Cur: before.Max, Max: before.Max}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: before.Max}))
	require.NoError(t, l.start(context.Background(), []string{"sleep", "600"}, "", time.Millisecond))
	running := children(t, "SRD")
	require.Len(t, running, 1)
	var got unix.Rlimit
	require.NoError(t, unix.Prlimit(running[0], unix.RLIMIT_CORE, nil, &got))
	assert.Equal(t, *l.core, got)
	require.NoError(t, syscall.Kill(running[0], syscall.SIGKILL))
	eventually(t, "not reaped", func() bool { return len(children(t, "SRDZ")) == 0 })
}
