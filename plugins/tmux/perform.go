package tmux

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

const (
	textGone    = "this tmux server is gone; start it again with `tmux new`"
	textWindow  = "this tmux window is gone; the list is up to date again"
	textNobody  = "no terminal is attached to tmux; run `tmux attach` in one"
	textSilent  = "tmux does not answer; look whether its server is stopped, or end it with `tmux kill-server`"
	textNoName  = "say the name"
	textOneName = "say exactly one window: session:index, session:name or @id"
)

func (p *plugin) perform(ctx context.Context, h *sdk.Host, r protocol.Perform) protocol.Outcome {
	if !p.setup(h) {
		return protocol.Unhandled()
	}
	switch r.Kind {
	case protocol.PerformResolve:
		if t, ok := p.rowTarget(r.Row); ok {
			return p.show(ctx, t)
		}
	case protocol.PerformNavigate:
		if strings.HasPrefix(r.URL, "tmux:") {
			return p.goTo(ctx, r.URL)
		}
	case protocol.PerformCommand:
		if r.Command == command {
			return p.command(ctx, r.Subcommand, r.Args)
		}
	case protocol.PerformAction:
		return p.action(ctx, r)
	}
	return protocol.Unhandled()
}

// rowTarget takes the window from a row of ours. The server is nil when it went.
func (p *plugin) rowTarget(row protocol.Row) (target, bool) {
	get := func(key string) string { v, _ := row.Metadata.Get(key); return v }
	w := window{sessionID: get(metaSession), id: get(metaWindow), instance: get(metaInstance)}
	if row.Source != source || !isID(w.sessionID, '$') || !isID(w.id, '@') {
		return target{}, false
	}
	return target{p.serverNamed(get(metaServer)), w}, true
}

func (p *plugin) command(ctx context.Context, word string, args []string) protocol.Outcome {
	name := strings.Join(args, " ")
	switch word {
	case "select":
		if name == "" {
			return protocol.Failed(textNoName)
		}
		return p.goTo(ctx, name)
	case "kill-window":
		if len(args) != 1 {
			return protocol.Failed(textOneName)
		}
		t, problem := p.find(args[0], exactly)
		if problem != "" {
			return protocol.Failed(problem)
		}
		return p.killWindow(ctx, t)
	case "kill-session":
		return p.killSession(ctx, args)
	case "refresh":
		return p.refresh(ctx)
	case "last", "new", "rename", "rename-session", "new-session":
	default:
		return protocol.Failed("unsupported subcommand: " + word)
	}
	here, ok := p.here()
	if !ok {
		return protocol.Failed(p.nobody())
	}
	if name == "" && word != "last" && word != "new" {
		return protocol.Failed(textNoName)
	}
	switch word {
	case "last":
		return p.step(ctx, here, "last-window")
	case "new":
		return p.newWindow(ctx, here, name)
	case "rename":
		return p.quiet(ctx, here, "rename-window", "-t", here.window.at(), "--", literal(name))
	case "rename-session":
		return p.quiet(ctx, here, "rename-session", "-t", here.window.sessionID, "--", literal(name))
	}
	return p.newSession(ctx, here, name)
}

// at names a window to tmux within its session.
func (w window) at() string { return w.sessionID + ":" + w.id }

// here is where the user is: the window that the terminal used last shows.
type here struct {
	target
	client client
}

func (p *plugin) here() (here, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := currentOf(p.views())
	if !ok {
		return here{}, false
	}
	for _, s := range p.servers {
		if s.name == at.view && s.host == "" {
			return here{target{s, at.window}, at.client}, true
		}
	}
	return here{}, false
}

// nobody says why there is no current window.
func (p *plugin) nobody() string {
	if len(p.targets()) == 0 {
		return textServers
	}
	return textNobody
}

func (p *plugin) goTo(ctx context.Context, text string) protocol.Outcome {
	t, problem := p.find(text, loosely)
	if problem != "" {
		return protocol.Failed(problem)
	}
	return p.show(ctx, t)
}

// show selects a window in the terminal that shows its session, or else in the
// one used last, and has the host raise that terminal.
func (p *plugin) show(ctx context.Context, t target) protocol.Outcome {
	if problem := p.reachable(ctx, t); problem != "" {
		return protocol.Failed(problem)
	}
	c, ok := t.server.viewer(t.window.sessionID)
	if !ok {
		if _, err := t.server.tmux(ctx, "select-window", "-t", t.window.at()); err != nil {
			return p.failed(t.server, err)
		}
		await(ctx, t.server)
		return protocol.Done("selected, but no terminal is attached to this tmux server; run `tmux attach` in one")
	}
	if _, err := t.server.tmux(ctx, "switch-client", "-E", "-c", c.name, "-t", t.window.at()); err != nil {
		return p.failed(t.server, err)
	}
	await(ctx, t.server)
	return p.raised(ctx, t.server, c)
}

func (p *plugin) raised(ctx context.Context, s *server, c client) protocol.Outcome {
	if s.host != "" {
		return protocol.Done("") // a process of another machine
	}
	return protocol.Outcome{OK: true, TargetPID: p.raise(ctx, c)}
}

// reachable says what stands between here and a window, "" for nothing. A server
// that died answers at once: it is not even asked.
func (p *plugin) reachable(ctx context.Context, t target) string {
	if t.server == nil {
		return textGone
	}
	if t.server.host == "" {
		if is, _ := probe(t.server.socket); is == dead {
			t.server.read()
			return textGone
		}
	}
	if !t.server.still(t.window) {
		await(ctx, t.server)
		if !t.server.still(t.window) {
			return textWindow
		}
	}
	return ""
}

// await reads a server, so that what was done shows before it is reported.
func await(ctx context.Context, s *server) {
	select {
	case <-s.read():
	case <-ctx.Done():
	}
}

// failed tells what went wrong without anything of the user's in it.
func (p *plugin) failed(s *server, err error) protocol.Outcome {
	s.read()
	if s.host == "" {
		if is, _ := probe(s.socket); is == dead {
			return protocol.Failed(textGone)
		}
	}
	var ended *commandError
	switch {
	case errors.Is(err, errGone):
		return protocol.Failed(textGone)
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return protocol.Failed(textSilent)
	case errors.As(err, &ended):
		return protocol.Failed("tmux refused: " + ended.Error())
	}
	return protocol.Failed(err.Error())
}

// quiet runs a command that changes what is listed and raises nothing.
func (p *plugin) quiet(ctx context.Context, h here, args ...string) protocol.Outcome {
	if problem := p.reachable(ctx, h.target); problem != "" {
		return protocol.Failed(problem)
	}
	if _, err := h.server.tmux(ctx, args...); err != nil {
		return p.failed(h.server, err)
	}
	await(ctx, h.server)
	return protocol.Done("")
}

// step changes the window within the session of a terminal.
func (p *plugin) step(ctx context.Context, h here, word string) protocol.Outcome {
	if problem := p.reachable(ctx, h.target); problem != "" {
		return protocol.Failed(problem)
	}
	_, err := h.server.tmux(ctx, word, "-t", h.window.sessionID+":")
	var ended *commandError
	if errors.As(err, &ended) && h.server.still(h.window) {
		return protocol.Failed("this session has no other window to go to")
	}
	if err != nil {
		return p.failed(h.server, err)
	}
	await(ctx, h.server)
	return p.raised(ctx, h.server, h.client)
}

func (p *plugin) newWindow(ctx context.Context, h here, name string) protocol.Outcome {
	if problem := p.reachable(ctx, h.target); problem != "" {
		return protocol.Failed(problem)
	}
	args := []string{"new-window", "-t", h.window.sessionID + ":", "-c", "#{pane_current_path}"}
	if name != "" {
		args = append(args, "-n", literal(name))
	}
	if _, err := h.server.tmux(ctx, args...); err != nil {
		return p.failed(h.server, err)
	}
	await(ctx, h.server)
	return p.raised(ctx, h.server, h.client)
}

func (p *plugin) newSession(ctx context.Context, h here, name string) protocol.Outcome {
	if problem := p.reachable(ctx, h.target); problem != "" {
		return protocol.Failed(problem)
	}
	args := []string{"new-session", "-d", "-E", "-P", "-F", "#{session_id}", "-s", literal(name)}
	if dir := os.Getenv("HOME"); dir != "" {
		args = append(args, "-c", literal(dir))
	}
	out, err := h.server.tmux(ctx, args...)
	if err != nil {
		return p.failed(h.server, err)
	}
	id := strings.TrimSpace(string(out))
	if _, err := h.server.tmux(ctx, "switch-client", "-E", "-c", h.client.name, "-t", id); err != nil {
		return p.failed(h.server, err)
	}
	await(ctx, h.server)
	return p.raised(ctx, h.server, h.client)
}

func (p *plugin) killWindow(ctx context.Context, t target) protocol.Outcome {
	if problem := p.reachable(ctx, t); problem != "" {
		return protocol.Failed(problem)
	}
	if _, err := t.server.tmux(ctx, "kill-window", "-t", t.window.at()); err != nil {
		return p.failed(t.server, err)
	}
	await(ctx, t.server)
	return protocol.Done("window closed")
}

// killSession ends the one session that has exactly this name.
func (p *plugin) killSession(ctx context.Context, args []string) protocol.Outcome {
	if len(args) != 1 {
		return protocol.Failed("say exactly one session by its name")
	}
	t, problem := only(p.targets(), func(w window) bool { return w.active && (w.session == args[0] || w.sessionID == args[0]) })
	if problem == "" {
		problem = p.reachable(ctx, t)
	}
	if problem != "" {
		return protocol.Failed(problem)
	}
	if _, err := t.server.tmux(ctx, "kill-session", "-t", t.window.sessionID); err != nil {
		return p.failed(t.server, err)
	}
	await(ctx, t.server)
	return protocol.Done("session closed")
}

// refresh reads everything and reports what there is.
func (p *plugin) refresh(ctx context.Context) protocol.Outcome {
	p.discover()
	p.mu.Lock()
	servers := p.list()
	p.mu.Unlock()
	waits := make([]<-chan struct{}, 0, len(servers))
	for _, s := range servers {
		waits = append(waits, s.read())
	}
	for _, done := range waits {
		select {
		case <-done:
		case <-ctx.Done():
			return protocol.Failed(textSilent)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	running, failing := 0, 0
	for _, s := range servers {
		if s.known {
			running++
		}
		if !s.due.IsZero() || s.failures == len(retrySteps) {
			failing++
		}
	}
	switch {
	case failing > 0:
		return protocol.Failed(strconv.Itoa(failing) + " tmux servers do not answer; look whether they are stopped, or end them with `tmux kill-server`")
	case running == 0:
		return protocol.Done(textServers)
	case p.tmuxIs != nil && p.tmuxIs.before(oldest):
		return protocol.Done("read; tmux before 3.2 cannot be followed, so changes show when the focus moves or the flashlight opens")
	}
	return protocol.Done("")
}
