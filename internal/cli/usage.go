package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// The kinds of verbs, in the order in which the help lists them.
const (
	searching   = "search"
	running     = "resident"
	customizing = "custom"
)

var groups = []*cobra.Group{
	{ID: searching, Title: "Search:"},
	{ID: running, Title: "The resident:"},
	{ID: customizing, Title: "Configuration and plugins:"},
}

// usageArgs marks what a positional-argument check refuses as wrong use, and
// says what is wanted in the words of the command's own usage line.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		name := verbName(cmd)
		_, wanted, takesSome := strings.Cut(cmd.Use, " ")
		switch {
		case cmd.HasAvailableSubCommands():
			return unknownVerb(cmd, args[0])
		case !takesSome:
			return fail(ExitUsage, "%s: %q is one word too many", name, args[0])
		case len(args) == 0:
			return fail(ExitUsage, "%s: %s is missing", name, wanted)
		}
		return fail(ExitUsage, "%s: it takes %s, and here are %d words", name, wanted, len(args))
	}
}

// sayWhich is what a command does that is nothing without one of those below it.
func sayWhich(cmd *cobra.Command, _ []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	last := len(names) - 1
	return fail(ExitUsage, "%s: say %s or %s", verbName(cmd), strings.Join(names[:last], ", "), names[last])
}

func unknownVerb(cmd *cobra.Command, word string) error {
	var maybe string
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2 // slips, as cobra itself would have it
	}
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		maybe = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return fail(ExitUsage, "no command is called %q%s", strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())+" "+word), maybe)
}

// verbName is the command without the program: errors begin with that.
func verbName(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Name()
	}
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// onlyDeclaredCompletions keeps shells from offering files as arguments of
// commands that take none.
func onlyDeclaredCompletions(cmd *cobra.Command) {
	_, wanted, _ := strings.Cut(cmd.Use, " ")
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !takesPath(wanted) {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, c := range cmd.Commands() {
		onlyDeclaredCompletions(c)
	}
}

func takesPath(wanted string) bool {
	return strings.Contains(wanted, "FILE") || strings.Contains(wanted, "DIR") || strings.Contains(wanted, "PLUGIN")
}

func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if of, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range of.Commands() {
					if c.IsAvailableCommand() {
						names = append(names, c.Name()+"\t"+c.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownVerb(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			of.InitDefaultVersionFlag()
			return of.Help()
		},
	}
}

var completionScripts = map[string]func(*cobra.Command, io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func (a *app) completionCmd() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print completions for bash, zsh, fish or powershell",
		Long: `Print completions for SHELL: bash (with the package bash-completion), zsh, fish or powershell.
The packages of Flash bring those of the first three along. From a checkout:

  bash        flash completion bash > ~/.local/share/bash-completion/completions/flash
  zsh         flash completion zsh > "${fpath[1]}/_flash"
  fish        flash completion fish > ~/.config/fish/completions/flash.fish
  powershell  flash completion powershell | Out-String | Invoke-Expression

They hold in the next shell. For this one alone: source <(flash completion bash)`,
		Args:      usageArgs(cobra.ExactArgs(1)),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			script, ok := completionScripts[args[0]]
			if !ok {
				return fail(ExitUsage, "completion: no shell is called %q here; use %s", args[0], strings.Join(shells, ", "))
			}
			return script(cmd.Root(), cmd.OutOrStdout())
		},
	}
}
