package swaytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
)

// patience bounds every wait for a program on a loaded machine.
const patience = 60 * time.Second

// nobody is who runs it where this user is root, which sway refuses.
const nobody = 65534

// Session is a running sway.
type Session struct {
	t    testing.TB
	dir  string
	cmd  *exec.Cmd
	env  []string
	kill func()
	runs int
	jobs chan func()
}

// New starts a sway with more lines of configuration, and skips the test where
// its programs are not installed.
func New(t testing.TB, config ...string) *Session {
	t.Helper()
	desktoptest.Need(t, "sway", "swaymsg")
	// The names of its sockets must be short, and what it runs must get in.
	dir, err := os.MkdirTemp("/tmp", "flash-sway-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &Session{t: t, dir: dir, jobs: make(chan func())}
	gone := make(chan struct{})
	go s.start(gone)
	t.Cleanup(func() { close(s.jobs); <-gone })
	lines := append([]string{"output HEADLESS-1 resolution 1280x720 position 0 0"}, config...)
	s.write("config", strings.Join(lines, "\n")+"\n")
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.Kill)
	s.Start()
	return s
}

func (s *Session) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Start starts it again, after Kill. It may listen elsewhere then.
func (s *Session) Start() {
	s.t.Helper()
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "XDG_RUNTIME_DIR=" + s.dir, "XDG_CONFIG_HOME=" + s.dir,
		"XDG_CACHE_HOME=" + s.dir, "XDG_DATA_HOME=" + s.dir, "LANG=C.UTF-8", "SHELL=/bin/sh", "TMPDIR=" + s.dir,
	}
	s.runs++
	ready := filepath.Join(s.dir, "ready"+strconv.Itoa(s.runs))
	// What it starts has the session in its environment.
	s.write("tell", "exec echo \"$WAYLAND_DISPLAY $SWAYSOCK $DISPLAY .\" >"+ready+"\n")
	s.cmd = exec.Command("sway", "--config", filepath.Join(s.dir, "config"))
	s.cmd.Env = append(s.env, "WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_HEADLESS_OUTPUTS=1")
	s.spawn(s.cmd, "sway.log")
	cmd := s.cmd
	s.kill = sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		s.sweep()
	})
	socket := filepath.Join(s.dir, fmt.Sprintf("sway-ipc.%d.%d.sock", s.uid(), cmd.Process.Pid))
	s.Await("sway starts", func() bool { _, err := os.Stat(socket); return err == nil })
	s.env = append(s.env, "SWAYSOCK="+socket)
	s.Message("exec", "sh "+filepath.Join(s.dir, "tell"))
	s.Await("sway runs something", func() bool { b, _ := os.ReadFile(ready); return strings.HasSuffix(string(b), ".\n") })
	b, _ := os.ReadFile(ready)
	words := strings.Fields(string(b))
	s.env = append(s.env, "WAYLAND_DISPLAY="+words[0])
	if len(words) == 4 {
		s.env = append(s.env, "DISPLAY="+words[2])
	}
}

func (s *Session) uid() int {
	if os.Getuid() == 0 {
		return nobody
	}
	return os.Getuid()
}

// start starts programs on one thread, which lives as long as the session: the
// kernel ends them with it, also where the test dies without cleaning up.
func (s *Session) start(gone chan<- struct{}) {
	defer close(gone)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range s.jobs {
		job()
	}
}

// spawn starts a program as the session's user, in a group of its own. What it
// prints goes to a file: a descendant that keeps it open holds up nobody.
func (s *Session) spawn(cmd *exec.Cmd, log string) {
	s.t.Helper()
	out, err := os.OpenFile(filepath.Join(s.dir, log), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd.Dir, cmd.Stderr = s.dir, out
	if cmd.Stdout == nil {
		cmd.Stdout = out
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	started := make(chan error)
	s.jobs <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		s.t.Fatal(err)
	}
}

// Kill ends sway and all that runs in it.
func (s *Session) Kill() {
	if s.kill != nil {
		s.kill()
	}
}

// sweep ends what runs in the session in a group of its own, as all does that
// sway starts.
func (s *Session) sweep() {
	mark := "\x00XDG_RUNTIME_DIR=" + s.dir + "\x00"
	s.Await("all that runs in sway ends", func() bool {
		left := false
		dirs, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range dirs {
			if env, err := os.ReadFile(filepath.Join(dir, "environ")); err != nil || !strings.Contains("\x00"+string(env), mark) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() {
				left = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		return !left
	})
}

// Env is the environment of a program in the session, in the form of os.Environ.
func (s *Session) Env() []string { return append([]string(nil), s.env...) }

// Dir is a directory of the session's own, removed with it.
func (s *Session) Dir() string { return s.dir }

// PID is sway's process.
func (s *Session) PID() int { return s.cmd.Process.Pid }

// Message has sway run a command.
func (s *Session) Message(words ...string) {
	s.t.Helper()
	s.Run("swaymsg", append([]string{"--"}, words...)...)
}

// Run runs a program in the session to its end and returns what it printed.
func (s *Session) Run(name string, args ...string) string { return s.RunWith("", name, args...) }

// RunWith is Run with a text to read. What the program leaves running is not
// waited for.
func (s *Session) RunWith(input, name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdin = s.env, strings.NewReader(input)
	out, err := os.CreateTemp(s.dir, "out")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd.Stdout = out
	s.spawn(cmd, "run.log")
	err = cmd.Wait()
	b, _ := os.ReadFile(out.Name())
	if err != nil {
		said, _ := os.ReadFile(filepath.Join(s.dir, "run.log"))
		s.t.Fatalf("%s %s: %v: %s%s", name, strings.Join(args, " "), err, b, said)
	}
	return string(b)
}

// Await waits until something is so.
func (s *Session) Await(what string, so func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "sway.log"))
			s.t.Fatalf("it does not come to pass that %s: %s", what, log)
		}
	}
}

// Terminal is a window whose title the test states.
type Terminal struct {
	s    *Session
	cmd  *exec.Cmd
	fifo string
}

// Keyboard is a keyboard that was plugged in.
type Keyboard struct {
	s  *Session
	in *os.File
}

// Keyboard plugs one in. sway gives the focus back to a window of its own layout
// each time, so it is done first.
func (s *Session) Keyboard() *Keyboard {
	s.t.Helper()
	desktoptest.Need(s.t, "wtype")
	read, write, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	s.t.Cleanup(func() { _ = write.Close() })
	cmd := exec.Command("wtype", "-")
	cmd.Env, cmd.Stdin = s.env, read
	s.spawn(cmd, "wtype.log")
	s.reap(cmd)
	s.Await("there is a keyboard", func() bool { return strings.Contains(s.Run("swaymsg", "-t", "get_inputs", "-r"), "keyboard") })
	return &Keyboard{s, write}
}

// Type types a text, a line's end being the Enter key, and plugs the keyboard out:
// wtype begins when it has all of the text.
func (k *Keyboard) Type(text string) {
	k.s.t.Helper()
	if _, err := k.in.WriteString(text); err != nil {
		k.s.t.Fatal(err)
	}
	_ = k.in.Close()
}

func (s *Session) reap(cmd *exec.Cmd) {
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	s.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
}

// Terminal opens foot, a program of Wayland alone.
func (s *Session) Terminal(app, title string) *Terminal {
	s.t.Helper()
	desktoptest.Need(s.t, "foot")
	w := &Terminal{s: s, fifo: filepath.Join(s.dir, "title-"+app)}
	if err := syscall.Mkfifo(w.fifo, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chown(w.fifo, s.uid(), -1); err != nil {
		s.t.Fatal(err)
	}
	// It opens the fifo to write too, so that it reads on after each title.
	script := `exec 3<>"$0"; while read -r t <&3; do printf '\033]2;%s\007' "$t"; done`
	w.cmd = exec.Command("foot", "--app-id", app, "--title", title, "sh", "-c", script, w.fifo)
	w.cmd.Env = s.env
	s.spawn(w.cmd, app+".log")
	s.reap(w.cmd)
	return w
}

// PID is its process.
func (w *Terminal) PID() int { return w.cmd.Process.Pid }

// Title has the window called something else.
func (w *Terminal) Title(title string) {
	w.s.t.Helper()
	if err := os.WriteFile(w.fifo, []byte(title+"\n"), 0); err != nil {
		w.s.t.Fatal(err)
	}
}

// Close ends the program, and so the window.
func (w *Terminal) Close() { _ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) }
