package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/printable"
)

// Exit codes of `flash pointer`, beside the common ones: a stopped worker is
// ExitNotRunning.
const (
	exitPointerStale      = 8 // a pid file is left of a worker that is gone
	exitPointerPermission = 9 // input may not be read
)

const pointerHelp = `The pointer worker turns strokes of a mouse with a held button into actions,
and evens out its wheel. It is a process of its own: it needs no resident and
survives one. Its configuration is the [pointer] table; docs/pointer.md
describes it.

Exit codes of status:
  0  running
  3  stopped
  8  stale: a pid file is left of a worker that is gone
  9  no permission to read input`

func (a *app) pointerCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pointer",
		Short: "Mouse gestures, back and forward buttons, and the wheel",
		Long:  pointerHelp,
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return fail(ExitUsage, "pointer: say on, off, status, run, inspect, check, record, replay or calibrate")
		},
	}
	cmd.AddCommand(a.pointerOn(), a.pointerOff(), a.pointerStatus(), a.pointerRun(), a.pointerInspect(),
		a.pointerCheck(), a.pointerRecord(), a.pointerReplay(), a.pointerCalibrate())
	return cmd
}

// pointerSettings reads and checks the [pointer] table. Faults of other tables
// are not the worker's business, but a file that cannot be read at all is.
func pointerSettings(cmd *cobra.Command) (settings.Settings, config.Paths, error) {
	p, err := config.DefaultPaths()
	if err != nil {
		return settings.Settings{}, p, err
	}
	c, faults := config.Load(p.ConfigFile)
	for _, f := range faults {
		if f.Key == "" || f.Key == "version" || f.Key == "pointer" || strings.HasPrefix(f.Key, "pointer.") {
			return settings.Settings{}, p, &exitError{code: ExitConfig, err: f}
		}
	}
	s, err := settings.Parse(c.Pointer)
	if err != nil {
		return s, p, fail(ExitConfig, "%s: %w", p.ConfigFile, err)
	}
	return s, p, nil
}

func (a *app) pointerOn() *cobra.Command {
	return &cobra.Command{
		Use:   "on",
		Short: "Start the worker, unless it runs",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, p, err := pointerSettings(cmd)
			if err != nil {
				return err
			}
			for _, n := range worker.Notes(s) {
				fmt.Fprintln(cmd.ErrOrStderr(), "flash: "+printable.Line(n))
			}
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			pid, started, err := worker.On(cmd.Context(), p.State, []string{exe, "pointer", "run", "--started"}, worker.Env(os.Environ()))
			var start *worker.StartError
			switch {
			case errors.As(err, &start) && start.Code > 0:
				return fail(start.Code, "%w", err)
			case err != nil:
				return err
			case !started:
				fmt.Fprintf(cmd.OutOrStdout(), "the pointer worker is running already (pid %d)\n", pid)
			default:
				fmt.Fprintf(cmd.OutOrStdout(), "the pointer worker is running (pid %d)\n", pid)
			}
			return nil
		},
	}
}

func (a *app) pointerOff() *cobra.Command {
	return &cobra.Command{
		Use:   "off",
		Short: "Stop the worker and remove what one left behind",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.DefaultPaths()
			if err != nil {
				return err
			}
			was, err := worker.Off(cmd.Context(), p.State)
			switch {
			case err != nil:
				return err
			case was:
				fmt.Fprintln(cmd.OutOrStdout(), "the pointer worker is stopped")
			default:
				fmt.Fprintln(cmd.OutOrStdout(), "the pointer worker was not running")
			}
			return nil
		},
	}
}

func (a *app) pointerStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say whether the worker runs",
		Long:  pointerHelp,
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.DefaultPaths()
			if err != nil {
				return err
			}
			s := worker.Look(p.State, worker.Probe)
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), s)
			} else {
				line := string(s.State)
				if s.PID > 0 {
					line += fmt.Sprintf(" (pid %d)", s.PID)
				}
				if s.Detail != "" {
					line += ": " + s.Detail
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			if err != nil {
				return err
			}
			code := map[worker.State]int{worker.Stopped: ExitNotRunning, worker.Stale: exitPointerStale, worker.NoPermission: exitPointerPermission}[s.State]
			if code == 0 {
				return nil
			}
			return &exitError{code: code, err: errors.New(string(s.State)), quiet: true}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) pointerRun() *cobra.Command {
	var debug, started, full, summary bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Be the worker, in the foreground, until interrupted",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			worker.StartAnew()
			err := func() error {
				s, p, err := pointerSettings(cmd)
				if err != nil {
					return err
				}
				o := worker.Options{Settings: s, State: p.State, Full: full}
				if debug {
					o.Debug = cmd.OutOrStdout()
				}
				if started {
					o.Ready = func() { worker.Answer(nil) }
				}
				if summary {
					o.Summary = cmd.ErrOrStderr()
				}
				return pointerError(worker.Run(o))
			}()
			if started {
				worker.Answer(err)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&debug, "debug", false, "print every event, movement included, with its decision and reason")
	cmd.Flags().BoolVar(&full, "full-mask", false, "take all movement, as --debug does, and print nothing")
	cmd.Flags().BoolVar(&summary, "summary", false, "print at the end how many events of each kind were delivered")
	cmd.Flags().BoolVar(&started, "started", false, "answer on file 3 when the tap is open")
	_ = cmd.Flags().MarkHidden("started")
	return cmd
}

// pointerError gives the errors of the worker their exit codes.
func pointerError(err error) error {
	switch {
	case err == nil:
		return nil
	case worker.IsPermission(err):
		return fail(exitPointerPermission, "%w", err)
	case errors.Is(err, worker.ErrRunning):
		return fail(ExitRunning, "%w; `flash pointer status` shows it", err)
	}
	return err
}
