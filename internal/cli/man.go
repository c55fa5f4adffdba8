package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// manCmd writes the manual from the very commands, so that it cannot disagree
// with them.
func (a *app) manCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page, or write one a command into a folder",
		Example: "  flash man | man -l -\n  flash man --dir ~/.local/share/man/man1",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return manPage(cmd.OutOrStdout(), cmd.Root(), a.Version)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			return manPages(dir, cmd.Root(), a.Version)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write flash.1, flash-query.1 and so on into")
	return cmd
}
