package devtool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

// ExecOptions are of a stand-in for the host: the process that a runner starts
// in a plugin's place, and that starts the plugin in its sandbox.
type ExecOptions struct {
	// Runner is the pid of who runs the scenarios. When another process is the
	// parent, a scenario is about to kill it in the host's place.
	Runner int
	// Witness is the command that waits for a pid, which is appended, to end.
	Witness []string
}

// Exec starts def in its sandbox, joins its streams to this process's own, and
// returns its exit code. The environment is this process's, since who started
// it has made it for the plugin. It dies with its parent, as a host does, and
// the plugin then has to die with it.
func (w *World) Exec(ctx context.Context, def manifest.Definition, o ExecOptions) (int, error) {
	dieWithParent()
	dataDir := os.Getenv("FLASH_PLUGIN_DATA_DIR")
	if dataDir == "" {
		return 0, errors.New("FLASH_PLUGIN_DATA_DIR is not set; this verb is for programs that test plugins")
	}
	cmd, _, err := w.place().Command(def, w.Config.For(def.ID()), dataDir)
	if err != nil {
		return 0, err
	}
	cmd.Env = execEnvironment(os.Environ())
	p, err := sandbox.NewRunner().Start(ctx, cmd)
	if err != nil {
		return 0, err
	}
	if o.Runner != 0 && os.Getppid() != o.Runner && len(o.Witness) > 0 {
		// The runner learns of an orphan's end by the end of stderr, of which
		// a plugin in a sandbox has a pipe of its own. The witness holds it.
		witness := exec.Command(o.Witness[0], append(o.Witness[1:], strconv.Itoa(p.PID()))...)
		witness.Stderr = os.Stderr
		if err := witness.Start(); err != nil {
			return 0, errors.Join(fmt.Errorf("the witness of the plugin's end: %w", err), p.Kill())
		}
		defer func() { _ = witness.Wait() }()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			_ = p.Terminate()
		}
	}()
	go func() {
		_, _ = io.Copy(p.Stdin(), os.Stdin)
		_ = p.Stdin().Close()
	}()
	done := make(chan struct{}, 2)
	for _, s := range []struct{ to, from *os.File }{{os.Stdout, p.Stdout()}, {os.Stderr, p.Stderr()}} {
		go func() {
			_, _ = io.Copy(s.to, s.from)
			done <- struct{}{}
		}()
	}
	exit := p.Wait()
	<-done
	<-done
	if exit.Signal != 0 {
		return 128 + int(exit.Signal), nil
	}
	return exit.Code, exit.Err
}

// execEnvironment names this process as the plugin's host.
func execEnvironment(env []string) []string {
	const parent = "FLASH_PLUGIN_PARENT_PID="
	out := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, parent) {
			out = append(out, v)
		}
	}
	return append(out, parent+strconv.Itoa(os.Getpid()))
}

// Preflight says why def could not be started in its sandbox, before a hundred
// scenarios say so.
func (w *World) Preflight(def manifest.Definition) error {
	dataDir, err := os.MkdirTemp("", "flash-plugin-data-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dataDir)
	_, _, err = w.place().Command(def, w.Config.For(def.ID()), dataDir)
	return err
}

// ExecArgv is the command that conformance runs in def's place.
func (w *World) ExecArgv(def manifest.Definition) []string {
	what := def.Root
	if isBuiltIn(def) {
		what = ProbeID
	}
	return []string{w.exe, "plugin-dev", "exec", "--runner", strconv.Itoa(os.Getpid()), what}
}
