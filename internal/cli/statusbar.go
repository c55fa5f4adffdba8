package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/status/emit"
)

func (a *app) statusBarCmd() *cobra.Command {
	s := &barStream{app: a}
	var format, template string
	var once bool
	cmd := &cobra.Command{
		Use:   "statusbar",
		Short: "Print the status line for another bar, each time that it changes",
		Long: `Print the status line in the words of another bar, each time that it changes: ` + strings.Join(emit.Names(), ", ") + `.
While this runs, what the template shows is measured, so that monitors need no bar of Flash's own.

With i3bar, clicks are read from standard input. It ends with the bar: when standard output, or a
standard input that is a pipe, is closed. When the resident ends it says so and goes on once it is back.`,
		Example: "  flash statusbar --format i3bar\n  flash statusbar --once --template '#{flash.plugin.cpu.summary}'",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := emit.New(format)
			if err != nil {
				return fail(ExitUsage, "statusbar: %v", err)
			}
			s.format, s.out, s.errs, s.in = f, cmd.OutOrStdout(), cmd.ErrOrStderr(), os.Stdin
			s.params.Hover = format == "waybar"
			s.clicks = format == "i3bar"
			if cmd.Flags().Changed("template") {
				s.params.Template = &template
			}
			if once {
				return s.once(cmd.Context())
			}
			return s.run(cmd.Context())
		},
	}
	cmd.PersistentFlags().StringVar(&template, "template", "", "show this in place of the configuration's template")
	cmd.Flags().StringVar(&format, "format", "text", "for which bar: "+strings.Join(emit.Names(), ", "))
	cmd.Flags().BoolVar(&once, "once", false, "print one line and end")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(emit.Names(), cobra.ShellCompDirectiveNoFileComp))

	cmd.AddCommand(a.statusBarClickCmd(&template))
	return cmd
}

// statusBarClickCmd clicks on a line of the template given, if one is.
func (a *app) statusBarClickCmd(template *string) *cobra.Command {
	var button int
	cmd := &cobra.Command{
		Use:   "click NAME",
		Short: "Do what a click on a part of the status line does",
		Long: `Do what a click on the part of the line with that NAME does. A name is the plugin's id, or what
#[range=user|NAME] gives it. NAME may also be the deed itself: a row id, a :command or a !bang.`,
		Example: "  flash statusbar click cpu\n  flash statusbar click ':memory refresh'",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p := control.StatusBarClick{Name: args[0], Button: button}
			if cmd.Flags().Changed("template") {
				p.Template = template
			}
			var r control.PerformResult
			if err := a.call(cmd.Context(), control.MethodStatusBarClick, p, &r); err != nil {
				return err
			}
			return printOutcome(cmd, r, "no plugin handles what "+args[0]+" does")
		},
	}
	cmd.Flags().IntVar(&button, "button", 1, "1 left, 2 middle, 3 right, 4 and 5 the wheel")
	return cmd
}
