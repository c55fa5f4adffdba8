package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
)

func (a *app) statusCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the resident: version, plugins by state, what sandbox and desktop offer",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var st control.Status
			if err := a.call(cmd.Context(), control.MethodStatus, nil, &st); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), st)
			}
			writeStatus(cmd.OutOrStdout(), st)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func writeStatus(w io.Writer, st control.Status) {
	states := make([]string, 0, len(st.Plugins))
	for _, s := range slices.Sorted(maps.Keys(st.Plugins)) {
		states = append(states, fmt.Sprintf("%d %s", st.Plugins[s], s))
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", name, printable.Line(fmt.Sprintf(format, args...)))
	}
	line("flash", "%s, pid %d, up %s, %s MiB resident", st.Version, st.PID, time.Duration(st.UptimeSeconds)*time.Second, mebibytes(st.RSSKiB))
	line("plugins", "%s", strings.Join(states, ", "))
	line("rows", "%d", st.Rows)
	line("socket", "%s", st.Socket)
	line("config", "%s", st.Config)
	for _, f := range st.ConfigFaults {
		line("", "fault: %s", f)
	}
	for _, f := range st.PluginFaults {
		line("", "plugin fault: %s", f)
	}
	for _, f := range st.StateFaults {
		line("", "state fault: %s", f)
	}
	for _, section := range []struct {
		name   string
		checks []control.Check
	}{{"sandbox", st.Sandbox}, {"desktop", st.Desktop}} {
		for i, c := range section.checks {
			name, mark := "", "yes"
			if i == 0 {
				name = section.name
			}
			if !c.OK {
				mark = "no"
			}
			line(name, "%-3s %s: %s", mark, c.Name, c.Detail)
		}
	}
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "flash %s\n", a.Version)
			return nil
		},
	}
}
