package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop/session"
	"github.com/flash-launcher/flash/internal/printable"
)

func (a *app) clipboardCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clipboard",
		Short: "Pause the following of the clipboard, or see whether it is followed",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  sayWhich,
	}
	var asJSON bool
	ask := func(cmd *cobra.Command, p control.ClipboardParams) error {
		var st session.ClipboardState
		if err := a.call(cmd.Context(), control.MethodClipboard, p, &st); err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), st)
		}
		writeClipboard(cmd.OutOrStdout(), st)
		return nil
	}
	pause := &cobra.Command{
		Use:     "pause [DURATION]",
		Short:   "See no copies for a while, or until `flash clipboard resume`",
		Example: "  flash clipboard pause 10m",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := control.ClipboardParams{Op: control.ClipboardPause}
			if len(args) == 1 {
				d, err := time.ParseDuration(args[0])
				if err != nil || d <= 0 {
					return fail(ExitUsage, "clipboard pause: %q is no time; write it like 30s or 10m", args[0])
				}
				p.Seconds = d.Seconds()
			}
			return ask(cmd, p)
		},
	}
	resume := &cobra.Command{
		Use: "resume", Short: "End a pause", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd, control.ClipboardParams{Op: control.ClipboardResume})
		},
	}
	status := &cobra.Command{
		Use: "status", Short: "Say whether copies are seen", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd, control.ClipboardParams{Op: control.ClipboardStatus})
		},
	}
	for _, sub := range []*cobra.Command{pause, resume, status} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
		cmd.AddCommand(sub)
	}
	return cmd
}

func writeClipboard(w io.Writer, st session.ClipboardState) {
	switch {
	case st.Problem != "":
		fmt.Fprintf(w, "the clipboard cannot be followed: %s\n", printable.Line(st.Problem))
	case st.Paused && st.Until.IsZero():
		fmt.Fprintln(w, "paused until `flash clipboard resume`")
	case st.Paused:
		fmt.Fprintf(w, "paused until %s\n", st.Until.Local().Format(time.TimeOnly))
	case st.Watching:
		fmt.Fprintln(w, "the clipboard is followed")
	default:
		fmt.Fprintln(w, "the clipboard is not followed: no plugin that runs listens to it")
	}
}
