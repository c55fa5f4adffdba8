// Package cli is the command line of flash: the verbs, their flags and how
// results read on a terminal and in a pipe. It decides nothing of its own: a
// verb asks the resident over the control socket, or starts it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
)

// Exit codes, part of the interface: scripts branch on them.
const (
	ExitOK         = 0
	ExitFailure    = 1 // the thing asked for was tried and failed
	ExitUsage      = 2 // wrong words on the command line
	ExitNotRunning = 3 // no resident answers
	ExitNotFound   = 4 // no such plugin, row or file
	ExitConfig     = 5 // the configuration has faults
	ExitRunning    = 6 // another resident is running already
	ExitVersion    = 7 // resident and command are of different versions
)

const exitHelp = `Exit codes:
  0  done
  1  tried and failed
  2  wrong use of the command line
  3  no resident is running
  4  no such plugin, row or file
  5  the configuration has faults
  6  another resident is running already
  7  resident and command are of different versions
130  closed by Ctrl-C (flash open)`

// exitError carries an exit code and, when quiet, has been printed already.
type exitError struct {
	code  int
	err   error
	quiet bool
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func fail(code int, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...)}
}

// Options are what the program around the command line provides.
type Options struct {
	Version string
	// Run is the resident: it serves until ctx ends. The composition root sets
	// it, so that this package need not know what a resident is made of.
	Run func(ctx context.Context, o RunOptions) error
}

// RunOptions are the flags of `flash run`.
type RunOptions struct {
	Socket string
	// Verbose writes the log to stderr as well as to its file.
	Verbose bool
}

// Main runs the command line args and returns the process's exit code.
func Main(args []string, o Options, stdout, stderr io.Writer) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	args = asApp(args, os.Getenv("XPC_SERVICE_NAME"))
	root := rootFor(args, o, func() { interruptible(ctx, stop) })
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	code := exitCode(err)
	var e *exitError
	if !errors.As(err, &e) || !e.quiet {
		fmt.Fprintf(stderr, "flash: %v\n", err)
	}
	if code == ExitUsage {
		fmt.Fprintln(stderr, "See `flash --help`.")
	}
	return code
}

// interruptible has Ctrl-C and SIGTERM end a context from now on.
func interruptible(ctx context.Context, stop context.CancelFunc) {
	heard, _ := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(heard, stop)
}

func exitCode(err error) int {
	var e *exitError
	var c *control.Error
	var running *control.RunningError
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &running):
		return ExitRunning
	case errors.Is(err, control.ErrNotRunning):
		return ExitNotRunning
	case errors.As(err, &c):
		switch c.Code {
		case control.CodeNotFound:
			return ExitNotFound
		case control.CodeVersion, control.CodeUnknownMethod:
			return ExitVersion
		case control.CodeInvalid:
			return ExitUsage
		}
		return ExitFailure
	case errors.Is(err, errUsage):
		return ExitUsage
	}
	return ExitFailure
}

var errUsage = errors.New("usage")

// usageArgs marks what a positional-argument check refuses as wrong use.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &exitError{code: ExitUsage, err: fmt.Errorf("%s: %w", cmd.CommandPath(), err)}
		}
		return nil
	}
}

// Root returns the whole command tree, for running and for the man page.
func Root(o Options) *cobra.Command {
	a := &app{Options: o, heed: func() {}}
	root := a.rootCmd()
	for _, verb := range verbs {
		root.AddCommand(verb(a))
	}
	return root
}

var verbs = []func(*app) *cobra.Command{
	(*app).runCmd, (*app).startCmd, (*app).stopCmd, (*app).autostartCmd, (*app).statusCmd, (*app).doctorCmd, (*app).clipboardCmd,
	(*app).openCmd, (*app).queryCmd, (*app).performCmd, (*app).historyCmd, (*app).statusBarCmd,
	(*app).pluginsCmd, (*app).pluginCmd, (*app).pluginDevCmd,
	(*app).logsCmd, (*app).configCmd, (*app).versionCmd, (*app).manCmd,
	(*app).pointerCmd,
}

// rootFor returns what the arguments need of the command tree. The flashlight
// is to be painted before anything else is made: the other verbs, with their
// hundred flags, cost a millisecond, and so does the thread that hears signals,
// which heed starts.
func rootFor(args []string, o Options, heed func()) *cobra.Command {
	if len(args) == 0 || args[0] != "open" {
		heed()
		return Root(o)
	}
	a := &app{Options: o, heed: heed}
	root := a.rootCmd()
	root.AddCommand(a.openCmd())
	return root
}

// rootCmd is the command without its verbs.
func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "flash",
		Short:         "A launcher host: search everything that is open, run what you meant",
		Long:          "flash is a resident launcher host. `flash start` starts it, `flash query TEXT` asks it,\n`flash plugins` shows the sandboxed plugins that it runs.\n\n" + exitHelp,
		Version:       a.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("flash {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exitError{code: ExitUsage, err: fmt.Errorf("%s: %w", cmd.CommandPath(), err)}
	})
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "control socket of the resident (default: $FLASH_SOCKET, or in the runtime folder)")
	return root
}

// app is what the verbs share.
type app struct {
	Options
	socket string
	heed   func() // has Ctrl-C and SIGTERM end the context, from now on
}
