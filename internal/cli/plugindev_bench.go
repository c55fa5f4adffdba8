package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/devtool/bench"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/sandbox"
)

type benchFlags struct {
	plugins                                 []string
	samples, settleMS, children, pings      int
	sandbox, concurrent, json, noReferences bool
	compare, svg                            string
}

func devBenchCmd() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how plugins start, answer and rest",
		Long: `Measure how plugins start, answer and rest: each starts from a clean data directory, is left
alone for the settle, is pinged once, and ends by the end of its stdin. Times are from the spawn
to the good initialize reply (INIT) and from the first frame to it (SHAKE). Memory, threads and
processor time are of the plugin and, on Linux, of what it started. References are the
least process of Go and of Rust, built and measured in the same run where the compilers are.
It reports and judges nothing: compare like machines and builds.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, f) },
	}
	cmd.Flags().StringArrayVar(&f.plugins, "plugin", nil, "only this plugin, by id or folder; may be repeated (default: all)")
	cmd.Flags().IntVar(&f.samples, "samples", 5, "lives of each plugin")
	cmd.Flags().IntVar(&f.settleMS, "settle-ms", 1000, "rest after the start, in milliseconds")
	cmd.Flags().BoolVar(&f.sandbox, "sandbox", false, "start each plugin in its sandbox")
	cmd.Flags().BoolVar(&f.concurrent, "concurrent", false, "start all plugins of a sample at once")
	cmd.Flags().IntVar(&f.children, "children", 0, "with --concurrent, how many at once, the plugins in turn (default: each once)")
	cmd.Flags().IntVar(&f.pings, "pings", 1, "pings at the end of each life; after more than one, memory is read again")
	cmd.Flags().BoolVar(&f.noReferences, "no-references", false, "leave the references out")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, and nothing else, on stdout")
	cmd.Flags().StringVar(&f.compare, "compare", "", "set it against an earlier --json report")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the report into this file")
	return cmd
}

func runBench(cmd *cobra.Command, f benchFlags) error {
	if f.samples < 1 || f.settleMS < 0 {
		return fail(ExitUsage, "bench: --samples is at least 1 and --settle-ms at least 0")
	}
	if f.children != 0 && !f.concurrent || f.children < 0 || f.pings < 1 {
		return fail(ExitUsage, "bench: --children goes with --concurrent and is at least 1, --pings is at least 1")
	}
	var before bench.Report
	if f.compare != "" {
		var err error
		if before, err = bench.Load(f.compare); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return &exitError{code: ExitNotFound, err: err}
			}
			return err
		}
	}
	w, err := devtool.Open()
	if err != nil {
		return err
	}
	errOut := cmd.ErrOrStderr()
	targets, err := benchTargets(w, f.plugins, errOut)
	if err != nil {
		return err
	}
	var drawing *os.File
	if f.svg != "" {
		// Before the measurement: that may take an hour.
		if drawing, err = os.Create(f.svg); err != nil {
			return fmt.Errorf("bench --svg: %w", err)
		}
		defer drawing.Close()
	}
	progress := newProgress(errOut)
	if !f.noReferences {
		dir, err := os.MkdirTemp("", "flash-bench-reference-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		progress.show("building the references")
		references, notes := bench.References(cmd.Context(), dir)
		progress.clear()
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		for _, n := range notes {
			fmt.Fprintf(errOut, "note: %s\n", n)
		}
		targets = append(targets, references...)
	}
	report, err := bench.Run(cmd.Context(), bench.Options{
		Targets: targets, Samples: f.samples, Settle: time.Duration(f.settleMS) * time.Millisecond, Concurrent: f.concurrent, Children: f.children, Pings: f.pings,
		Start: func(ctx context.Context, def manifest.Definition, dataDir string) (*sandbox.Process, error) {
			return w.Start(ctx, def, dataDir, f.sandbox)
		},
		Progress: func(done, of int, id string) { progress.show("%d of %d: %s", done, of, id) },
	})
	progress.clear()
	if err != nil {
		return err
	}
	report.Sandbox = f.sandbox
	if drawing != nil {
		if err := errors.Join(report.WriteSVG(drawing), drawing.Close()); err != nil {
			return fmt.Errorf("bench --svg: %w", err)
		}
	}
	out := cmd.OutOrStdout()
	if f.json {
		if err := printJSON(out, report); err != nil {
			return err
		}
		// Stdout is JSON alone.
		out = errOut
	} else {
		printBench(out, report)
	}
	if f.compare != "" {
		printRatios(out, bench.Compare(before, report))
	}
	return nil
}

func benchTargets(w *devtool.World, plugins []string, errOut io.Writer) ([]bench.Target, error) {
	var targets []bench.Target
	for _, what := range plugins {
		def, err := w.Find(what)
		if err != nil {
			return nil, notFound(err)
		}
		targets = append(targets, bench.Target{Definition: def})
	}
	if len(plugins) > 0 {
		return targets, nil
	}
	set, faults := w.All()
	for _, f := range faults {
		fmt.Fprintf(errOut, "note: left out: %v\n", f)
	}
	for _, def := range set {
		if fault := devtool.Fault(def); fault != "" {
			fmt.Fprintf(errOut, "note: left out: plugin %s: %s\n", def.ID(), fault)
			continue
		}
		targets = append(targets, bench.Target{Definition: def})
	}
	if len(targets) == 0 {
		return nil, fail(ExitNotFound, "bench: no plugin that can be started; build them, or name one with --plugin")
	}
	return targets, nil
}

func printBench(out io.Writer, r bench.Report) {
	header := []string{
		"ID", "N", "INIT P50 MS", "P95", "MAX", "SHAKE P50", "PING P50 MS", "P95", "MAX",
		"RSS KIB", "MAX", "PSS KIB", "PRIVATE KIB", "THREADS", "CPU MS", "WAKE-UPS", "CLEAN EXITS",
	}
	var rows [][]string
	for _, res := range r.Results {
		s := res.Summary
		rows = append(rows, []string{
			res.ID, strconv.Itoa(s.Samples), f2(s.InitializeMS.P50), f2(s.InitializeMS.P95), f2(s.InitializeMS.Max), f2(s.HandshakeMS.P50),
			f2(s.PingMS.P50), f2(s.PingMS.P95), f2(s.PingMS.Max), f0(s.RSSKiB.P50), f0(s.RSSKiB.Max), f0(s.PSSKiB), f0(s.PrivateKiB),
			f0(s.Threads), f2(s.CPUMS), f0(s.Wakeups), fmt.Sprintf("%d/%d", s.CleanExits, s.Samples),
		})
	}
	a := r.Aggregate
	rows = append(rows, []string{
		fmt.Sprintf("all %d", max(a.Plugins, a.Children)), "", "", f2(a.InitializeP95MS), "", "", "", f2(a.PingP95MS), "",
		f0(a.RSSKiB), "", f0(a.PSSKiB), f0(a.PrivateKiB), f0(a.Threads), f2(a.CPUMS), f0(a.Wakeups), "",
	})
	figures(out, header, rows)
	if all := a.AllInitializedMS; all != nil {
		fmt.Fprintf(out, "%d children at once: all initialized in p50 %.1f ms, p95 %.1f ms, max %.1f ms; together PSS %.1f MiB, RSS %.1f MiB, private dirty %.1f MiB\n",
			a.Children, all.P50, all.P95, all.Max, a.PSSKiB/1024, a.RSSKiB/1024, a.PrivateKiB/1024)
	}
	printAfter(out, r)
}

// printAfter shows what many pings left behind.
func printAfter(out io.Writer, r bench.Report) {
	var rows [][]string
	for _, res := range r.Results {
		if a := res.Summary.After; a != nil {
			rows = append(rows, []string{
				res.ID, strconv.Itoa(a.Pings), f3(a.PingMS.P50), f3(a.PingMS.P95), f3(a.PingMS.Max),
				strconv.FormatInt(a.RSSKiB, 10), strconv.FormatInt(a.PSSKiB, 10), strconv.FormatInt(a.PrivateKiB, 10), strconv.Itoa(a.Threads),
			})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(out)
		figures(out, []string{"ID", "PINGS", "P50 MS", "P95", "MAX", "RSS KIB AFTER", "PSS", "PRIVATE", "THREADS"}, rows)
	}
}

func printRatios(out io.Writer, ratios []bench.Ratio) {
	var rows [][]string
	for _, r := range ratios {
		verdict := "within the noise"
		switch {
		case r.Reference:
			verdict = "the machine"
		case r.Differs():
			verdict = "differs"
		}
		rows = append(rows, []string{r.ID, r.Metric, f2(r.Before), f2(r.After), fmt.Sprintf("%.2f", r.Ratio), fmt.Sprintf("±%.2f", r.Noise), verdict})
	}
	figures(out, []string{"ID", "METRIC", "BEFORE", "AFTER", "RATIO", "NOISE", "VERDICT"}, rows)
}

// figures is a table that has its header in a pipe too: nobody knows a dozen
// columns of figures by heart, and for programs there is --json.
func figures(out io.Writer, header []string, rows [][]string) {
	if !isTerminal(out) {
		rows = append([][]string{header}, rows...)
	}
	table(out, header, rows)
}

func f3(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
func f2(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
func f0(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
