package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/config"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Edit, check, locate or show the configuration",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  sayWhich,
	}
	cmd.AddCommand(editConfigCmd(), &cobra.Command{
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
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(cmd.OutOrStdout(), "there is no %s, and everything is at its default\n", path)
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is fine\n", path)
			return nil
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
	}, &cobra.Command{
		Use:   "sample",
		Short: "Print a configuration file with every setting in it, at its default and commented out",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), config.Sample())
			return err
		},
	})
	return cmd
}

func editConfigCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Open the configuration file in $VISUAL or $EDITOR, and check it afterwards",
		Long: `Open the configuration file in $VISUAL, else $EDITOR, else vi, and check it afterwards. Where
there is no file yet it begins as ` + "`flash config sample`" + ` prints it.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := config.DefaultPaths()
			if err != nil {
				return err
			}
			if err := config.Make(p.ConfigFile); err != nil {
				return err
			}
			editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
			// The shell, since people write options into these variables.
			edit := exec.CommandContext(cmd.Context(), "/bin/sh", "-c", editor+` "$1"`, "sh", p.ConfigFile)
			edit.Stdin, edit.Stdout, edit.Stderr = os.Stdin, os.Stdout, os.Stderr
			if err := edit.Run(); err != nil {
				return fail(ExitFailure, "config edit: %s: %w; set EDITOR to a program that edits text", editor, err)
			}
			_, _, err = loadConfig(cmd, nil)
			return err
		},
	}
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
