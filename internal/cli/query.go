package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
)

// queryResult is the part of a flashlight result that the plain listing shows;
// --json prints the resident's own document unchanged.
type queryResult struct {
	Answers     []struct{ Title, Subtitle, Plugin string }
	Completions []struct{ Value, Detail, Plugin string }
	Rows        []struct{ ID, Source, Title, Subtitle string }
	Notices     []struct{ Plugin, Text string }
}

func (a *app) queryCmd() *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "query TEXT",
		Short: "Ask the resident what the flashlight shows for TEXT",
		Long: `Ask the resident what the flashlight shows for TEXT: answers first, then what the text
could go on as, then rows, best first. @source lists or filters one source, !bang and :command reach
plugins; @, ! and : alone list what there is. Words after the first are joined with a space. A TEXT
that begins with a dash stands behind --. In a pipe the columns are tab-separated: title, subtitle,
source, row id.`,
		Example: "  flash query firefox\n  flash query '2+2'\n  flash query -- '-2^2'\n  flash query @\n  flash query --json --limit 5 '@tmux build'",
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > 1000 {
				return fail(ExitUsage, "query: --limit %d is not within 1..1000", limit)
			}
			var raw json.RawMessage
			p := control.QueryParams{Text: strings.Join(args, " "), Limit: limit}
			if err := a.call(cmd.Context(), control.MethodQuery, p, &raw); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), raw)
			}
			var r queryResult
			if err := json.Unmarshal(raw, &r); err != nil {
				return err
			}
			writeQuery(cmd.OutOrStdout(), cmd.ErrOrStderr(), r)
			return nil
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fail(ExitUsage, "query: %v; a TEXT that begins with a dash stands behind --", err)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	cmd.Flags().IntVar(&limit, "limit", 20, "rows at most, 1..1000")
	return cmd
}

func writeQuery(out, errs io.Writer, r queryResult) {
	rows := make([][]string, 0, len(r.Answers)+len(r.Completions)+len(r.Rows))
	for _, x := range r.Answers {
		rows = append(rows, []string{"= " + x.Title, x.Subtitle, x.Plugin, ""})
	}
	for _, x := range r.Completions {
		rows = append(rows, []string{strings.TrimSpace(x.Value), x.Detail, x.Plugin, ""})
	}
	for _, x := range r.Rows {
		rows = append(rows, []string{x.Title, x.Subtitle, x.Source, x.ID})
	}
	for _, n := range r.Notices {
		fmt.Fprintf(errs, "flash: %s\n", printable.Line(strings.TrimPrefix(n.Plugin+": "+n.Text, ": ")))
	}
	if len(rows) == 0 && len(r.Notices) == 0 && isTerminal(out) {
		fmt.Fprintln(errs, "flash: nothing is found")
	}
	table(out, []string{"TITLE", "SUBTITLE", "SOURCE", "ROW"}, rows)
}

func (a *app) performCmd() *cobra.Command {
	var action string
	cmd := &cobra.Command{
		Use:   "perform ROW-ID",
		Short: "Act on a row that a query gave",
		Long:  "Act on a row by the id that `flash query` printed: its own action, or the one that --action names.",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var r control.PerformResult
			if err := a.call(cmd.Context(), control.MethodPerform, control.PerformParams{Row: args[0], Action: action}, &r); err != nil {
				return err
			}
			return printOutcome(cmd, r, "no plugin handles this row any more; query again")
		},
	}
	cmd.Flags().StringVar(&action, "action", "", "an action other than the row's own, such as copy")
	return cmd
}
