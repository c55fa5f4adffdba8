package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
			header := &doc.GenManHeader{Title: "FLASH", Section: "1", Source: "flash " + a.Version, Manual: "Flash"}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if dir == "" {
				return doc.GenMan(root, header, cmd.OutOrStdout())
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			return doc.GenManTree(root, header, abs)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write flash.1, flash-query.1 and so on into")
	return cmd
}
