package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/login"
	"github.com/flash-launcher/flash/internal/printable"
)

const autostartHelp = `Start Flash when you log in, by what the system has for that: a launch agent on
macOS; on Linux an autostart entry, which desktops read, and where systemd runs
for users the unit flash.service as well, which needs no desktop.

Nothing is started or stopped by it now, apart from launchd's own start of a new
agent when no resident is running.`

func (a *app) autostartCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "autostart",
		Short:   "Start Flash at login, or no longer",
		Long:    autostartHelp,
		Aliases: []string{"login"},
		Args:    usageArgs(cobra.NoArgs),
		RunE:    sayWhich,
	}
	var force bool
	change := func(use, short string, do func(*cobra.Command, *login.Manager) error) {
		c := &cobra.Command{
			Use: use, Short: short, Args: usageArgs(cobra.NoArgs),
			RunE: func(cmd *cobra.Command, _ []string) error {
				m, err := login.Current()
				if err == nil {
					err = do(cmd, m)
				}
				return err
			},
		}
		c.Flags().BoolVar(&force, "force", false, "replace or remove a file that is not as Flash writes it, and keep it beside")
		cmd.AddCommand(c)
	}
	change("enable", "Start Flash at login", func(cmd *cobra.Command, m *login.Manager) error {
		r, err := m.Enable(cmd.Context(), force)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "flash starts at login: %s\n", r.Program)
		writeNotes(cmd.ErrOrStderr(), r)
		return nil
	})
	change("disable", "Start Flash at login no longer; one that runs goes on", func(cmd *cobra.Command, m *login.Manager) error {
		r, err := m.Disable(cmd.Context(), force)
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), "flash does not start at login")
		writeNotes(cmd.ErrOrStderr(), r)
		return nil
	})
	cmd.AddCommand(a.autostartStatus())
	return cmd
}

func writeNotes(w io.Writer, r login.Result) {
	for _, n := range r.Notes {
		fmt.Fprintln(w, "flash: "+printable.Line(n))
	}
}

func (a *app) autostartStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say whether Flash starts at login, and by what",
		Long:  "Say whether Flash starts at login, and by what. Ends with 1 when it does not, or when\nsomething is wrong with it.",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := login.Current()
			if err != nil {
				return err
			}
			s := m.Status(cmd.Context())
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				err = printJSON(out, s)
			case s.Enabled:
				fmt.Fprintf(out, "on, by %s: %s\n", strings.Join(s.By, " and "), printable.Line(s.Program))
			default:
				fmt.Fprintln(out, "off")
			}
			if s.Problem != "" && !asJSON {
				fmt.Fprintf(out, "%s\n  → %s\n", printable.Line(s.Problem), printable.Line(s.Remedy))
			}
			if err == nil && (!s.Enabled || s.Problem != "") {
				err = &exitError{code: ExitFailure, err: errors.New("off"), quiet: true}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
