package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/trace"
	"github.com/flash-launcher/flash/internal/pointer/worker"
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
			_, p, err := pointerSettings(cmd)
			if err != nil {
				return err
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

func (a *app) pointerInspect() *cobra.Command {
	var asJSON bool
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Show live events, what the worker would do with each, and why",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, _, err := pointerSettings(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := limit(cmd.Context(), length)
			defer cancel()
			out := cmd.OutOrStdout()
			enc := json.NewEncoder(out)
			if !asJSON {
				fmt.Fprintln(cmd.ErrOrStderr(), "press, move and scroll; Ctrl-C ends it. A running worker is not disturbed, and nothing is done.")
			}
			since := sinceFirst()
			return pointerError(worker.Watch(ctx, s, "", func(e trace.Event, d engine.Decision) error {
				e.T = since(e.T)
				if asJSON {
					return enc.Encode(struct {
						trace.Event
						Decision trace.Want `json:"decision"`
						Why      string     `json:"why"`
					}{e, trace.Of(d), d.Why.String()})
				}
				e.Dev = oneLine(e.Dev)
				_, err := fmt.Fprintln(out, trace.Text(e, d))
				return err
			}))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object an event")
	cmd.Flags().DurationVar(&length, "for", 0, "stop after this time (default: when interrupted)")
	return cmd
}

// sinceFirst counts time from the first event, since that of the platform counts
// from its own start.
func sinceFirst() func(int64) int64 {
	first, any := int64(0), false
	return func(t int64) int64 {
		if !any {
			first, any = t, true
		}
		return t - first
	}
}

func limit(ctx context.Context, length time.Duration) (context.Context, context.CancelFunc) {
	if length > 0 {
		return context.WithTimeout(ctx, length)
	}
	return context.WithCancel(ctx)
}

func (a *app) pointerRecord() *cobra.Command {
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "record FILE",
		Short: "Write live events to FILE, for replay and calibrate",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			s, _, err := pointerSettings(cmd)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			out := bufio.NewWriter(f)
			defer func() { err = errors.Join(err, out.Flush()) }()
			ctx, cancel := limit(cmd.Context(), length)
			defer cancel()
			enc := json.NewEncoder(out)
			n, since := 0, sinceFirst()
			err = pointerError(worker.Watch(ctx, s, "", func(e trace.Event, _ engine.Decision) error {
				n++
				e.T = since(e.T)
				return enc.Encode(e)
			}))
			fmt.Fprintf(cmd.ErrOrStderr(), "%d events in %s\n", n, args[0])
			return err
		},
	}
	cmd.Flags().DurationVar(&length, "for", 0, "stop after this time (default: when interrupted)")
	return cmd
}

// openTraces reads a trace file, or standard input for -.
func openTraces(cmd *cobra.Command, path string, s settings.Settings) ([]trace.Trace, error) {
	var r io.Reader = cmd.InOrStdin()
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			code := ExitFailure
			if errors.Is(err, os.ErrNotExist) {
				code = ExitNotFound
			}
			return nil, &exitError{code: code, err: err}
		}
		defer f.Close()
		r = f
	}
	traces, err := trace.Read(r, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(path), err)
	}
	return traces, nil
}

func (a *app) pointerReplay() *cobra.Command {
	var asJSON, check, defaults bool
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Print what the engine does with each event of a trace, and why",
		Long:  "Prints what the engine does with each event of a trace, and why. FILE has one event a\nline, judged under the [pointer] table, or one trace a line with a config of its own.",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := settings.Default()
			if !defaults {
				var err error
				if s, _, err = pointerSettings(cmd); err != nil {
					return err
				}
			}
			traces, err := openTraces(cmd, args[0], s)
			if err != nil {
				return err
			}
			if !check {
				return brokenPipe(trace.Replay(cmd.OutOrStdout(), traces, asJSON))
			}
			n, differences := trace.Check(traces)
			for _, d := range differences {
				fmt.Fprintln(cmd.OutOrStdout(), d)
			}
			if len(differences) > 0 {
				return fail(ExitFailure, "%d of %d decisions differ from what the traces want", len(differences), n)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d decisions are as the traces want them\n", n)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object an event")
	cmd.Flags().BoolVar(&check, "check", false, "compare with what the traces want instead")
	cmd.Flags().BoolVar(&defaults, "defaults", false, "judge bare events under the default configuration")
	return cmd
}

// brokenPipe: whoever reads the output may stop early.
func brokenPipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (a *app) pointerCalibrate() *cobra.Command {
	var asJSON bool
	var clicks, flicks []string
	cmd := &cobra.Command{
		Use:   "calibrate [FILE…]",
		Short: "Propose a threshold from recorded clicks and flicks of the gesture button",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := pointerSettings(cmd)
			if err != nil {
				return err
			}
			if len(args)+len(clicks)+len(flicks) == 0 {
				return fail(ExitUsage, "calibrate: name a file that `flash pointer record` wrote while you clicked and flicked the gesture button some ten times each")
			}
			read := func(files []string) (out []trace.Hold, err error) {
				for _, f := range files {
					traces, err := openTraces(cmd, f, s)
					if err != nil {
						return nil, err
					}
					out = append(out, trace.Holds(traces)...)
				}
				return out, nil
			}
			c, err := read(clicks)
			if err != nil {
				return err
			}
			f, err := read(flicks)
			if err != nil {
				return err
			}
			mixed, err := read(args)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				mc, mf, err := trace.Split(mixed)
				if err != nil {
					return err
				}
				c, f = append(c, mc...), append(f, mf...)
			}
			p, err := trace.Propose(c, f)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), p)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d clicks, the farthest travels %d\n%d flicks, the shortest travels %d\n", p.Clicks, p.Farthest, p.Flicks, p.Shortest)
			if p.Missed > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "clicks and flicks overlap: %d holds would be taken for the other\n", p.Missed)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\n[pointer]\nthreshold = %d\n", p.Threshold)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringSliceVar(&clicks, "clicks", nil, "a recording of clicks alone")
	cmd.Flags().StringSliceVar(&flicks, "flicks", nil, "a recording of flicks alone")
	return cmd
}
