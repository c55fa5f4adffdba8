package desktop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startGrace is how long a start is watched for a failure of the program
// itself, a missing library for one. The caller waits that long at most, and
// only for a program that goes on running.
const startGrace = 150 * time.Millisecond

// launcher starts programs that are not the host's children in any sense that
// matters: own session, own standard streams, no descriptor of the host, and
// nothing that ends them when the host ends.
type launcher struct {
	env environ
	// grace is how long start waits for a failure, see startGrace.
	grace time.Duration
	// scope moves a started program out of the host's own service, nil where
	// the host is not one.
	scope func(name string, pid int)
	// core is the limit of core files that a started program gets, nil to leave
	// it with the host's.
	core *unix.Rlimit
}

func newLauncher(env environ) *launcher {
	return &launcher{env: env, grace: startGrace, core: startedWith}
}

// startedWith is the limit of core files as this process found it. The host
// lowers its own, and a program that it starts would inherit that.
var startedWith = func() *unix.Rlimit {
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &now) != nil {
		return nil
	}
	return &now
}()

// start runs argv in dir (the home directory when that is empty or gone). It
// reports what kept the program from starting, and an exit with failure inside
// grace.
func (l *launcher) start(ctx context.Context, argv []string, dir string, grace time.Duration) error {
	path := l.env.lookPath(argv[0])
	if path == "" {
		return fmt.Errorf("starting %s: not found in PATH; install it", argv[0])
	}
	dir = l.workDir(dir)
	closeOnExec()
	pidfd := -1
	cmd := &exec.Cmd{
		Path: path, Args: argv, Dir: dir, Env: append(childEnv(l.env), "PWD="+dir),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd},
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", argv[0], err)
	}
	if l.core != nil {
		// A program that takes another user's rights keeps the host's limit.
		_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_CORE, l.core, nil)
	}
	if l.scope != nil {
		l.scope(filepath.Base(path), cmd.Process.Pid)
	}
	ended := make(chan error, 1)
	go func() { ended <- reap(cmd, pidfd) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("starting %s: it ended at once: %s", argv[0], exit.ProcessState)
		}
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// reap waits for a started program, however long that takes, and collects it.
// The wait is a pidfd in the runtime's poller: a blocked wait call would hold
// one thread for every program that runs.
func reap(cmd *exec.Cmd, pidfd int) error {
	if pidfd >= 0 {
		if unix.SetNonblock(pidfd, true) == nil {
			f := os.NewFile(uintptr(pidfd), "pidfd")
			if conn, err := f.SyscallConn(); err == nil {
				_ = conn.Read(func(fd uintptr) bool {
					n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
					return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
				})
			}
			_ = f.Close()
		} else {
			_ = unix.Close(pidfd)
		}
	}
	return cmd.Wait()
}

func (l *launcher) workDir(dir string) string {
	for _, d := range []string{dir, l.env.get("HOME")} {
		if info, err := os.Stat(d); err == nil && info.IsDir() && filepath.IsAbs(d) {
			return d
		}
	}
	return "/"
}

// closeOnExec marks every descriptor above the standard ones. Go marks its
// own; what the host inherited, or a library opened in C, is not marked.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	fds, err := os.ReadDir("/proc/self/fd") // kernels before 5.11
	if err != nil {
		return
	}
	for _, d := range fds {
		var fd int
		if _, err := fmt.Sscanf(d.Name(), "%d", &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// hostOnly are variables that speak of the host's own start, or of a start of
// something else, and would mislead the program.
var hostOnly = []string{
	"DESKTOP_STARTUP_ID", "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID", "INVOCATION_ID", "JOURNAL_STREAM",
	"LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "MAINPID", "MANAGERPID", "NOTIFY_SOCKET", "PWD", "OLDPWD", "SYSTEMD_EXEC_PID",
	"WATCHDOG_PID", "WATCHDOG_USEC", "XDG_ACTIVATION_TOKEN",
}

func childEnv(env environ) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(key, "FLASH_") && !slices.Contains(hostOnly, key) {
			out = append(out, kv)
		}
	}
	return out
}

// terminals are tried in this order for programs that need one, after what
// TERMINAL names. Each starts with what makes it run a command given as words.
var terminals = [][]string{
	{"xdg-terminal-exec"},
	{"x-terminal-emulator", "-e"},
	{"ghostty", "-e"},
	{"kitty"},
	{"foot"},
	{"alacritty", "-e"},
	{"wezterm", "start", "--"},
	{"ptyxis", "--"},
	{"kgx", "--"},
	{"gnome-terminal", "--"},
	{"konsole", "-e"},
	{"xfce4-terminal", "-x"},
	{"xterm", "-e"},
}

func (e environ) terminal() ([]string, error) {
	if t := e.get("TERMINAL"); t != "" && e.lookPath(t) != "" {
		for _, known := range terminals {
			if known[0] == filepath.Base(t) {
				return append([]string{t}, known[1:]...), nil
			}
		}
		return []string{t, "-e"}, nil
	}
	for _, t := range terminals {
		if e.lookPath(t[0]) != "" {
			return t, nil
		}
	}
	return nil, errors.New("it needs a terminal and none is installed; install one or name it in TERMINAL")
}

// ownService says whether this process runs inside a service of the user's
// systemd, which would end with it everything that was started from there.
var ownService = sync.OnceValue(func() bool {
	data, err := os.ReadFile("/proc/self/cgroup")
	return err == nil && inUserService(string(data))
})

func inUserService(cgroup string) bool {
	for _, line := range strings.Split(cgroup, "\n") {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.Contains(path, "/user@") && strings.HasSuffix(path, ".service") && !strings.HasPrefix(filepath.Base(path), "user@")
		}
	}
	return false
}
