package cli

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop/session"
	"github.com/flash-launcher/flash/internal/ui/tui"
)

// Exit codes of the flashlight and its picker, where they are not those of
// every verb: the ones that scripts know from other pickers.
const (
	ExitNothing     = 1   // the picker: nothing was chosen
	ExitInterrupted = 130 // Ctrl-C
)

func (a *app) openCmd() *cobra.Command {
	var inTerminal, plain, stdin, toggle bool
	var text string
	pick := tui.PickOptions{}
	cmd := &cobra.Command{
		Use:   "open [TEXT]",
		Short: "Open the flashlight, or pick one of the lines on stdin",
		Long: `Open the flashlight: its window where this session has a display, else in this terminal, and
with --tui always there. TEXT is what the prompt begins with. Type to search; Enter takes the selected line, Ctrl-K shows what else
can be done with it, Tab completes @source, !bang and :command, Esc closes.

With --plain it reads lines and prints one line per change, for screen readers and terminals
that cannot move the cursor.

With --stdin it picks among the lines on standard input and prints the chosen one, without a
resident: exit code 0 when something was chosen, 1 when nothing was, 130 after Ctrl-C.`,
		Example: "  flash open '@tmux '\n  git branch --format '%(refname:short)' | flash open --stdin --prompt 'branch> '\n  find . -name '*.go' | flash open --stdin --multi --print0 | xargs -0 wc -l",
		Args:    usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if cmd.Flags().Changed("query") {
					return fail(ExitUsage, "open: say TEXT or --query, not both")
				}
				text = strings.Join(args, " ")
			}
			if stdin {
				a.heed()
			} else {
				for _, name := range []string{"prompt", "multi", "print0"} {
					if cmd.Flags().Changed(name) {
						return fail(ExitUsage, "open: --%s goes with --stdin", name)
					}
				}
				if !inTerminal && !plain {
					shown, err := a.openPanel(cmd.Context(), text, toggle)
					if shown || err != nil {
						return err
					}
				}
				return closed(tui.Open(cmd.Context(), tui.Options{
					Dial: a.dial, Version: a.Version, Text: text, Plain: plain, Painted: a.heed,
					In: os.Stdin, Out: os.Stdout, Env: os.Environ(),
				}))
			}
			if plain {
				return fail(ExitUsage, "open: --plain does not go with --stdin")
			}
			pick.In, pick.Out, pick.Text, pick.Env = os.Stdin, cmd.OutOrStdout(), text, os.Environ()
			return closed(tui.Pick(cmd.Context(), pick))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&inTerminal, "tui", false, "in this terminal, also where there is a panel")
	f.BoolVar(&toggle, "toggle", false, "close the window if it is open, as a hot key does")
	f.BoolVar(&plain, "plain", false, "read lines and print one line per change")
	f.StringVar(&text, "query", "", "what the prompt begins with, as TEXT does")
	f.BoolVar(&stdin, "stdin", false, "pick among the lines on standard input")
	f.StringVar(&pick.Prompt, "prompt", "", "with --stdin: what stands before the text that is typed")
	f.BoolVar(&pick.Multi, "multi", false, "with --stdin: Tab marks, and all marked lines are printed")
	f.BoolVar(&pick.Print0, "print0", false, "with --stdin: end each printed line with NUL instead of a line feed")
	return cmd
}

// openPanel opens the resident's window, where this session has a display. It is
// not shown, without an error, where this terminal is the next best place.
func (a *app) openPanel(ctx context.Context, text string, toggle bool) (shown bool, err error) {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" && runtime.GOOS != "darwin" {
		return false, nil
	}
	err = a.call(ctx, control.MethodPanel, control.PanelParams{Text: text, Toggle: toggle, Session: session.Offer(os.Environ())}, nil)
	if err == nil {
		return true, nil
	}
	if isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		return false, nil
	}
	return false, err
}

// closed gives the ways in which a flashlight closes their exit codes.
func closed(err error) error {
	switch {
	case errors.Is(err, tui.ErrInterrupted):
		return &exitError{code: ExitInterrupted, err: err, quiet: true}
	case errors.Is(err, tui.ErrNothing):
		return &exitError{code: ExitNothing, err: err, quiet: true}
	case errors.Is(err, tui.ErrNoTerminal):
		return &exitError{code: ExitUsage, err: err}
	}
	return err
}
