package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/logfile"
)

func (a *app) logsCmd() *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the end of the resident's log, as JSON lines",
		Long: `Print the end of the resident's log, as JSON lines. The log holds stages, counts and
milliseconds, never queries, titles, URLs or configuration values.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lines < 0 {
				return fail(ExitUsage, "logs: --lines %d is below 0", lines)
			}
			p, err := config.DefaultPaths()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if follow {
				return noLog(logfile.Follow(cmd.Context(), p.LogFile(), lines, func(line []byte) error {
					_, err := fmt.Fprintf(out, "%s\n", line)
					return err
				}))
			}
			tail, err := logfile.Tail(p.LogFile(), lines)
			if err != nil {
				return noLog(err)
			}
			for _, line := range tail {
				fmt.Fprintf(out, "%s\n", line)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with each new line until interrupted")
	cmd.Flags().IntVarP(&lines, "lines", "n", 50, "lines to print from the end")
	return cmd
}

func noLog(err error) error {
	if errors.Is(err, logfile.ErrNoLog) {
		return &exitError{code: ExitNotFound, err: err}
	}
	return err
}
