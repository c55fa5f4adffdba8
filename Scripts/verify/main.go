// Command verify checks on a Mac what can only be checked there, with the real
// seatbelt, window server and accessibility, and writes a report of it.
// Scripts/verify-macos builds and starts it.
//
// It runs the Flash under test in a home of its own, beside the user's. What it
// cannot do by itself is in the report as something to do by hand; what it did
// not run to its end is in there as skipped, with the reason.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitCannot      = 2 // wrong use, or no Mac
	exitInterrupted = 130
)

const usage = `usage: Scripts/verify-macos [flags]

Checks on this Mac what can only be checked there, and writes a report. It asks
for the permissions that it needs; leave keyboard and mouse alone meanwhile, since
it opens the panel, posts keys and moves the pointer.

`

// options are the command line's.
type options struct {
	list, dryRun, yes, noGrants bool
	identity, flash, out        string
	selection                   selection
	args                        []string
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{args: append([]string{}, args...)}
	var only, not string
	f := flag.NewFlagSet("verify-macos", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
	}
	f.BoolVar(&o.list, "list", false, "print the checks, how each is made and what it needs, and check nothing")
	f.BoolVar(&o.dryRun, "dry-run", false, "go through the plan and print its report without running anything")
	f.BoolVar(&o.yes, "yes", false, "ask nobody; what a missing permission keeps from being checked is skipped")
	f.BoolVar(&o.noGrants, "no-grants", false, "skip what needs a permission")
	f.StringVar(&o.identity, "identity", "-", "signing identity; - signs ad hoc")
	f.StringVar(&o.flash, "flash", "", "check this flash, such as that of an installed bundle, and build none")
	f.StringVar(&o.out, "out", filepath.Join("dist", "verify-macos"), "folder for the report")
	f.StringVar(&only, "only", "", "checks to make, by name or pattern, with commas between: sandbox,pointer.*; what they need is made too")
	f.StringVar(&not, "skip", "", "checks to leave out")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", f.Arg(0))
	}
	o.selection = selection{only: words(only), not: words(not)}
	for _, p := range append(words(only), words(not)...) {
		if _, err := filepath.Match(p, ""); err != nil {
			return o, fmt.Errorf("%q: %w", p, err)
		}
	}
	return o, nil
}

func words(s string) (out []string) {
	for w := range strings.SplitSeq(s, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == recorderWord {
		record()
	}
	os.Exit(run(os.Args[1:], runtime.GOOS, os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, goos string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "verify-macos:", err)
		return exitCannot
	}
	all := plan(o.flash == "")
	if o.list {
		list(stdout, all)
		return exitOK
	}
	if o.dryRun {
		r := report{SchemaVersion: 1, Date: time.Now(), Identity: o.identity, Options: o.args, Complete: true}
		r.take(dry(all))
		_ = r.json(stdout)
		return exitOK
	}
	if goos != "darwin" {
		fmt.Fprintln(stderr, "verify-macos: this is not macOS, and nothing here can stand in for it. -list shows what is checked there, -dry-run the form of the report; Scripts/darwin-check/run compiles and links the macOS side here.")
		return exitCannot
	}
	code, err := verify(o, all, stdin, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "verify-macos:", err)
		return exitCannot
	}
	return code
}

func list(w io.Writer, all []check) {
	for _, c := range all {
		fmt.Fprintf(w, "%-24s %s\n", c.id, c.title)
		if c.run == nil {
			fmt.Fprintf(w, "%-24s   by hand: %s\n", "", c.by)
			continue
		}
		fmt.Fprintf(w, "%-24s   %s\n", "", c.does)
		if len(c.needs) > 0 {
			fmt.Fprintf(w, "%-24s   needs %s\n", "", strings.Join(c.needs, ", "))
		}
	}
}

// dry is the report of a run that ran nothing.
func dry(all []check) (out []entry) {
	for _, c := range all {
		e := entry{ID: c.id, Title: c.title, Result: skipped, Reason: "dry run; it would use " + c.does}
		if c.run == nil {
			e.Result, e.Reason, e.Instructions = manual, "", c.by
		}
		out = append(out, e)
	}
	return out
}

// verify makes the checks, writes the report and leaves nothing else behind.
func verify(o options, all []check, stdin io.Reader, stdout io.Writer) (code int, err error) {
	// A second Ctrl-C ends this program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	root, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	// Below /tmp and not $TMPDIR, whose name is too long for the path of a socket.
	base, err := os.MkdirTemp("/tmp", "fv-")
	if err != nil {
		return 0, err
	}
	s, err := newSession(runtime.GOOS, root, base, os.Environ())
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(base))
	}
	s.hand, s.identity, s.yes, s.noGrants = newHand(), o.identity, o.yes, o.noGrants
	s.ask, s.say = asker(ctx, stdin, stdout), func(text string) { fmt.Fprintln(stdout, text) }
	if o.flash != "" {
		if s.flash, err = filepath.Abs(o.flash); err != nil {
			return 0, err
		}
	}
	r := report{SchemaVersion: 1, Date: time.Now(), Identity: o.identity, Options: o.args}
	describe(ctx, s, &r)
	r.take(execute(ctx, all, o.selection, s,
		func(c check) { fmt.Fprintf(stdout, "         %s: %s\n", c.id, c.does) },
		func(e entry) {
			if e.Result != manual {
				fmt.Fprintln(stdout, e.line())
			}
		}))
	r.Complete = ctx.Err() == nil
	if v := s.call(context.WithoutCancel(ctx), "version"); v.ok() {
		r.Flash = strings.TrimPrefix(strings.TrimSpace(v.stdout), "flash ")
	}
	undone := s.close()
	paths, err := r.write(o.out)
	fmt.Fprintf(stdout, "\n%s\n", r.Summary)
	for _, p := range paths {
		fmt.Fprintln(stdout, p)
	}
	return r.exitCode(), errors.Join(err, undone)
}

// asker reads answers from the terminal without holding up Ctrl-C.
func asker(ctx context.Context, stdin io.Reader, stdout io.Writer) func(string) (string, error) {
	lines := bufio.NewReader(stdin)
	return func(question string) (string, error) {
		fmt.Fprint(stdout, question)
		type reply struct {
			text string
			err  error
		}
		got := make(chan reply, 1)
		go func() {
			text, err := lines.ReadString('\n')
			got <- reply{text, err}
		}()
		select {
		case r := <-got:
			return r.text, r.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// describe says what was checked where. What cannot be told stays empty.
func describe(ctx context.Context, s *session, r *report) {
	first := func(argv ...string) string {
		line, _, _ := strings.Cut(strings.TrimSpace(s.brief(ctx, argv...).stdout), "\n")
		return line
	}
	r.Commit = first("git", "rev-parse", "HEAD")
	r.Modified = first("git", "status", "--porcelain", "--untracked-files=no") != ""
	r.Machine = machine{
		OS: first("sw_vers", "-productName"), Version: first("sw_vers", "-productVersion"), Build: first("sw_vers", "-buildVersion"),
		Arch: first("uname", "-m"), Model: first("sysctl", "-n", "hw.model"), CPU: first("sysctl", "-n", "machdep.cpu.brand_string"),
		Go: first("go", "env", "GOVERSION"),
	}
}
