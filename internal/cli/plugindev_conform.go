package cli

import (
	"fmt"
	"os"
	"path"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/protocol/conformance"
)

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
or with --all every official one and, in a checkout, the probe on the SDK for Go, Python and Node
and a plugin in shell, as far as their interpreters are there. Only failures are shown in full.`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return conform(cmd, args, f) },
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "every official plugin and, in a checkout, the probe on each SDK")
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
	SchemaVersion int             `json:"schema_version"`
	Sandbox       bool            `json:"sandbox"`
	Passed        int             `json:"passed"`
	Failed        int             `json:"failed"`
	Plugins       []conformPlugin `json:"plugins"`
}

type conformPlugin struct {
	Name string `json:"name"` // tells apart what has one id
	conformance.Report
}

func conform(cmd *cobra.Command, args []string, f conformFlags) error {
	if f.patience <= 0 || f.parallel < 0 {
		return fail(ExitUsage, "conform: --patience is above 0 and --parallel at least 1")
	}
	if err := conformance.CheckOnly(f.only); err != nil {
		return fail(ExitUsage, "conform: %v; `flash plugin-dev conform -v` shows the names", err)
	}
	w, err := devtool.Open()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "flash-conform-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	plugins, notes, err := conformPlugins(w, args, f.all, temp)
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", n)
	}
	out := cmd.OutOrStdout()
	total := conformReport{SchemaVersion: 1, Sandbox: f.sandbox}
	progress := newProgress(cmd.ErrOrStderr())
	for i, p := range plugins {
		def := p.Definition
		text, err := devtool.ManifestText(def)
		if err != nil {
			return fmt.Errorf("plugin %s: %w", def.ID(), err)
		}
		o := conformance.Options{
			Argv: def.Argv, Manifest: text, Dir: def.Root, Only: f.only, Patience: f.patience, Parallel: f.parallel,
			Progress: func(scenario string) {
				progress.show("%d of %d: %s, %s", i+1, len(plugins), p.Name, path.Dir(scenario))
			},
		}
		if f.sandbox {
			if err := w.Preflight(def); err != nil {
				return err
			}
			o.Argv = w.ExecArgv(def)
		}
		r, err := conformance.Run(cmd.Context(), o)
		progress.clear()
		if err != nil {
			return fmt.Errorf("plugin %s: %w", def.ID(), err)
		}
		total.Passed, total.Failed = total.Passed+r.Passed, total.Failed+r.Failed
		total.Plugins = append(total.Plugins, conformPlugin{p.Name, r})
		if f.json {
			continue
		}
		write := r.WriteFailures
		if f.verbose {
			write = r.WriteText
		} else {
			fmt.Fprintf(out, "%-16s %3d passed, %d failed, %d do not apply\n", p.Name, r.Passed, r.Failed, r.Skipped)
		}
		if err := write(out); err != nil {
			return err
		}
	}
	if f.json {
		if err := printJSON(out, total); err != nil {
			return err
		}
	} else if len(plugins) > 1 {
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

func conformPlugins(w *devtool.World, args []string, all bool, temp string) (plugins []devtool.Fixture, notes []string, err error) {
	if all && len(args) > 0 {
		return nil, nil, fail(ExitUsage, "conform: name plugins or say --all, not both")
	}
	if all {
		return allPlugins(w, temp)
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, what := range args {
		def, err := w.Find(what)
		if err != nil {
			return nil, nil, notFound(err)
		}
		plugins = append(plugins, devtool.Fixture{Name: def.ID(), Definition: def})
	}
	return plugins, nil, nil
}

func allPlugins(w *devtool.World, temp string) (plugins []devtool.Fixture, notes []string, err error) {
	set, faults := w.All()
	for _, f := range faults {
		return nil, nil, fmt.Errorf("conform --all: %w", f)
	}
	for _, def := range set {
		if !def.Official {
			continue
		}
		if fault := devtool.Fault(def); fault != "" {
			return nil, nil, fmt.Errorf("plugin %s: %s", def.ID(), fault)
		}
		plugins = append(plugins, devtool.Fixture{Name: def.ID(), Definition: def})
	}
	fixtures, notes, err := w.Fixtures(temp)
	if err != nil {
		return nil, nil, err
	}
	plugins = append(plugins, fixtures...)
	if len(plugins) == 0 {
		return nil, nil, fail(ExitNotFound, "conform --all: no official plugin here; in a checkout run `make build` and bin/flash")
	}
	return plugins, notes, nil
}
