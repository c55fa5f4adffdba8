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
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/trace"
	"github.com/flash-launcher/flash/internal/pointer/worker"
	"github.com/flash-launcher/flash/internal/printable"
)

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
			if err := worker.Probe(); err != nil {
				return pointerError(err)
			}
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
				e.Dev = printable.Line(e.Dev)
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
			// Before the file is emptied: it may be an earlier recording.
			if err := worker.Probe(); err != nil {
				return pointerError(err)
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
			if errors.Is(err, os.ErrNotExist) {
				return nil, fail(ExitNotFound, "%w; `flash pointer record %s` writes one", err, path)
			}
			return nil, err
		}
		defer f.Close()
		r = f
	}
	traces, err := trace.Read(r, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(path), err)
	}
	if len(traces) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "flash: %s has no events\n", filepath.Clean(path))
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
