package host

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/flash-launcher/flash/internal/control"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/protocol"
)

// registerSessions gives the control socket the verbs of an open flashlight.
func (h *Host) registerSessions(s *control.Server) {
	s.Handle(control.MethodSessionOpen, h.sessionOpen)
	s.Handle(control.MethodSessionUpdate, h.sessionUpdate)
	s.Handle(control.MethodSessionActions, h.sessionActions)
	s.Handle(control.MethodSessionAct, h.sessionAct)
	s.Handle(control.MethodHistory, func(context.Context, control.Request) (any, error) { return h.history(), nil })
	s.Handle(control.MethodHistoryClear, h.historyClear)
}

// session is one flashlight that a client holds open.
type session struct {
	*flashlight.Session

	mu     sync.Mutex
	client uint64 // generation of the input as the client counts
	inner  uint64 // and as the flashlight does
}

// update replaces the input unless a later one is there already: requests of
// one connection may overtake each other. False means that it was overtaken.
func (s *session) update(in control.SessionInput) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.Generation > s.client {
		s.client, s.inner = in.Generation, s.Update(in.Text)
	}
	return in.Generation == s.client
}

// view returns what shows for the input as it stands, nil while that is not
// known yet.
func (s *session) view() *control.SessionView {
	s.mu.Lock()
	v, inner, generation := s.View(), s.inner, s.client
	s.mu.Unlock()
	if v.Generation != inner {
		return nil
	}
	out := &control.SessionView{Generation: generation, Pending: v.Pending, Entries: make([]control.Entry, 0, v.Count())}
	for _, a := range v.Answers {
		out.Entries = append(out.Entries, control.Entry{Kind: control.KindAnswer, Title: a.Title, Subtitle: a.Subtitle, Plugin: a.Plugin})
	}
	for _, c := range v.Completions {
		out.Entries = append(out.Entries, control.Entry{Kind: control.KindCompletion, Title: c.Label, Subtitle: c.Detail, Plugin: c.Plugin, Value: c.Value})
	}
	for _, r := range v.Rows {
		out.Entries = append(out.Entries, control.Entry{Kind: control.KindRow, Title: r.Title, Subtitle: r.Subtitle, Plugin: r.Plugin, Source: r.Source, Highlights: r.Highlights})
	}
	for i := range out.Entries {
		out.Entries[i].ID, out.Entries[i].Enter = v.EntryID(i), v.EnterTitle(i)
	}
	for _, n := range v.Notices {
		out.Notices = append(out.Notices, control.SessionNotice{Plugin: n.Plugin, Text: n.Text})
	}
	return out
}

// connSession is the key of a connection's session.
const connSession = "session"

// sessionOpen holds a session open until the client goes away, and sends what
// shows each time it changes. Plugins hear of it once the first rows are out,
// so that nothing they do can make those late.
func (h *Host) sessionOpen(ctx context.Context, r control.Request) (any, error) {
	var in control.SessionInput
	if err := r.Bind(&in); err != nil {
		return nil, err
	}
	if r.Conn.Get(connSession) != nil {
		return nil, control.Errorf(control.CodeInvalid, "session.open: this connection has a session; open another connection for another one")
	}
	s := &session{Session: h.engine.OpenSession()}
	h.sessions.Add(1)
	defer func() {
		s.Close()
		h.sessions.Add(-1)
	}()
	in.Generation = max(in.Generation, 1)
	s.update(in)
	r.Conn.Set(connSession, s, nil)
	told := false
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case <-s.Changed():
		}
		v := s.view()
		if v == nil {
			continue
		}
		if err := r.Emit(v); err != nil {
			return nil, err
		}
		if !told {
			told = true
			h.sessionOpened(context.WithoutCancel(ctx))
		}
	}
}

// sessionOf returns the session of the connection that r came over.
func sessionOf(r control.Request) (*session, error) {
	s, _ := r.Conn.Get(connSession).(*session)
	if s == nil {
		return nil, control.Errorf(control.CodeInvalid, "this connection has no session; call %s first", control.MethodSessionOpen)
	}
	return s, nil
}

func (h *Host) sessionUpdate(_ context.Context, r control.Request) (any, error) {
	var in control.SessionInput
	if err := r.Bind(&in); err != nil {
		return nil, err
	}
	s, err := sessionOf(r)
	if err == nil {
		s.update(in)
	}
	return nil, err
}

// choose returns the entry that p names, once it is known. ok is false when the
// input has changed or the entry is gone.
func choose(ctx context.Context, r control.Request) (c flashlight.Choice, p control.SessionEntry, ok bool, err error) {
	if err := r.Bind(&p); err != nil {
		return c, p, false, err
	}
	s, err := sessionOf(r)
	if err != nil {
		return c, p, false, err
	}
	if !s.update(p.SessionInput) {
		return c, p, false, nil
	}
	c, ok = s.Choose(ctx, p.Entry)
	return c, p, ok, nil
}

func (h *Host) sessionActions(ctx context.Context, r control.Request) (any, error) {
	c, p, ok, err := choose(ctx, r)
	if err != nil {
		return nil, err
	}
	out := control.SessionActions{Entry: p.Entry, Actions: []control.SessionAction{}}
	if !ok {
		return out, nil
	}
	switch {
	case c.Answer != nil:
		out.Title = c.Answer.Title
	case c.Row != nil:
		out.Title = c.Row.Title
	}
	for _, a := range h.engine.Actions(c) {
		out.Actions = append(out.Actions, control.SessionAction{ID: a.ID, Title: a.Title})
	}
	return out, nil
}

func (h *Host) sessionAct(ctx context.Context, r control.Request) (any, error) {
	c, p, ok, err := choose(ctx, r)
	if err != nil {
		return nil, err
	}
	if !ok {
		return control.SessionActed{}, nil
	}
	if c.Completion != nil {
		return control.SessionActed{Ran: true, Completion: c.Completion.Value}, nil
	}
	left := &leftText{}
	// What the user chose is done even if the terminal closes meanwhile, as a
	// flashlight does right after choosing.
	o := h.engine.ActOn(context.WithValue(context.WithoutCancel(ctx), leftKey{}, left), c, p.Action)
	return control.SessionActed{Ran: true, Result: resultOf(o), Copy: left.take()}, nil
}

func resultOf(o protocol.Outcome) control.PerformResult {
	return control.PerformResult{
		OK: o.OK, Unhandled: o.Unhandled, Message: o.Message,
		NavigationURL: o.NavigationURL, TargetPID: o.TargetPID, Error: o.Err,
	}
}

// leftText is text for the clipboard that the client is to place, as the
// resident's session has no clipboard and the client's terminal may have one.
type leftText struct {
	mu   sync.Mutex
	text string
	gone bool // the client was answered
}

type leftKey struct{}

// leaveWithClient leaves text with the client that asked, if there is one that
// can take it.
func leaveWithClient(ctx context.Context, text string) bool {
	left, ok := ctx.Value(leftKey{}).(*leftText)
	if !ok {
		return false
	}
	left.mu.Lock()
	defer left.mu.Unlock()
	if left.gone {
		return false
	}
	left.text = text
	return true
}

// take ends the leaving and returns what was left.
func (l *leftText) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	return l.text
}

// performing is the clients on whose behalf plugins work at the moment: what
// such a plugin copies by a host call is that client's to place.
type performing struct {
	mu sync.Mutex
	of map[string]*leftText
}

// begin notes that the plugin works for the client of ctx, if one can take text.
func (p *performing) begin(ctx context.Context, plugin string) (end func()) {
	left, ok := ctx.Value(leftKey{}).(*leftText)
	if !ok {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*leftText{}
	}
	p.of[plugin] = left
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.of[plugin] == left {
			delete(p.of, plugin)
		}
	}
}

// lend gives ctx the client that the plugin works for.
func (p *performing) lend(ctx context.Context, plugin string) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.of[plugin]; left != nil {
		return context.WithValue(ctx, leftKey{}, left)
	}
	return ctx
}

// clipboard writes the session's clipboard, or leaves the text with the client
// that asked for it where there is none.
type clipboard struct{ h *Host }

func (c clipboard) WriteText(ctx context.Context, text string) error {
	err := c.h.session.WriteText(ctx, text)
	if errors.Is(err, desktop.ErrUnavailable) && leaveWithClient(ctx, text) {
		return nil
	}
	return err
}

func (h *Host) history() control.History {
	return control.History{
		Items:    len(h.rank.Scores(h.time.Now())),
		Learning: h.rank.Learning(),
		File:     filepath.Join(h.paths.State, control.FrecencyFile),
	}
}

func (h *Host) historyClear(_ context.Context, r control.Request) (any, error) {
	var p control.HistoryClear
	if err := r.Bind(&p); err != nil {
		return nil, err
	}
	if p.Item == "" {
		if err := h.rank.ClearAll(); err != nil {
			return nil, err
		}
		return h.history(), nil
	}
	if h.rank.Score(p.Item, h.time.Now()) == 0 {
		return nil, control.Errorf(control.CodeNotFound, "history: nothing is learned of row %q; `flash query` prints row ids", p.Item)
	}
	if err := h.rank.Clear(p.Item); err != nil {
		return nil, err
	}
	return h.history(), nil
}
