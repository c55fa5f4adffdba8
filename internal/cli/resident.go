package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop/session"
)

const (
	// startTimeout bounds `flash start`: the handshake budget of the slowest
	// plugin plus room for a loaded machine.
	startTimeout = 20 * time.Second
	// stopTimeout is how long a resident may take to end its plugins before
	// `flash stop` ends it by signal; a second, TERM and KILL of each fit in.
	stopTimeout = 8 * time.Second
	// dialTimeout bounds the connection and the hello, which need no work.
	dialTimeout = 3 * time.Second
	// retryEvery paces the attempts to reach a resident that is starting.
	retryEvery = 10 * time.Millisecond
)

// socketPath is the flag, the environment or the platform's place, in this order.
func (a *app) socketPath() (string, error) {
	if s := cmp.Or(a.socket, os.Getenv("FLASH_SOCKET")); s != "" {
		return filepath.Abs(s)
	}
	p, err := config.DefaultPaths()
	if err != nil {
		return "", err
	}
	return p.Socket(), nil
}

func (a *app) dial(ctx context.Context) (*control.Client, error) {
	path, err := a.socketPath()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return control.Dial(ctx, path, a.Version)
}

// call makes one request on a connection of its own.
func (a *app) call(ctx context.Context, method string, params, result any) error {
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, method, params, result, nil)
}

func (a *app) runCmd() *cobra.Command {
	var verbose, unless bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the resident in the foreground until it is interrupted",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := a.socketPath()
			if err != nil {
				return err
			}
			// What is started goes by HOME, which some starters do not set; the
			// paths above come from the user database then.
			if home := config.CurrentEnvironment().Home; home != os.Getenv("HOME") {
				_ = os.Setenv("HOME", home)
			}
			err = a.Run(cmd.Context(), RunOptions{Socket: path, Verbose: verbose})
			var running *control.RunningError
			if unless && errors.As(err, &running) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "write the log to stderr too")
	cmd.Flags().BoolVar(&unless, "unless-running", false, "end without an error if one is running already, for what starts it at login")
	return cmd
}

func (a *app) startCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Start the resident in the background and wait until its plugins have settled",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), startTimeout)
			defer cancel()
			if c, err := a.dial(ctx); err == nil {
				defer c.Close()
				if c.Server.Version != a.Version {
					return fail(ExitVersion, "flash %s is running (pid %d) and this is flash %s; `flash stop`, then `flash start` again", c.Server.Version, c.Server.PID, a.Version)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "flash is already running (pid %d)\n", c.Server.PID)
				// It may have been started before there was a display.
				return c.Call(ctx, control.MethodAdopt, control.AdoptParams{Session: session.Offer(os.Environ())}, nil, nil)
			} else if !errors.Is(err, control.ErrNotRunning) {
				return err
			}
			waiting := newProgress(cmd.ErrOrStderr())
			waiting.show("starting …")
			st, err := a.startResident(ctx)
			waiting.clear()
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "flash %s is running (pid %d, %d plugins, %d rows)\n", st.Version, st.PID, count(st.Plugins), st.Rows)
			for _, f := range slices.Concat(st.ConfigFaults, st.PluginFaults, st.StateFaults) {
				fmt.Fprintln(cmd.ErrOrStderr(), "flash: "+f)
			}
			return nil
		},
	}
}

func count(states map[string]int) (n int) {
	for _, c := range states {
		n += c
	}
	return n
}

// startResident runs `flash run` in a session of its own and waits until it is
// ready or has ended. What a resident that ends early says goes to the caller.
func (a *app) startResident(ctx context.Context) (control.Status, error) {
	var st control.Status
	path, err := a.socketPath()
	if err != nil {
		return st, err
	}
	exe, err := os.Executable()
	if err != nil {
		return st, err
	}
	said, err := os.CreateTemp("", "flash-start-*")
	if err != nil {
		return st, err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd := exec.Command(exe, "--socket", path, "run")
	cmd.Stderr = said
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return st, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	for {
		c, err := control.Dial(ctx, path, a.Version)
		if err == nil {
			defer c.Close()
			err = c.Call(ctx, control.MethodReady, nil, &st, nil)
			return st, err
		}
		select {
		case err := <-ended:
			text, _ := os.ReadFile(said.Name())
			why := bytes.TrimPrefix(bytes.TrimSpace(text), []byte("flash: "))
			if len(why) == 0 {
				return st, fail(ExitFailure, "the resident ended at once (%v); `flash run` shows more", err)
			}
			return st, fail(ExitFailure, "the resident ended at once: %s", why)
		case <-ctx.Done():
			return st, fail(ExitFailure, "the resident (pid %d) does not answer at %s after %s; `flash logs` may say why", cmd.Process.Pid, path, startTimeout)
		case <-time.After(retryEvery):
		}
	}
}

func (a *app) stopCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the resident and all its plugins",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := a.socketPath()
			if err != nil {
				return err
			}
			waiting := newProgress(cmd.ErrOrStderr())
			waiting.show("stopping …")
			defer waiting.clear()
			asked := a.call(cmd.Context(), control.MethodStop, nil, nil)
			owner, alive := control.Holder(path)
			if asked != nil && !alive {
				return asked
			}
			// One that cannot be asked, hung or of another version, is ended by
			// signal; pid and start time are checked right before each.
			if asked != nil {
				_ = syscall.Kill(owner.PID, syscall.SIGTERM)
			}
			if !gone(cmd.Context(), path, stopTimeout) {
				if o, alive := control.Holder(path); alive {
					_ = syscall.Kill(o.PID, syscall.SIGKILL)
				}
				if !gone(cmd.Context(), path, time.Second) {
					return fail(ExitFailure, "flash (pid %d) does not end", owner.PID)
				}
			}
			waiting.clear()
			fmt.Fprintln(cmd.OutOrStdout(), "flash is stopped")
			return nil
		},
	}
}

// gone waits until no live process holds the socket's lock.
func gone(ctx context.Context, socket string, within time.Duration) bool {
	deadline := time.After(within)
	for {
		if _, alive := control.Holder(socket); !alive {
			return true
		}
		select {
		case <-deadline:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(retryEvery):
		}
	}
}
