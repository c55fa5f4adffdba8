package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual pages are written directly: the packages that turn commands into
// Markdown and that into a page initialize for more than a millisecond, which
// every start of flash would pay.

// manPage writes the manual page of one command.
func manPage(w io.Writer, cmd *cobra.Command, version string) error {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	name := pageName(cmd)
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Flash\"\n", strings.ToUpper(name), "flash "+version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, about)
	if list := pages(cmd); len(list) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range list {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(c.Name()), roff(c.Short))
		}
	}
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, pageName(cmd.Parent()))
	}
	for _, c := range pages(cmd) {
		also = append(also, pageName(c))
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, page := range also {
			end := ","
			if i == len(also)-1 {
				end = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(page), end)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// manPages writes the pages of a command and all below it into a folder.
func manPages(dir string, cmd *cobra.Command, version string) error {
	f, err := os.Create(filepath.Join(dir, pageName(cmd)+".1"))
	if err != nil {
		return err
	}
	err = manPage(f, cmd, version)
	if closed := f.Close(); err == nil {
		err = closed
	}
	for _, c := range pages(cmd) {
		if err == nil {
			err = manPages(dir, c, version)
		}
	}
	return err
}

// pages are the commands below cmd that have a page of their own.
func pages(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manText writes paragraphs. Lines that begin with a space, lists and examples,
// keep their breaks.
func manText(b *strings.Builder, text string) {
	verbatim := false
	for line := range strings.SplitSeq(text, "\n") {
		if kept := strings.HasPrefix(line, " "); kept != verbatim {
			verbatim = kept
			if kept {
				b.WriteString(".nf\n")
			} else {
				b.WriteString(".fi\n")
			}
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// roff escapes what means something to the formatter.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
