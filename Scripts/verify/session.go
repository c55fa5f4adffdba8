package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/event"
)

// session is what the checks of one run share: the Flash under test in a home of
// its own, so that the user's Flash, configuration and data stay as they are.
type session struct {
	runner runner
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	hand   hand
	ask    func(question string) (answer string, err error)
	say    func(string)

	goos     string
	root     string // of the checkout
	self     string // this program
	flash    string // the program under test
	identity string
	yes      bool // nobody is asked
	noGrants bool // no permission is looked for

	base    string // everything of the session is below it
	environ []string
	paths   config.Paths
	pids    []int  // of what the resident was seen to run
	profile string // of the sandbox deeds
	// Whether TextEdit ran was looked at.
	foundTextEdit bool
	cleanup       []func()
}

// newSession makes the home. base has to be short: a socket's path in it is
// limited to some hundred bytes.
func newSession(goos, root, base string, environ []string) (*session, error) {
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil, err
	}
	s := &session{
		runner: system{}, now: time.Now, sleep: sleep, goos: goos, root: root,
		flash: filepath.Join(root, "bin", "flash"), base: base, say: func(string) {},
		environ: isolated(environ, goos, base),
	}
	if s.self, err = os.Executable(); err != nil {
		return nil, err
	}
	s.paths, err = config.ResolvePaths(config.Environment{
		Getenv: s.getenv, GOOS: goos, Home: s.home(), UID: os.Getuid(),
	})
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{s.home(), filepath.Join(base, "run"), s.paths.ConfigDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return s, os.WriteFile(s.paths.ConfigFile, []byte(configuration), 0o600)
}

// configuration of the session: a hot key and a text in the menu bar that
// nothing else has, and a pointer worker whose holds do nothing.
const configuration = `[hotkeys]
open = "` + testChord + `"

[statusbar]
enabled = true
template = "` + statusText + `"

[pointer]
threshold = 5000
hold_limit_ms = 60000
click = "none"
`

const (
	testChord  = "ctrl+alt+shift+f18"
	statusText = "Flash verification"
)

func (s *session) home() string { return filepath.Join(s.base, "home") }

func (s *session) getenv(key string) string {
	for _, kv := range slices.Backward(s.environ) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v
		}
	}
	return ""
}

// isolated is an environment in which Flash finds nothing of the user's.
func isolated(environ []string, goos, base string) []string {
	out := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		return strings.HasPrefix(kv, "XDG_") || strings.HasPrefix(kv, "FLASH") || strings.HasPrefix(kv, "HOME=")
	})
	out = append(out, "HOME="+filepath.Join(base, "home"), "FLASH_CONFIG="+filepath.Join(base, "conf", "config.toml"))
	if goos != "darwin" {
		out = append(out, "XDG_RUNTIME_DIR="+filepath.Join(base, "run"))
	}
	return out
}

func sleep(ctx context.Context, d time.Duration) error {
	return event.Wait(ctx, event.System(), d)
}

// stepTimeout bounds a command that only asks or says something.
const stepTimeout = 20 * time.Second

// run runs a program with this program's own environment, in the checkout.
func (s *session) run(ctx context.Context, argv ...string) output {
	return s.runner.run(ctx, command{argv: argv, dir: s.root})
}

// brief is run for what answers at once.
func (s *session) brief(ctx context.Context, argv ...string) output {
	return s.runner.run(ctx, command{argv: argv, dir: s.root, timeout: stepTimeout})
}

// call runs the Flash under test in its own home.
func (s *session) call(ctx context.Context, args ...string) output {
	return s.runner.run(ctx, s.flashCommand(args...))
}

func (s *session) flashCommand(args ...string) command {
	return command{argv: append([]string{s.flash}, args...), env: s.environ, dir: s.home(), timeout: stepTimeout}
}

// query calls the Flash under test and reads what it says as JSON.
func (s *session) query(ctx context.Context, into any, args ...string) error {
	if err := decode(s.call(ctx, args...), into); err != nil {
		return fmt.Errorf("flash %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// decode reads a program's JSON. The exit code does not count: verbs that report
// a state by it print the state as well.
func decode(o output, into any) error {
	if o.err != nil || strings.TrimSpace(o.stdout) == "" {
		return errors.New(o.said())
	}
	if err := json.Unmarshal([]byte(o.stdout), into); err != nil {
		return fmt.Errorf("no JSON that is understood: %w", err)
	}
	return nil
}

// script runs AppleScript.
func (s *session) script(ctx context.Context, lines ...string) output {
	argv := []string{"/usr/bin/osascript"}
	for _, l := range lines {
		argv = append(argv, "-e", l)
	}
	return s.runner.run(ctx, command{argv: argv, timeout: scriptTimeout})
}

// scriptTimeout leaves a person time for the question that macOS asks the first
// time that a program scripts another one.
const scriptTimeout = 60 * time.Second

// atEnd has something undone at the end, however that comes.
func (s *session) atEnd(undo func()) { s.cleanup = append(s.cleanup, undo) }

// close leaves nothing behind: what the checks began is undone, the resident and
// the pointer worker end, and the home goes.
func (s *session) close() error {
	for _, undo := range slices.Backward(s.cleanup) {
		undo()
	}
	s.cleanup = nil
	ctx, cancel := context.WithTimeout(context.Background(), 2*stepTimeout)
	defer cancel()
	var errs []error
	if _, err := os.Stat(s.flash); err == nil {
		for _, args := range [][]string{{"pointer", "off"}, {"stop"}} {
			const notRunning = 3
			if o := s.call(ctx, args...); !o.ok() && o.code != notRunning {
				errs = append(errs, fmt.Errorf("flash %s: %s", strings.Join(args, " "), o.said()))
			}
		}
	}
	return errors.Join(append(errs, os.RemoveAll(s.base))...)
}
