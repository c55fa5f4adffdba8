package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/logfile"
)

func (a *app) logsCmd() *cobra.Command {
	var follow, asJSON bool
	var lines int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the end of the resident's log",
		Long: `Print the end of the resident's log: for people on a terminal, as its own JSON lines in a pipe
or with --json. The log holds stages, counts and milliseconds, never queries, titles, URLs or
configuration values.`,
		Example: "  flash logs -f\n  flash logs -n 1000 | jq 'select(.level == \"WARN\")'",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lines < 0 {
				return fail(ExitUsage, "logs: --lines %d is below 0", lines)
			}
			p, err := config.DefaultPaths()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			pretty := isTerminal(out) && !asJSON
			write := func(line []byte) error {
				if pretty {
					line = logfile.AppendPretty(nil, line)
				}
				_, err := fmt.Fprintf(out, "%s\n", line)
				return err
			}
			if follow {
				return noLog(logfile.Follow(cmd.Context(), p.LogFile(), lines, write))
			}
			tail, err := logfile.Tail(p.LogFile(), lines)
			if err != nil {
				return noLog(err)
			}
			for _, line := range tail {
				if err := write(line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with each new line until interrupted")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the JSON lines of the file, on a terminal too")
	cmd.Flags().IntVarP(&lines, "lines", "n", 50, "lines to print from the end")
	return cmd
}

func noLog(err error) error {
	if errors.Is(err, logfile.ErrNoLog) {
		return &exitError{code: ExitNotFound, err: err}
	}
	return err
}
