package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check, locate or show the configuration",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return fail(ExitUsage, "config: say check, path or show")
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "path",
		Short: "Print where the configuration file is, whether it exists or not",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.DefaultPaths()
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), p.ConfigFile)
			}
			return err
		},
	}, &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the configuration, or FILE, and print every fault with its line and key",
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, path, err := loadConfig(cmd, args)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is fine\n", path)
			}
			return err
		},
	}, &cobra.Command{
		Use:   "show [FILE]",
		Short: "Print the effective configuration, defaults included, as TOML",
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := loadConfig(cmd, args)
			if err != nil {
				return err
			}
			text, err := c.Show()
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	})
	return cmd
}

// loadConfig reads the named file or the user's own, and prints its faults.
func loadConfig(cmd *cobra.Command, args []string) (config.Config, string, error) {
	p, err := config.DefaultPaths()
	if err != nil {
		return config.Config{}, "", err
	}
	path := p.ConfigFile
	if len(args) > 0 {
		path = args[0]
		// The user's own file may be absent, one that was named may not.
		if _, err := os.Stat(path); err != nil {
			return config.Config{}, "", &exitError{code: ExitNotFound, err: err}
		}
	}
	c, faults := config.Load(path)
	for _, f := range faults {
		fmt.Fprintln(cmd.ErrOrStderr(), f.Error())
	}
	if len(faults) > 0 {
		return c, path, &exitError{code: ExitConfig, err: fmt.Errorf("%s has %d faults", path, len(faults)), quiet: true}
	}
	return c, path, nil
}
