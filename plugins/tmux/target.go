package tmux

import (
	"net/url"
	"strconv"
	"strings"
)

// target is one window of one server, found in the last reading.
type target struct {
	server *server
	window window
}

// match says how exactly a text has to name a window.
type match int

const (
	exactly match = iota // by id, or within its session
	loosely              // also a session, or a window's name alone
)

const (
	textNone    = "no tmux window or session has this name; :tmux refresh reads them again"
	textServers = "no tmux server is running; start one with `tmux new`"
)

// find returns the one window that text names. What names several is refused
// with their number.
func (p *plugin) find(text string, how match) (target, string) {
	if strings.HasPrefix(text, "tmux:") {
		return p.findURL(text)
	}
	all := p.targets()
	if len(all) == 0 {
		return target{}, textServers
	}
	session, part, inSession := strings.Cut(text, ":")
	tests := []func(w window) bool{
		func(w window) bool { return w.id == text },
		func(w window) bool { return inSession && w.session == session && strconv.Itoa(w.index) == part },
		func(w window) bool { return inSession && w.session == session && w.name == part },
	}
	if how == loosely {
		tests = append(tests,
			func(w window) bool { return w.active && (w.session == text || w.sessionID == text) },
			func(w window) bool { return w.name == text })
	}
	for _, test := range tests {
		if found, problem := only(all, test); problem != textNone {
			return found, problem
		}
	}
	return target{}, textNone
}

// findURL takes tmux://SERVER/SESSION[/WINDOW], where a session is its name or
// $id and a window its index, @id or name.
func (p *plugin) findURL(link string) (target, string) {
	server, session, part, ok := parseURL(link)
	if !ok {
		return target{}, "this is no tmux link; they look like tmux://default/SESSION/WINDOW"
	}
	var all []target
	for _, t := range p.targets() {
		if t.server.name == server && (t.window.session == session || t.window.sessionID == session) {
			all = append(all, t)
		}
	}
	if part == "" {
		return only(all, func(w window) bool { return w.active })
	}
	for _, test := range []func(w window) bool{
		func(w window) bool { return strconv.Itoa(w.index) == part },
		func(w window) bool { return w.id == part },
		func(w window) bool { return w.name == part },
	} {
		if found, problem := only(all, test); problem != textNone {
			return found, problem
		}
	}
	return target{}, textNone
}

func parseURL(link string) (server, session, part string, ok bool) {
	rest, ok := strings.CutPrefix(link, "tmux://")
	if !ok {
		return "", "", "", false
	}
	parts := strings.Split(strings.TrimSuffix(rest, "/"), "/")
	if len(parts) < 2 || len(parts) > 3 {
		return "", "", "", false
	}
	for i, raw := range parts {
		text, err := url.PathUnescape(raw)
		if err != nil {
			return "", "", "", false
		}
		parts[i] = text
	}
	if parts[0] == "" {
		parts[0] = defaultSocket
	}
	if len(parts) == 3 {
		part = parts[2]
	}
	return parts[0], parts[1], part, parts[1] != ""
}

// only returns the single window that test takes. A window that several
// sessions link counts once.
func only(all []target, test func(window) bool) (target, string) {
	var found target
	n := 0
	for _, t := range all {
		if !test(t.window) || n > 0 && t.server == found.server && t.window.id == found.window.id {
			continue
		}
		if n == 0 {
			found = t
		}
		n++
	}
	switch n {
	case 0:
		return target{}, textNone
	case 1:
		return found, ""
	}
	return target{}, strconv.Itoa(n) + " tmux windows have this name; say session:index"
}

// targets are all windows, as every session links them.
func (p *plugin) targets() []target {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []target
	for _, s := range p.list() {
		if !s.known {
			continue
		}
		for _, w := range s.inv.windows {
			all = append(all, target{s, w})
		}
	}
	return all
}

// serverNamed returns the server of a row, nil for one that went.
func (p *plugin) serverNamed(name string) *server {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.name == name {
			return s
		}
	}
	return nil
}

// still reports whether the window is there, in the same run of the server, as
// of the last reading.
func (s *server) still(w window) bool {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	for _, now := range s.inv.windows {
		if now.id == w.id && now.sessionID == w.sessionID && now.instance == w.instance {
			return true
		}
	}
	return false
}

// viewer returns the terminal to show a session in: one that shows it already,
// else the one used last.
func (s *server) viewer(sessionID string) (client, bool) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	people := s.inv.people()
	for _, c := range people {
		if c.sessionID == sessionID {
			return c, true
		}
	}
	if len(people) == 0 {
		return client{}, false
	}
	return people[0], true
}
