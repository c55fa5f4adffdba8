package play

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

func (s *session) request(method string, params []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.owed[s.next] = asked{method, time.Now()}
	s.writeLocked(protocol.AppendRequest(nil, s.next, method, params, "", 0))
}

// writeLocked prints, records and sends one line.
func (s *session) writeLocked(line []byte) {
	s.printLocked(hostFrame, line)
	s.recordLocked("host", line)
	if !s.outlet.write(line) {
		s.printLocked(noteLine, []byte("not sent: the plugin reads no more"))
	}
}

// closeStdin ends what the host says, once.
func (s *session) closeStdin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outlet.close() {
		s.recordLocked("host", nil)
	}
}

func (s *session) readFrames() {
	defer s.process.Stdout().Close()
	c := protocol.NewCollector(protocol.MaxFrame)
	for {
		_, readErr := c.Fill(s.process.Stdout())
		for {
			line, ok, err := c.Next()
			if !ok {
				break
			}
			if err != nil {
				s.mu.Lock()
				s.faultLocked(err)
				s.mu.Unlock()
				continue
			}
			s.arrived(line)
		}
		if readErr != nil {
			return
		}
	}
}

// readStderr shows what the plugin says there, each line as far as a host keeps
// it, and the last also when nothing ends it.
func (s *session) readStderr() {
	defer s.process.Stderr().Close()
	r := bufio.NewReaderSize(s.process.Stderr(), protocol.StderrLine)
	more := false // of a line whose beginning is shown
	for {
		line, err := r.ReadSlice('\n')
		if !more && len(line) > 0 {
			s.mu.Lock()
			s.printLocked(stderrLine, line)
			s.mu.Unlock()
		}
		more = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !more {
			return
		}
	}
}

// arrived prints a frame of the plugin and does what a host does with it.
func (s *session) arrived(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printLocked(pluginFrame, line)
	s.recordLocked("plugin", line)
	if s.o.Replay != nil {
		s.said = append(s.said, string(line))
		s.announceLocked()
	}
	e, err := protocol.DecodeEnvelope(line)
	switch {
	case err != nil:
		s.faultLocked(err)
	case e.IsResponse():
		a, ok := s.owed[e.ID]
		if !ok {
			s.faultLocked(errors.New("a reply to what was not asked"))
			return
		}
		s.replyLocked(a.method, e.Result)
		s.lateLocked(a)
		delete(s.owed, e.ID)
		s.announceLocked()
	case e.IsNotification():
		s.faultLocked(s.notifiedLocked(e.Method, e.Params))
	case s.o.Replay == nil:
		s.writeLocked(protocol.AppendResponse(nil, e.ID, s.answer(e.Method, e.Params)))
	}
}

func (s *session) announceLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// replyLocked gives the host's opinion of a result.
func (s *session) replyLocked(method string, result []byte) {
	if method == protocol.MethodInitialize {
		if s.refused = judgeInitialize(result); s.refused != nil {
			s.printLocked(noteLine, []byte(s.refused.Error()))
		}
		return
	}
	if method == protocol.MethodPerform {
		_, err := protocol.DecodeOutcome(result)
		s.faultLocked(err)
		return
	}
	ok, text, err := protocol.DecodeOK(result)
	switch {
	case err != nil:
	case !ok:
		s.printLocked(noteLine, []byte("the plugin refused "+method+": "+text))
	case method == protocol.MethodEvaluate:
		_, err = protocol.DecodeAnswers(result)
	case method == protocol.MethodSearch:
		_, err = protocol.DecodeSearchReply(result, s.o.Manifest.DeclaresSource)
	case method == protocol.MethodHints:
		_, _, err = protocol.DecodeHintsReply(result)
	}
	s.faultLocked(err)
}

// lateLocked remarks a reply that comes while a person types and would come too
// late for a host. It is no fault: the machine may be busy.
func (s *session) lateLocked(a asked) {
	waits := map[string]time.Duration{protocol.MethodEvaluate: protocol.DeadlineQuery, protocol.MethodSearch: protocol.DeadlineLive}[a.method]
	if took := time.Since(a.at); waits > 0 && took > waits {
		s.printLocked(noteLine, fmt.Appendf(nil, "%s took %d ms; a host waits %d", a.method, took.Milliseconds(), waits.Milliseconds()))
	}
}

// judgeInitialize is why a host gives a plugin up after its first reply.
func judgeInitialize(result []byte) error {
	version, ok, text, err := protocol.DecodeInitializeReply(result)
	switch {
	case err != nil:
		return &Error{"the reply to initialize is none: " + err.Error()}
	case !ok:
		return &Error{"the plugin refused initialize: " + text}
	case version != protocol.Version:
		return &Error{fmt.Sprintf("the plugin speaks version %d of the wire, the host %d", version, protocol.Version)}
	}
	return nil
}

// notifiedLocked takes a notification, or says why a host would not.
func (s *session) notifiedLocked(method string, params []byte) (err error) {
	switch method {
	case protocol.MethodPublish:
		var rows []protocol.Row
		if rows, err = protocol.DecodePublish(params, s.o.Manifest.DeclaresSource); err == nil {
			s.rows = rows
			s.announceLocked()
		}
	case protocol.MethodStatus:
		_, err = protocol.DecodeStatus(params)
	case protocol.MethodPoll:
		_, err = protocol.DecodePoll(params)
	case protocol.MethodLog:
		_, err = protocol.DecodeLog(params)
	default:
		err = fmt.Errorf("%q is none of publish, status, poll and log", method)
	}
	return err
}

func (s *session) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printLocked(noteLine, fmt.Appendf(nil, format, args...))
}

// faultLocked counts a frame that a host would not take.
func (s *session) faultLocked(err error) {
	if err != nil {
		s.faults++
		s.printLocked(noteLine, []byte("the host would not take this: "+err.Error()))
	}
}

// kind is who speaks a line of output.
type kind struct{ mark, color string }

var (
	hostFrame   = kind{"→", "36"}
	pluginFrame = kind{"←", "32"}
	stderrLine  = kind{"!", "33"}
	noteLine    = kind{"#", "31"}
)

func (s *session) printLocked(k kind, line []byte) {
	text := strings.TrimRight(string(line), "\r\n")
	if s.o.Terminal {
		text = strings.Map(func(r rune) rune {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				return '·'
			}
			return r
		}, text)
	}
	if s.o.Color {
		fmt.Fprintf(s.o.Out, "\x1b[%sm%s\x1b[0m %s\n", k.color, k.mark, text)
		return
	}
	fmt.Fprintf(s.o.Out, "%s %s\n", k.mark, text)
}
