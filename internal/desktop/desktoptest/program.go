package desktoptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Program is a program that runs in a session.
type Program struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	once sync.Once
}

// Start starts a program in the session. It ends with the session, with all
// that it started.
func (s *Session) Start(name string, args ...string) *Program {
	s.t.Helper()
	path := find(name)
	if path == "" {
		s.t.Fatalf("%s is not installed: call Need first", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = s.Env()
	return s.StartCmd(cmd)
}

// StartCmd starts a program whose environment and directory the caller chose;
// Env is the environment to extend. What it prints is kept where the caller
// does not take it.
func (s *Session) StartCmd(cmd *exec.Cmd) *Program {
	s.t.Helper()
	if cmd.Env == nil {
		cmd.Env = s.Env()
	}
	if cmd.Dir == "" {
		cmd.Dir = filepath.Join(s.dir, "home")
	}
	p := &Program{name: filepath.Base(cmd.Path), cmd: cmd, done: make(chan struct{})}
	s.mu.Lock()
	s.logs++
	p.log = filepath.Join(s.dir, "log", fmt.Sprintf("%d-%s", s.logs, p.name))
	s.mu.Unlock()
	// A file and not a pipe: a descendant that keeps it open holds up nobody.
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if cmd.Stdout == nil {
		cmd.Stdout = out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = out
	}
	if err := s.spawn(cmd); err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.programs = append(s.programs, p)
	s.mu.Unlock()
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
	}()
	return p
}

// Run runs a program to its end and returns what it printed, without the last
// newline. The test fails if the program does.
func (s *Session) Run(name string, args ...string) string {
	s.t.Helper()
	p := s.Start(name, args...)
	select {
	case <-p.done:
	case <-time.After(patience):
		s.t.Fatalf("%s %s does not end: %s", name, strings.Join(args, " "), p.Output())
	}
	out := strings.TrimSuffix(p.Output(), "\n")
	if !p.cmd.ProcessState.Success() {
		s.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), p.cmd.ProcessState, out)
	}
	return out
}

// Window waits for a visible window whose title matches a regular expression,
// and returns its number as xdotool takes it.
func (s *Session) Window(title string) string {
	s.t.Helper()
	Need(s.t, "xdotool")
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		// It fails when some window goes while it looks.
		p := s.Start("xdotool", "search", "--onlyvisible", "--name", title)
		<-p.done
		if id, _, _ := strings.Cut(p.Output(), "\n"); p.cmd.ProcessState.Success() && id != "" {
			return id
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no window is called %s", title)
		}
	}
}

// Active is the window that the window manager says is active, Focused the one
// that has the keyboard: numbers as xdotool takes them, "" while there is none.
func (s *Session) Active() string  { return s.asked("getactivewindow") }
func (s *Session) Focused() string { return s.asked("getwindowfocus") }

// asked is an answer of xdotool's, "" where it has none.
func (s *Session) asked(question string) string {
	s.t.Helper()
	Need(s.t, "xdotool")
	p := s.Start("xdotool", question)
	<-p.done
	if !p.cmd.ProcessState.Success() {
		return ""
	}
	return strings.TrimSpace(p.Output())
}

// PID is the program's process.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program ended and was reaped.
func (p *Program) Done() <-chan struct{} { return p.done }

// Output is what it printed so far.
func (p *Program) Output() string {
	data, _ := os.ReadFile(p.log)
	return string(data)
}

// Signal signals the program itself.
func (p *Program) Signal(sig os.Signal) { _ = p.cmd.Process.Signal(sig) }

// Stop kills the program's whole group and returns when the program is reaped.
func (p *Program) Stop() {
	p.once.Do(func() {
		select {
		case <-p.done:
			// The leader is reaped, so its number may be another's by now,
			// unless its group lives on; the session's end sees to that one.
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		}
	})
	<-p.done
}
