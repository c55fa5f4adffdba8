package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/devtool"
	"github.com/flash-launcher/flash/internal/devtool/scaffold"
	"github.com/flash-launcher/flash/internal/manifest"
)

// pluginDevCmd holds the verbs for people who write plugins. They start
// processes of their own and need no resident.
func (a *app) pluginDevCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin-dev",
		Short: "Make, try, check and measure plugins",
		Long:  "Make, try, check and measure plugins. A plugin is named by its id or by the path of its folder.\nNone of these verbs needs a resident, and none changes one.",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, verb := range []*cobra.Command{devNewCmd(), devConformCmd(), devRunCmd(), devWatchCmd(), devBenchCmd(), devProfileCmd()} {
		run := verb.RunE
		verb.RunE = func(cmd *cobra.Command, args []string) error { return interrupted(cmd, run(cmd, args)) }
		cmd.AddCommand(verb)
	}
	cmd.AddCommand(devExecCmd(), devWitnessCmd())
	return cmd
}

// exitInterrupted is what shells call the end by Ctrl-C.
const exitInterrupted = 130

// interrupted says nothing of an error that the user's own Ctrl-C made.
func interrupted(cmd *cobra.Command, err error) error {
	if err == nil || cmd.Context().Err() == nil {
		return err
	}
	return &exitError{code: exitInterrupted, quiet: true, err: err}
}

// notFound gives what names no plugin its exit code.
func notFound(err error) error {
	if errors.Is(err, devtool.ErrNotFound) {
		return &exitError{code: ExitNotFound, err: err}
	}
	return err
}

func findPlugin(what string) (*devtool.World, manifest.Definition, error) {
	w, err := devtool.Open()
	if err != nil {
		return nil, manifest.Definition{}, err
	}
	def, err := w.Find(what)
	return w, def, notFound(err)
}

func devNewCmd() *cobra.Command {
	o := scaffold.Options{}
	cmd := &cobra.Command{
		Use:   "new ID",
		Short: "Make the folder of a new plugin, which runs as it is and has a test",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := devtool.Open()
			if err != nil {
				return err
			}
			o.ID, o.Checkout = args[0], w.Checkout()
			note, err := w.Free(o.ID)
			if err != nil {
				return &exitError{code: ExitUsage, err: err}
			}
			r, err := scaffold.New(o)
			if errors.Is(err, scaffold.ErrUsage) {
				return &exitError{code: ExitUsage, err: err}
			}
			if err != nil {
				return err
			}
			if note != "" {
				r.Notes = append(r.Notes, note)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s\n", r.Dir)
			shownDir := ""
			for _, name := range r.Files {
				folder, _, below := strings.Cut(name, "/")
				switch {
				case !below:
					fmt.Fprintf(out, "  %s\n", name)
				case folder != shownDir:
					fmt.Fprintf(out, "  %s/\n", folder)
					shownDir = folder
				}
			}
			for _, note := range r.Notes {
				fmt.Fprintf(out, "note: %s\n", note)
			}
			shown := r.Dir
			if wd, err := os.Getwd(); err == nil {
				if rel, err := filepath.Rel(wd, r.Dir); err == nil && !strings.HasPrefix(rel, "..") {
					shown = "./" + rel
				}
			}
			fmt.Fprintf(out, "next:\n  cd %s\n", shellWord(shown))
			for _, command := range append(r.Next, "flash plugin-dev conform .", "flash plugin-dev run .") {
				fmt.Fprintf(out, "  %s\n", command)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Language, "lang", scaffold.Languages[0], "language: "+strings.Join(scaffold.Languages, ", "))
	cmd.Flags().StringVar(&o.Parent, "dir", ".", "folder that gets the plugin's folder")
	return cmd
}

// shellWord is text as a shell takes it for one word.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r) || r > 0x9f
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// devExecCmd is what `conform --sandbox` starts in a plugin's place.
func devExecCmd() *cobra.Command {
	var runner int
	cmd := &cobra.Command{
		Use:    "exec PLUGIN",
		Short:  "Start a plugin in its sandbox on this process's own streams",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, def, err := findPlugin(args[0])
			if err != nil {
				return err
			}
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			code, err := w.Exec(cmd.Context(), def, devtool.ExecOptions{Runner: runner, Witness: []string{exe, "plugin-dev", "witness"}})
			if err != nil || code == 0 {
				return err
			}
			return &exitError{code: code, quiet: true, err: fmt.Errorf("exit status %d", code)}
		},
	}
	cmd.Flags().IntVar(&runner, "runner", 0, "process that runs the scenarios")
	return cmd
}

// devWitnessCmd holds stderr until a process has ended.
func devWitnessCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "witness PID",
		Short:  "Wait for a process to end",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil || pid <= 0 {
				return fail(ExitUsage, "witness: %q is no process id", args[0])
			}
			return devtool.AwaitEnd(pid)
		},
	}
}
