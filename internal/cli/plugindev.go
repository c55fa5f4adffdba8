package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/devtool/scaffold"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol/conformance"
)

// pluginDevCmd holds the verbs for people who write plugins. They start
// processes of their own and need no resident.
func (a *app) pluginDevCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin-dev",
		Short: "Make, try, check and measure plugins",
		Long:  "Make, try, check and measure plugins. A plugin is named by its id or by the path of its folder.\nNone of these verbs needs a resident, and none changes one.",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(devNewCmd(), devConformCmd(), devRunCmd(), devWatchCmd(), devBenchCmd(), devProfileCmd(), devExecCmd(), devWitnessCmd())
	return cmd
}

// notFound gives what names no plugin its exit code.
func notFound(err error) error {
	if errors.Is(err, devtool.ErrNotFound) {
		return &exitError{code: ExitNotFound, err: err}
	}
	return err
}

func findPlugin(what string) (*devtool.World, manifest.Definition, error) {
	w, err := devtool.Open()
	if err != nil {
		return nil, manifest.Definition{}, err
	}
	def, err := w.Find(what)
	return w, def, notFound(err)
}

func devNewCmd() *cobra.Command {
	o := scaffold.Options{}
	cmd := &cobra.Command{
		Use:   "new ID",
		Short: "Make the folder of a new plugin, which runs as it is and has a test",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := devtool.Open()
			if err != nil {
				return err
			}
			if err := scaffold.CheckID(args[0]); err != nil {
				return &exitError{code: ExitUsage, err: err}
			}
			o.ID, o.Checkout = args[0], w.Checkout()
			r, err := scaffold.New(o)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s\n", r.Dir)
			for _, name := range r.Files {
				fmt.Fprintf(out, "  %s\n", name)
			}
			for _, note := range r.Notes {
				fmt.Fprintf(out, "note: %s\n", note)
			}
			shown := r.Dir
			if wd, err := os.Getwd(); err == nil {
				if rel, err := filepath.Rel(wd, r.Dir); err == nil && !strings.HasPrefix(rel, "..") {
					shown = "./" + rel
				}
			}
			fmt.Fprintf(out, "next:\n  cd %s\n", shown)
			for _, command := range append(r.Next, "flash plugin-dev conform .", "flash plugin-dev run .") {
				fmt.Fprintf(out, "  %s\n", command)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Language, "lang", scaffold.Languages[0], "language: "+strings.Join(scaffold.Languages, ", "))
	cmd.Flags().StringVar(&o.Parent, "dir", ".", "folder that gets the plugin's folder")
	return cmd
}

type conformFlags struct {
	all, json, sandbox, verbose bool
	only                        []string
	patience                    float64
	parallel                    int
}

func devConformCmd() *cobra.Command {
	var f conformFlags
	cmd := &cobra.Command{
		Use:   "conform [PLUGIN…]",
		Short: "Run the wire's conformance scenarios over plugins",
		Long: `Run the wire's conformance scenarios over plugins: those named, the folder one stands in,
or with --all every official one and the probe. Only failures are shown in full.`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return conform(cmd, args, f) },
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "every official plugin, and the probe where it was built")
	cmd.Flags().StringArrayVar(&f.only, "only", nil, "keep scenarios that match this pattern, or lie in a folder that does")
	cmd.Flags().BoolVar(&f.sandbox, "sandbox", false, "start each plugin in its sandbox")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the reports as JSON")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show every scenario")
	cmd.Flags().Float64Var(&f.patience, "patience", 1, "multiply all time limits, for a busy machine")
	cmd.Flags().IntVar(&f.parallel, "parallel", 0, "scenarios at once (default: one a processor)")
	return cmd
}

// conformReport is what `conform --json` prints.
type conformReport struct {
	SchemaVersion int                  `json:"schema_version"`
	Sandbox       bool                 `json:"sandbox"`
	Passed        int                  `json:"passed"`
	Failed        int                  `json:"failed"`
	Plugins       []conformance.Report `json:"plugins"`
}

func conform(cmd *cobra.Command, args []string, f conformFlags) error {
	w, err := devtool.Open()
	if err != nil {
		return err
	}
	defs, err := conformPlugins(w, args, f.all)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	total := conformReport{SchemaVersion: 1, Sandbox: f.sandbox}
	progress := newProgress(cmd.ErrOrStderr())
	for i, def := range defs {
		progress.show("%d of %d: %s", i+1, len(defs), def.ID())
		text, err := devtool.ManifestText(def)
		if err != nil {
			return fmt.Errorf("plugin %s: %w", def.ID(), err)
		}
		o := conformance.Options{Argv: def.Argv, Manifest: text, Dir: def.Root, Only: f.only, Patience: f.patience, Parallel: f.parallel}
		if f.sandbox {
			o.Argv = w.ExecArgv(def)
		}
		r, err := conformance.Run(cmd.Context(), o)
		progress.clear()
		if err != nil {
			return fmt.Errorf("plugin %s: %w", def.ID(), err)
		}
		total.Passed, total.Failed = total.Passed+r.Passed, total.Failed+r.Failed
		total.Plugins = append(total.Plugins, r)
		if f.json {
			continue
		}
		fmt.Fprintf(out, "%-12s %3d passed, %d failed, %d do not apply\n", def.ID(), r.Passed, r.Failed, r.Skipped)
		if err := writeConform(out, r, f.verbose); err != nil {
			return err
		}
	}
	if f.json {
		if err := printJSON(out, total); err != nil {
			return err
		}
	} else if len(defs) > 1 {
		fmt.Fprintf(out, "%d passed, %d failed\n", total.Passed, total.Failed)
	}
	switch {
	case total.Failed > 0:
		return &exitError{code: ExitFailure, quiet: true, err: fmt.Errorf("conform: %d scenarios failed", total.Failed)}
	case total.Passed == 0:
		return fail(ExitFailure, "conform: no scenario applies; see what --only leaves")
	}
	return nil
}

// writeConform shows what failed, or all of it.
func writeConform(out io.Writer, r conformance.Report, verbose bool) error {
	if verbose {
		return r.WriteText(out)
	}
	shown := conformance.Report{Plugin: r.Plugin, Version: r.Version, Passed: r.Passed, Failed: r.Failed, Skipped: r.Skipped}
	for _, result := range r.Results {
		if result.Status == conformance.Failed {
			shown.Results = append(shown.Results, result)
		}
	}
	if len(shown.Results) == 0 {
		return nil
	}
	return shown.WriteText(out)
}

func conformPlugins(w *devtool.World, args []string, all bool) ([]manifest.Definition, error) {
	if all && len(args) > 0 {
		return nil, fail(ExitUsage, "conform: name plugins or say --all, not both")
	}
	if all {
		set, faults := w.All()
		for _, f := range faults {
			return nil, fmt.Errorf("conform --all: %w", f)
		}
		var defs []manifest.Definition
		for _, def := range set {
			if !def.Official {
				continue
			}
			if def.ExecFault != "" {
				return nil, fmt.Errorf("plugin %s: %s; build it first", def.ID(), def.ExecFault)
			}
			defs = append(defs, def)
		}
		if probe, err := w.Find(devtool.ProbeID); err == nil {
			defs = append(defs, probe)
		}
		if len(defs) == 0 {
			return nil, fail(ExitNotFound, "conform --all: no official plugin here; in a checkout run `make build` and bin/flash")
		}
		return defs, nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	defs := make([]manifest.Definition, 0, len(args))
	for _, what := range args {
		def, err := w.Find(what)
		if err != nil {
			return nil, notFound(err)
		}
		defs = append(defs, def)
	}
	return defs, nil
}

// devExecCmd is what `conform --sandbox` starts in a plugin's place.
func devExecCmd() *cobra.Command {
	var runner int
	cmd := &cobra.Command{
		Use:    "exec PLUGIN",
		Short:  "Start a plugin in its sandbox on this process's own streams",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, def, err := findPlugin(args[0])
			if err != nil {
				return err
			}
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			code, err := w.Exec(cmd.Context(), def, devtool.ExecOptions{Runner: runner, Witness: []string{exe, "plugin-dev", "witness"}})
			if err != nil || code == 0 {
				return err
			}
			return &exitError{code: code, quiet: true, err: fmt.Errorf("exit status %d", code)}
		},
	}
	cmd.Flags().IntVar(&runner, "runner", 0, "process that runs the scenarios")
	return cmd
}

// devWitnessCmd holds stderr until a process has ended.
func devWitnessCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "witness PID",
		Short:  "Wait for a process to end",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil || pid <= 0 {
				return fail(ExitUsage, "witness: %q is no process id", args[0])
			}
			return devtool.AwaitEnd(pid)
		},
	}
}

// progress is a line on a terminal that is overwritten, and nothing in a pipe.
type progress struct{ w io.Writer }

func newProgress(w io.Writer) progress {
	if !isTerminal(w) {
		return progress{}
	}
	return progress{w}
}

func (p progress) show(format string, args ...any) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

func (p progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
