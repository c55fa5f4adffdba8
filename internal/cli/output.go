package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
)

// printJSON writes v as one indented document; <, > and & stay literal.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// table writes rows in aligned columns on a terminal and tab-separated in a
// pipe, where `cut -f` and `awk` read them.
func table(w io.Writer, header []string, rows [][]string) {
	clean := func(cells []string) string {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = printable.Line(c)
		}
		return strings.Join(out, "\t") + "\n"
	}
	if !isTerminal(w) {
		for _, r := range rows {
			fmt.Fprint(w, clean(r))
		}
		return
	}
	if len(rows) == 0 {
		return
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprint(tw, clean(header))
	for _, r := range rows {
		fmt.Fprint(tw, clean(r))
	}
	tw.Flush()
}

// printOutcome says how an act ended: its message, or what went wrong.
func printOutcome(cmd *cobra.Command, r control.PerformResult, unhandled string) error {
	switch {
	case r.Unhandled:
		return fail(ExitFailure, "%s: %s", verbName(cmd), unhandled)
	case !r.OK:
		return fail(ExitFailure, "%s: %s", verbName(cmd), r.Error)
	case r.Message != "":
		fmt.Fprintln(cmd.OutOrStdout(), r.Message)
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is how many columns w shows, 0 where it is no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func mebibytes(kib int64) string {
	if kib <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(kib)/1024)
}
