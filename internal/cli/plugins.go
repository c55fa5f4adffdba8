package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
)

func (a *app) pluginsCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plugins",
		Short: "List the plugins, their state, sandbox and cost",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var r control.Plugins
			if err := a.call(cmd.Context(), control.MethodPlugins, nil, &r); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			writePlugins(cmd.OutOrStdout(), r.Plugins)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// wideTable is what the whole table takes with a short note. Where there is less
// room, what is seldom asked stays out, and --json has it.
const wideTable = 150

func writePlugins(w io.Writer, plugins []control.PluginInfo) {
	narrow := terminalWidth(w) > 0 && terminalWidth(w) < wideTable
	header := []string{"ID", "STATE", "ACTIVATION", "PID", "ROWS", "RESTARTS", "PSS MIB", "INIT MS", "SANDBOX", "NOTE"}
	if narrow {
		header = []string{"ID", "STATE", "PID", "ROWS", "PSS MIB", "SANDBOX"}
	}
	rows := make([][]string, 0, len(plugins))
	for _, p := range plugins {
		if narrow {
			rows = append(rows, []string{p.ID, p.State, dash(p.PID), strconv.Itoa(p.Rows), mebibytes(p.PSSKiB), p.Sandbox})
			continue
		}
		rows = append(rows, []string{
			p.ID, p.State, p.Activation, dash(p.PID), strconv.Itoa(p.Rows), strconv.Itoa(p.Restarts),
			mebibytes(p.PSSKiB), fmt.Sprintf("%.1f", p.InitializeMS), p.Sandbox, cmp.Or(p.LastError, p.Why),
		})
	}
	table(w, header, rows)
	for _, p := range plugins {
		if note := cmp.Or(p.LastError, p.Why); narrow && note != "" {
			fmt.Fprintf(w, "%s: %s\n", p.ID, printable.Line(note))
		}
	}
}

func dash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func (a *app) pluginCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Reload, enable, disable or install one plugin",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  sayWhich,
	}
	cmd.AddCommand(a.pluginInstallCmd())
	for op, short := range map[control.PluginOp]string{
		control.PluginReload:  "Read the plugin's manifest again and restart its process; a failed one gets a new chance",
		control.PluginEnable:  "Enable a plugin until it is disabled again",
		control.PluginDisable: "Disable a plugin, over restarts too, until it is enabled again",
	} {
		cmd.AddCommand(&cobra.Command{
			Use:               string(op) + " ID",
			Short:             short,
			Args:              usageArgs(cobra.ExactArgs(1)),
			ValidArgsFunction: a.completePlugins,
			RunE: func(cmd *cobra.Command, args []string) error {
				var p control.PluginInfo
				if err := a.call(cmd.Context(), control.MethodPlugin, control.PluginParams{ID: args[0], Op: op}, &p); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is %s\n", p.ID, p.State)
				return nil
			},
		})
	}
	return cmd
}

func (a *app) completePlugins(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var r control.Plugins
	if len(args) > 0 || a.call(cmd.Context(), control.MethodPlugins, nil, &r) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids := make([]string, 0, len(r.Plugins))
	for _, p := range r.Plugins {
		ids = append(ids, p.ID+"\t"+p.State)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
