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
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	code := exitCode(err)
	var e *exitError
	if !errors.As(err, &e) || !e.quiet {
		fmt.Fprintf(stderr, "flash: %v\n", err)
	}
	if code == ExitUsage {
		fmt.Fprintf(stderr, "See `%s --help`.\n", cmd.CommandPath())
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
	}
	return ExitFailure
}

// Root returns the whole command tree, for running and for the man page.
func Root(o Options) *cobra.Command {
	a := &app{Options: o, heed: func() {}}
	root := a.rootCmd()
	for _, g := range verbs {
		for _, verb := range g.verbs {
			cmd := verb(a)
			cmd.GroupID = g.group
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(helpCmd())
	onlyDeclaredCompletions(root)
	return root
}

var verbs = []struct {
	group string
	verbs []func(*app) *cobra.Command
}{
	{searching, []func(*app) *cobra.Command{(*app).openCmd, (*app).queryCmd, (*app).performCmd, (*app).historyCmd}},
	{running, []func(*app) *cobra.Command{
		(*app).startCmd, (*app).stopCmd, (*app).runCmd, (*app).autostartCmd, (*app).statusCmd, (*app).doctorCmd, (*app).logsCmd,
	}},
	{customizing, []func(*app) *cobra.Command{
		(*app).configCmd, (*app).pluginsCmd, (*app).pluginCmd, (*app).pluginDevCmd, (*app).statusBarCmd, (*app).clipboardCmd, (*app).pointerCmd,
	}},
	{"", []func(*app) *cobra.Command{(*app).completionCmd, (*app).manCmd, (*app).versionCmd}},
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
	open := a.openCmd()
	open.GroupID = searching
	root.AddCommand(open)
	onlyDeclaredCompletions(root)
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
	root.AddGroup(groups...)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetVersionTemplate("flash {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exitError{code: ExitUsage, err: fmt.Errorf("%s: %w", verbName(cmd), err)}
	})
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "`PATH` of the resident's control socket (default: $FLASH_SOCKET, or in the runtime folder)")
	return root
}

// app is what the verbs share.
type app struct {
	Options
	socket string
	heed   func() // has Ctrl-C and SIGTERM end the context, from now on
}
