package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
)

// Options are what a flashlight is opened with.
type Options struct {
	Dial    func(context.Context) (*control.Client, error)
	Version string
	Text    string   // what the prompt begins with
	Plain   bool     // lines instead of a screen
	Painted func()   // runs when the first frame stands, or at once where there is none; may be nil
	In, Out *os.File // the terminal
	Env     []string // in the form of os.Environ
}

// ErrNoTerminal says that there is no terminal to open in.
var ErrNoTerminal = errors.New("no terminal")

// ErrInterrupted says that Ctrl-C closed it.
var ErrInterrupted = errors.New("interrupted")

// Open shows the flashlight until it is closed. Closed without a choice is no error.
func Open(ctx context.Context, o Options) error {
	env := lookup(o.Env)
	if o.Painted == nil {
		o.Painted = func() {}
	}
	if o.Plain || env("TERM") == "dumb" {
		o.Painted()
		return openPlain(ctx, o)
	}
	if !term.IsTerminal(int(o.In.Fd())) || !term.IsTerminal(int(o.Out.Fd())) {
		return fmt.Errorf("%w here: the flashlight needs one for its keys and its screen; `flash query TEXT` asks without one, and --plain reads lines", ErrNoTerminal)
	}
	width, height, err := term.GetSize(int(o.Out.Fd()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var program *tea.Program
	l := &link{ctx: ctx, env: env, feed: newFeed(o.Dial, o.Version, func(msg any) { program.Send(msg) })}
	var feeding sync.WaitGroup
	out := &painted{File: o.Out}
	start := func() tea.Msg {
		feeding.Go(func() { l.run(ctx) })
		return nil
	}
	m := newFlashlight(newScreen(width, height, env), l, o.Text, start)
	l.feed.input = m.input()
	if err := out.paint(m.View(), firstProfile(env, o.Env)); err != nil {
		return err
	}
	o.Painted()
	program = newProgram(ctx, m, o.In, out, o.Env)
	_, err = program.Run()
	out.leave()
	cancel()
	feeding.Wait()
	switch {
	case m.ended.interrupted:
		return ErrInterrupted
	case err != nil:
		return ended(err)
	case m.ended.message != "":
		fmt.Fprintln(o.Out, printable.Line(m.ended.message))
	}
	return m.offline
}

// fps is the most that the renderer does: a change waits 8 ms for its frame.
const fps = 120

// painted is a terminal that shows its first frame before anything else is
// begun: the program that draws the later ones takes half as long to be made as
// all that comes before it, and then waits for the first beat of its clock.
type painted struct {
	*os.File
	taken bool // the program draws; until its first frame only one goroutine writes
}

const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
)

func (p *painted) paint(v tea.View, colors colorprofile.Profile) error {
	var b bytes.Buffer
	b.WriteString(enterScreen + "\x1b[H\x1b[2J")
	w := colorprofile.Writer{Forward: &b, Profile: colors}
	if _, err := w.WriteString(v.Content); err != nil {
		return err
	}
	if v.Cursor != nil {
		fmt.Fprintf(&b, "\x1b[%d;%dH", v.Cursor.Y+1, v.Cursor.X+1)
	}
	_, err := p.File.Write(b.Bytes())
	return err
}

// Write is the program's. Its first frame enters the screen that is already
// there: some terminals would then forget where the cursor was before.
func (p *painted) Write(b []byte) (int, error) {
	if p.taken || !bytes.Contains(b, []byte(enterScreen)) {
		return p.File.Write(b)
	}
	p.taken = true
	if _, err := p.File.Write(bytes.Replace(b, []byte(enterScreen), nil, 1)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// leave gives the terminal back if the program never came to draw on it.
func (p *painted) leave() {
	if !p.taken {
		_, _ = p.File.WriteString(leaveScreen)
	}
}

// newProgram wires a model to a terminal. ctx ends it; signals are the caller's.
func newProgram(ctx context.Context, m tea.Model, in *os.File, out io.Writer, env []string) *tea.Program {
	return tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(fps),
		tea.WithEnvironment(env), tea.WithColorProfile(profile(env)), tea.WithoutSignalHandler())
}

// ended is the error of a program that was ended from outside.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return ErrInterrupted
	}
	return err
}

// profile is how many colours the terminal has. No other program is asked: that
// would hold up the first frame.
func profile(env []string) colorprofile.Profile {
	get := lookup(env)
	p := firstProfile(get, env)
	if p <= colorprofile.ASCII {
		return p
	}
	return max(p, colorprofile.Terminfo(get("TERM")))
}

// firstProfile is what the environment alone says of it. The terminal's
// description is a file to be found and read, which the first frame need not
// wait for: the second one is whole, and in all the colours there are.
func firstProfile(get func(string) string, env []string) colorprofile.Profile {
	if get("NO_COLOR") != "" {
		return colorprofile.ASCII
	}
	return colorprofile.Env(env)
}

func lookup(env []string) func(string) string {
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if e := env[i]; len(e) > len(name) && e[len(name)] == '=' && e[:len(name)] == name {
				return e[len(name)+1:]
			}
		}
		return ""
	}
}

// link is the resident and the terminal as the flashlight asks them.
type link struct {
	*feed
	ctx context.Context
	env func(string) string
}

func (l *link) act(e control.SessionEntry) tea.Cmd {
	return func() tea.Msg { return l.feed.act(l.ctx, e) }
}

func (l *link) actions(e control.SessionEntry) tea.Cmd {
	return func() tea.Msg { return l.feed.actions(l.ctx, e) }
}

func (l *link) copy(text string) tea.Cmd {
	return func() tea.Msg {
		if err := tmuxCopy(l.ctx, l.env, text); err == nil {
			return copiedMsg{"copied by tmux, as flash has no clipboard here"}
		}
		if len(text) > maxTerminalCopy {
			return copiedMsg{fmt.Sprintf("not copied: flash has no clipboard here, and terminals take %d bytes at most", maxTerminalCopy)}
		}
		return tea.Sequence(tea.SetClipboard(text), func() tea.Msg {
			return copiedMsg{"copied by the terminal (OSC 52), if it allows that: flash has no clipboard here"}
		})()
	}
}
