// Package login has Flash started when the user logs in: the texts that the
// system reads for that, where they go, which program they name, and whether
// they are in force. macOS reads a launch agent; a desktop on Linux an autostart
// entry, and where a systemd user manager runs a unit as well.
//
// It starts and stops no resident of its own accord, and changes no file that it
// did not write, unless it is told to.
package login

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// Label names the launch agent and is the macOS application's identifier.
	Label = "com.github.flash-launcher.flash"
	// Unit is the systemd user unit.
	Unit = "flash.service"
	// HomeURL is where the project is.
	HomeURL = "https://github.com/flash-launcher/flash"

	entryName = "flash.desktop"
)

// Options are what a Manager works with.
type Options struct {
	GOOS       string
	Home       string
	UID        int
	Executable string // as os.Executable gives it
	Getenv     func(string) string
	// Temporary are folders whose content does not stay; nil means those of the
	// platform.
	Temporary []string
	// UnitDirs are where packages put user units; nil means those of systemd.
	UnitDirs []string
}

// State is whether Flash starts at login, and what is wrong with that.
type State struct {
	Enabled bool     `json:"enabled"`
	By      []string `json:"by"` // what starts it: launch agent, systemd unit, autostart entry
	Files   []string `json:"files"`
	Program string   `json:"program,omitempty"`
	Problem string   `json:"problem,omitempty"`
	Remedy  string   `json:"remedy,omitempty"`
}

// Result is what came of a change.
type Result struct {
	Program string
	Notes   []string // what the user should know besides
}

func (r *Result) note(text string) {
	if text != "" {
		r.Notes = append(r.Notes, text)
	}
}

// Manager turns the start at login on and off.
type Manager struct{ o Options }

// New returns a Manager over options of the caller's.
func New(o Options) *Manager {
	if o.Temporary == nil {
		o.Temporary = temporary(o.Getenv)
	}
	if o.UnitDirs == nil {
		o.UnitDirs = []string{"/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user", "/lib/systemd/user"}
	}
	return &Manager{o}
}

// Current returns the Manager of this program, user and machine.
func Current() (*Manager, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return nil, errors.New("the home directory is not known; set HOME to an absolute path")
	}
	return New(Options{GOOS: runtime.GOOS, Home: home, UID: os.Getuid(), Executable: exe, Getenv: os.Getenv}), nil
}

// Enable has Flash start at login. A file that is not as Flash writes it is left
// alone, and is an error, unless force says to replace it; it is kept beside.
// Twice is as good as once.
func (m *Manager) Enable(ctx context.Context, force bool) (Result, error) {
	program, note, err := m.program()
	if err != nil {
		return Result{}, err
	}
	r := Result{Program: program}
	r.note(note)
	if m.o.GOOS == "darwin" {
		err = m.enableMac(ctx, &r, force)
	} else {
		err = m.enableXDG(ctx, &r, force)
	}
	return r, err
}

// Disable takes that back. A resident that runs goes on.
func (m *Manager) Disable(ctx context.Context, force bool) (r Result, err error) {
	if m.o.GOOS == "darwin" {
		err = m.disableMac(ctx, &r, force)
	} else {
		err = m.disableXDG(ctx, &r, force)
	}
	return r, err
}

// Status looks, and changes nothing.
func (m *Manager) Status(ctx context.Context) State {
	if m.o.GOOS == "darwin" {
		return m.statusMac(ctx)
	}
	return m.statusXDG()
}

// toolTimeout bounds launchctl and systemctl, which wait for a manager that may
// be busy with the very login.
const toolTimeout = 10 * time.Second

// tool runs a program of the system and returns what it printed. What it said
// about a failure is the error's text.
func tool(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	call := name + " " + strings.Join(args, " ")
	if said := strings.TrimSpace(stderr.String()); said != "" {
		return string(out), errors.New(call + ": " + said)
	}
	return string(out), errors.New(call + ": " + err.Error())
}
