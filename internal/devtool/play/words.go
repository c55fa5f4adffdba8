package play

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// Help lists the lines that a session understands.
const Help = `query TEXT        what is typed: evaluate
search TEXT       a query of the plugin's live sources
:COMMAND WORD …   a command, as :notes add milk
!TOKEN …          a bang
resolve N         choose row N of the last catalogue, from 1
action NAME       an action of the manifest
navigate URL      follow a navigation URL
event NAME [JSON] an event, such as core:session.opened or core:poll:NAME
ping              ask whether it lives
{…}               a frame, sent as it is
help, quit`

// line does what one line says and reports whether it ends the session.
func (s *session) line(line string) (quit bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "" || strings.HasPrefix(word, "#"):
	case strings.HasPrefix(word, "{"):
		s.raw(strings.TrimSpace(line))
	case strings.HasPrefix(word, ":"):
		s.command(line, strings.Fields(strings.TrimSpace(line)[1:]))
	case strings.HasPrefix(word, "!"):
		s.bang(strings.TrimSpace(line), word[1:], strings.Fields(rest))
	case word == "query":
		p := protocol.AppendEvaluate(nil, protocol.Evaluate{Query: queryText(line), Surface: "flashlight"})
		s.request(protocol.MethodEvaluate, p)
	case word == "search":
		scope := ""
		if sources := s.o.Manifest.Sources; len(sources) > 0 {
			scope = sources[0].Name
		}
		s.request(protocol.MethodSearch, protocol.AppendSearch(nil, protocol.Search{Query: rest, Scope: scope}))
	case word == "resolve":
		s.resolve(rest)
	case word == "action":
		s.perform(protocol.Perform{Kind: protocol.PerformAction, Name: rest})
	case word == "navigate":
		s.perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: rest})
	case word == "event":
		s.event(rest)
	case word == "ping":
		s.request(protocol.MethodPing, nil)
	case word == "quit":
		return true
	case word == "help":
		for l := range strings.Lines(Help) {
			s.note("%s", strings.TrimSpace(l))
		}
	default:
		s.note("%q is no word of a session; say help", word)
	}
	return false
}

// queryText keeps the blanks that were typed behind the first.
func queryText(line string) string {
	_, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	return rest
}

func (s *session) perform(p protocol.Perform) {
	s.request(protocol.MethodPerform, protocol.AppendPerform(nil, p))
}

func (s *session) command(raw string, words []string) {
	if len(words) == 0 {
		s.note("a command has a name: :COMMAND WORD …")
		return
	}
	p := protocol.Perform{Kind: protocol.PerformCommand, Command: words[0], Raw: strings.TrimSpace(raw), Args: []string{}}
	if len(words) > 1 {
		p.Subcommand, p.Args = words[1], words[2:]
	}
	known := false
	for _, c := range s.o.Manifest.Commands {
		known = known || c.Command == p.Command && (c.Subcommand == p.Subcommand || c.Subcommand == "*")
	}
	if !known {
		s.note("the manifest declares no command %q with %q; a host would not send it", p.Command, p.Subcommand)
	}
	s.perform(p)
}

func (s *session) bang(raw, token string, args []string) {
	bangs := s.o.Manifest.Bangs
	if bangs == nil {
		s.note("the manifest declares no bangs")
		return
	}
	s.perform(protocol.Perform{Kind: protocol.PerformCommand, Command: bangs.Command, Subcommand: token, Args: args, Raw: raw})
}

func (s *session) resolve(which string) {
	rows := s.catalogue()
	n, err := strconv.Atoi(which)
	if err != nil || n < 1 || n > len(rows) {
		s.note("resolve takes 1 to %d, the rows of the last catalogue", len(rows))
		return
	}
	s.perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[n-1]})
}

// firstRows is how long a session waits for a catalogue that is on its way.
const firstRows = time.Second

// catalogue is what the plugin published last.
func (s *session) catalogue() []protocol.Row {
	timer := time.NewTimer(firstRows)
	defer timer.Stop()
	for {
		s.mu.Lock()
		rows, changed := s.rows, s.changed
		s.mu.Unlock()
		if rows != nil {
			return rows
		}
		select {
		case <-changed:
		case <-s.ended:
			return nil
		case <-timer.C:
			return nil
		}
	}
}

func (s *session) event(rest string) {
	name, payload, _ := strings.Cut(rest, " ")
	payload = strings.TrimSpace(payload)
	if payload == "" {
		payload = "{}"
	}
	params := fmt.Appendf(nil, `{"name":%s,"payload":%s}`, protocol.AppendString(nil, name), payload)
	if _, _, err := protocol.DecodeEvent(params); err != nil {
		s.note("not sent: event NAME JSON, where JSON is an object: %v", err)
		return
	}
	if !s.o.Manifest.Listens(name) {
		s.note("the manifest does not listen to %q; a host would not send it", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLocked(protocol.AppendNotification(nil, protocol.MethodEvent, params))
}

// raw sends a frame as it stands; the replies to valid requests are waited for.
func (s *session) raw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, err := protocol.DecodeEnvelope([]byte(line)); err == nil && e.IsRequest() {
		s.owed[e.ID] = asked{e.Method, time.Now()}
		s.next = max(s.next, e.ID)
	}
	s.writeLocked([]byte(line + "\n"))
}
