package desktoptest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flash-launcher/flash/internal/x11/xvfb"
)

// patience bounds every wait for a program on a loaded machine.
const patience = 60 * time.Second

// Session is a running desktop session.
type Session struct {
	t    testing.TB
	dir  string
	x    *xvfb.Server
	jobs chan func()
	done chan struct{} // the starting thread is gone

	mu       sync.Mutex
	bus      *exec.Cmd
	programs []*Program
	sessions map[int]bool // kernel session ids of what was started
	logs     int
}

// activatable are the bus names that the session bus starts a service for. All
// others are free for a test to own.
var activatable = []string{"org.a11y.Bus"}

// New starts a session that ends with the test, and skips the test where its
// programs are not installed. Further services that the machine offers on its
// session buses are made activatable by name.
func New(t testing.TB, services ...string) *Session {
	t.Helper()
	Need(t, "Xvfb", "openbox", "dbus-daemon", "at-spi-bus-launcher")
	dir, err := os.MkdirTemp("", "flash-desk-")
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{t: t, dir: dir, jobs: make(chan func()), done: make(chan struct{}), sessions: map[int]bool{}}
	t.Cleanup(s.stop)
	for _, d := range []string{"run", "home", "config", "cache", "data", "state", "tmp", "services", "log"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	go s.start()
	if err := s.configure(append(activatable, services...)); err != nil {
		t.Fatal(err)
	}
	if err := s.startBus(); err != nil {
		t.Fatal(err)
	}
	s.x, err = xvfb.StartWith(xvfb.Options{Start: func(c *exec.Cmd) error { return s.spawn(c) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// X is the session's X server.
func (s *Session) X() *xvfb.Server { return s.x }

// Dir is a directory of the session's own, removed with it.
func (s *Session) Dir() string { return s.dir }

// BusAddress is the address of the session bus, the same after a restart.
func (s *Session) BusAddress() string { return "unix:path=" + s.busPath() }

func (s *Session) busPath() string { return filepath.Join(s.runtimeDir(), "bus") }

func (s *Session) runtimeDir() string { return filepath.Join(s.dir, "run") }

// Env is the whole environment of a program in the session, in the form of
// os.Environ.
func (s *Session) Env() []string {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + in("home"),
		"TMPDIR=" + in("tmp"),
		"LANG=C.UTF-8",
		"SHELL=/bin/sh",
		"XDG_CONFIG_HOME=" + in("config"),
		"XDG_CACHE_HOME=" + in("cache"),
		"XDG_DATA_HOME=" + in("data"),
		"XDG_STATE_HOME=" + in("state"),
		"XDG_RUNTIME_DIR=" + s.runtimeDir(),
		"XDG_SESSION_TYPE=x11",
		"DBUS_SESSION_BUS_ADDRESS=" + s.BusAddress(),
		// No settings daemon and no file system daemon: nothing lingers, and
		// nothing of the user's is read.
		"GSETTINGS_BACKEND=memory",
		"GIO_USE_VFS=local",
		"LIBGL_ALWAYS_SOFTWARE=1",
	}
	for _, name := range []string{"USER", "LOGNAME"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if s.x != nil {
		env = append(env, "DISPLAY="+s.x.Display)
	}
	return env
}

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>%s</listen>
  <auth>EXTERNAL</auth>
  <servicedir>%s</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
`

func (s *Session) busConfigPath() string { return filepath.Join(s.dir, "bus.conf") }

// configure writes the bus's configuration. Only the named services can be
// activated, so no portal or settings daemon of the machine joins a test
// because some program asked for it.
func (s *Session) configure(services []string) error {
	to := filepath.Join(s.dir, "services")
	for _, name := range services {
		file := filepath.Join("/usr/share/dbus-1/services", name+".service")
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("the bus service %s is not installed: %w", name, err)
		}
		if err := os.Symlink(file, filepath.Join(to, name+".service")); err != nil {
			return err
		}
	}
	return os.WriteFile(s.busConfigPath(), fmt.Appendf(nil, busConfig, s.BusAddress(), to), 0o600)
}

func (s *Session) startBus() error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = read.Close() }()
	cmd := exec.Command("dbus-daemon", "--config-file="+s.busConfigPath(), "--nofork", "--nopidfile", "--nosyslog", "--print-address=3")
	cmd.Env, cmd.Dir = s.Env(), s.dir
	cmd.ExtraFiles = []*os.File{write}
	err = s.spawn(cmd)
	_ = write.Close()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.bus = cmd
	s.mu.Unlock()
	_ = read.SetReadDeadline(time.Now().Add(patience))
	if _, err := bufio.NewReader(read).ReadString('\n'); err != nil {
		return fmt.Errorf("the session bus does not start: %w", err)
	}
	return nil
}

// StartBus starts the session bus again, after StopBus.
func (s *Session) StartBus() {
	s.t.Helper()
	if err := s.startBus(); err != nil {
		s.t.Fatal(err)
	}
}

// StopBus kills the session bus, and returns when it is gone.
func (s *Session) StopBus() {
	s.mu.Lock()
	bus := s.bus
	s.bus = nil
	s.mu.Unlock()
	if bus == nil {
		return
	}
	_ = bus.Process.Kill()
	_ = bus.Wait()
	_ = os.Remove(s.busPath())
}

// start runs what starts programs, on one thread that lives as long as the
// session: the kernel ends them when the thread that forked them does, also
// where the test dies without cleaning up.
func (s *Session) start() {
	defer close(s.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range s.jobs {
		job()
	}
}

// spawn starts a program in a kernel session of its own.
func (s *Session) spawn(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	dieWithThread(cmd.SysProcAttr)
	result := make(chan error)
	s.jobs <- func() { result <- cmd.Start() }
	if err := <-result; err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	s.mu.Lock()
	s.sessions[cmd.Process.Pid] = true
	s.mu.Unlock()
	return nil
}

// stop ends all that runs in the session, started by the test or by another
// program in it, and removes its directory.
func (s *Session) stop() {
	s.mu.Lock()
	programs := s.programs
	s.mu.Unlock()
	for i := len(programs) - 1; i >= 0; i-- {
		programs[i].Stop()
	}
	if s.t.Failed() {
		for _, p := range programs {
			if out := strings.TrimSpace(p.Output()); out != "" {
				s.t.Logf("%s said:\n%s", p.name, out)
			}
		}
	}
	if s.x != nil {
		s.x.Stop()
	}
	s.StopBus()
	s.sweep()
	close(s.jobs)
	<-s.done
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Error(err)
	}
}

// sweep ends what was left: services that a bus started and processes that
// left their program's group.
func (s *Session) sweep() {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		left := s.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Errorf("processes of the session do not end: %v", left)
			return
		}
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}
