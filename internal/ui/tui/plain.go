package tui

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/printable"
	"github.com/flash-launcher/flash/internal/ui/choose"
)

const plainHelp = `Type a search and press Return. A number chooses that line, "2?" says what else can be done
with line 2, "2 copy" does it, "more" goes on with the list. An empty line leaves.`

// plainPage is how many lines are read out before "more" is asked for.
const plainPage = 10

// plain is the flashlight as lines: each change is one line, nothing that was
// read out is ever moved or rewritten.
type plain struct {
	out      io.Writer
	link     *link
	terminal bool

	generation uint64
	text       string
	view       control.SessionView
	lines      []control.Entry // as numbered
	here       []bool          // line still stands in the list
	said       map[string]bool // notices
	page       int             // lines to read out so far
	settled    bool            // the end of the list was said
	actions    []control.SessionAction
	actionsOf  int // line that actions are of, from 0
	acting     bool
	offline    error
}

// openPlain reads lines from in until an empty one, its end, or a choice.
func openPlain(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	msgs := make(chan any)
	tell := func(msg any) {
		select {
		case msgs <- msg:
		case <-ctx.Done():
		}
	}
	p := &plain{
		out: o.Out, terminal: term.IsTerminal(int(o.In.Fd())),
		link:       &link{ctx: ctx, env: lookup(o.Env), feed: newFeed(o.Dial, o.Version, tell)},
		generation: 1, text: o.Text, page: plainPage, said: map[string]bool{},
	}
	p.link.input = control.SessionInput{Generation: p.generation, Text: p.text}
	if p.terminal {
		p.say("%s", plainHelp)
	}
	var feeding sync.WaitGroup
	defer feeding.Wait()
	defer cancel()
	feeding.Go(func() { p.link.run(ctx) })
	lines := make(chan string)
	// The reader ends with the process: a read of a terminal cannot be called off.
	go func() {
		defer close(lines)
		in := bufio.NewScanner(o.In)
		for in.Scan() {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return p.loop(ctx, lines, msgs, tell)
}

func (p *plain) loop(ctx context.Context, lines <-chan string, msgs <-chan any, tell func(any)) error {
	for {
		// A line means what the line before it showed, so it is read once that
		// is known. Who types may go on as soon as there is something.
		in := lines
		if !p.terminal && !p.rest() || p.acting {
			in = nil
		}
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case line, ok := <-in:
			if !ok || strings.TrimSpace(line) == "" {
				return p.offline
			}
			p.take(line, tell)
		case msg := <-msgs:
			if done, err := p.hear(msg); done {
				return err
			}
		}
	}
}

// rest says whether the list of the input as it stands is complete.
func (p *plain) rest() bool { return p.view.Generation == p.generation && !p.view.Pending }

func (p *plain) say(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// take takes a line that was typed.
func (p *plain) take(line string, tell func(any)) {
	number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	asked := strings.HasSuffix(number, "?")
	n, err := strconv.Atoi(strings.TrimSuffix(number, "?"))
	switch {
	case strings.TrimSpace(line) == "more" && len(p.lines) < len(p.view.Entries):
		p.page += plainPage
		p.settled = false
		p.read()
	case err != nil || n < 1 || n > len(p.lines) || rest != "" && !p.isAction(n, rest):
		p.search(line)
	case !p.here[n-1]:
		p.say("line %d is gone", n)
	case asked:
		e := p.entry(n)
		go func() { tell(p.link.feed.actions(p.link.ctx, e)) }()
		p.actionsOf, p.acting = n-1, true
	case p.lines[n-1].Kind == control.KindCompletion:
		p.search(p.lines[n-1].Value)
	default:
		e := p.entry(n)
		e.Action = rest
		p.acting = true
		go func() { tell(p.link.feed.act(p.link.ctx, e)) }()
	}
}

func (p *plain) entry(n int) control.SessionEntry {
	return control.SessionEntry{SessionInput: control.SessionInput{Generation: p.generation, Text: p.text}, Entry: p.lines[n-1].ID}
}

// isAction says whether word is something to do with line n, so that "2 copy"
// acts and "2 cities" searches.
func (p *plain) isAction(n int, word string) bool {
	return word == "copy" || p.actionsOf == n-1 && slices.ContainsFunc(p.actions, func(a control.SessionAction) bool { return a.ID == word })
}

func (p *plain) search(text string) {
	p.generation++
	p.text, p.lines, p.here, p.page, p.settled = text, nil, nil, plainPage, false
	p.said, p.actions = map[string]bool{}, nil
	p.say("searching %s", printable.Line(text))
	p.link.update(control.SessionInput{Generation: p.generation, Text: text})
}

// hear takes what the resident told; done ends the flashlight.
func (p *plain) hear(msg any) (done bool, err error) {
	switch msg := msg.(type) {
	case connectedMsg:
		if msg.err != nil && (p.offline == nil || p.offline.Error() != msg.err.Error()) {
			p.offline = msg.err
			if !p.terminal {
				return true, msg.err
			}
			p.say("%s", printable.Line(msg.err.Error()))
		}
		if msg.err == nil {
			p.offline = nil
		}
	case viewMsg:
		if msg.Generation == p.generation {
			p.view = *msg
			p.read()
		}
	case actionsMsg:
		p.acting = false
		if msg.err != nil {
			p.say("%s", printable.Line(msg.err.Error()))
			break
		}
		p.actions = msg.actions.Actions
		for _, a := range p.actions {
			if a.ID == "" {
				p.say("%d: %s", p.actionsOf+1, printable.Line(a.Title))
			} else {
				p.say("%d %s: %s", p.actionsOf+1, a.ID, printable.Line(a.Title))
			}
		}
	case actedMsg:
		p.acting = false
		return p.acted(msg)
	}
	return false, nil
}

func (p *plain) acted(msg actedMsg) (done bool, err error) {
	r := msg.acted.Result
	switch {
	case msg.err != nil:
		p.say("%s", printable.Line(msg.err.Error()))
	case !msg.acted.Ran:
		p.say("that is gone")
	case msg.acted.Completion != "":
		p.search(msg.acted.Completion)
	case msg.acted.Copy != "":
		if tmuxCopy(p.link.ctx, p.link.env, msg.acted.Copy) == nil {
			p.say("copied by tmux, as flash has no clipboard here")
		} else {
			p.say("flash has no clipboard here; the text is: %s", printable.Line(msg.acted.Copy))
		}
		return true, nil
	case r.Unhandled:
		p.say("no plugin knows what to do with this")
	case !r.OK:
		p.say("failed: %s", printable.Line(cmp.Or(r.Error, "without a word")))
	default:
		p.say("%s", printable.Line(cmp.Or(r.Message, "done")))
		return true, nil
	}
	return false, nil
}

// read reads out what is new in the view.
func (p *plain) read() {
	for i := range p.here {
		at := slices.IndexFunc(p.view.Entries, func(e control.Entry) bool { return e.ID == p.lines[i].ID })
		switch {
		case p.here[i] && at < 0:
			p.say("line %d is gone: %s", i+1, printable.Line(p.lines[i].Title))
		case at >= 0 && p.view.Entries[at].Title != p.lines[i].Title:
			p.lines[i] = p.view.Entries[at]
			p.say("line %d is now: %s", i+1, spoken(p.lines[i]))
		}
		p.here[i] = at >= 0
	}
	for _, n := range p.view.Notices {
		text := printable.Line(strings.TrimPrefix(n.Plugin+": "+n.Text, ": "))
		if !p.said[text] {
			p.said[text] = true
			p.say("note: %s", text)
		}
	}
	for _, e := range p.view.Entries {
		if len(p.lines) >= p.page {
			break
		}
		if !slices.ContainsFunc(p.lines, func(o control.Entry) bool { return o.ID == e.ID }) {
			p.lines, p.here = append(p.lines, e), append(p.here, true)
			p.say("%d: %s", len(p.lines), spoken(e))
		}
	}
	if p.settled || p.view.Pending {
		return
	}
	p.settled = true
	switch more := len(p.view.Entries) - len(p.lines); {
	case len(p.view.Entries) == 0 && len(p.view.Notices) == 0 && p.text != "":
		p.say("%s", plainly(choose.Empty(p.text, true, false)))
	case more > 0:
		p.say("%d more", more)
	case len(p.lines) > 0:
		p.say("that is all")
	}
}

// plainly is a sentence as plain mode says it: a line, not a sentence.
func plainly(sentence string) string {
	return strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
}

// spoken is an entry as one line to read out.
func spoken(e control.Entry) string {
	parts := []string{printable.Line(e.Title)}
	if e.Subtitle != "" {
		parts = append(parts, printable.Line(e.Subtitle))
	}
	switch e.Kind {
	case control.KindAnswer:
		parts = append(parts, "answer of "+e.Plugin)
	case control.KindCompletion:
		parts = append(parts, "goes on with "+printable.Line(e.Value))
	case control.KindRow:
		if e.Source != "" {
			parts = append(parts, "in "+strings.TrimPrefix(e.Source, "core."))
		}
	}
	return strings.Join(parts, ", ")
}
