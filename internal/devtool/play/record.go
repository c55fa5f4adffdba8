package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// entry is one line of a recording.
type entry struct {
	AtMS  int64  `json:"at_ms"`
	From  string `json:"from"`  // "host" or "plugin"
	Frame string `json:"frame"` // "" is the end of the plugin's stdin
}

// recordLocked writes a frame to the recording; the first failure is kept.
func (s *session) recordLocked(from string, line []byte) {
	if s.o.Record == nil || s.lagging != nil {
		return
	}
	e := json.NewEncoder(s.o.Record)
	e.SetEscapeHTML(false)
	frame := string(bytes.TrimRight(line, "\r\n"))
	if err := e.Encode(entry{time.Since(s.began).Milliseconds(), from, frame}); err != nil {
		s.lagging = fmt.Errorf("the recording is not whole: %w", err)
	}
}

// replay sends what the host sent in the recording, each frame once the plugin
// has said what it had said before it, and compares. Frames may come in another
// order: a plugin may well publish before or after it replies.
func (s *session) replay(ctx context.Context) error {
	lines, problem := scan(ctx, s.o.Replay)
	number, sent := 0, 0
	for line := range lines {
		number++
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.From != "host" && e.From != "plugin" {
			return fmt.Errorf("line %d of the recording is no entry of one; record it anew with --record", number)
		}
		switch {
		case e.From == "host" && e.Frame == "":
			s.closeStdin()
		case e.From == "host":
			sent++
			s.mu.Lock()
			if envelope, err := protocol.DecodeEnvelope([]byte(e.Frame)); err == nil && envelope.IsRequest() {
				s.owed[envelope.ID] = asked{envelope.Method, time.Now()}
			}
			s.writeLocked([]byte(e.Frame + "\n"))
			s.mu.Unlock()
		case s.come(ctx, e.Frame):
			s.same++
		default:
			s.missing++
			s.note("the recording has, and the plugin did not say: %s", e.Frame)
		}
	}
	if err := problem(); err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if sent == 0 {
		return errors.New("the recording holds no frame of a host; record one with --record")
	}
	return nil
}

// verdict is the comparison, once the plugin has said its last.
func (s *session) verdict() error {
	s.mu.Lock()
	more := s.said
	s.mu.Unlock()
	for _, frame := range more {
		s.note("the plugin said, and the recording has not: %s", frame)
	}
	s.note("%d frames as recorded, %d missing, %d more", s.same, s.missing, len(more))
	if s.missing+len(more) > 0 {
		return &Error{fmt.Sprintf("the plugin differs from the recording: %d frames are missing, %d are more", s.missing, len(more))}
	}
	return nil
}

// come waits for a frame of the plugin.
func (s *session) come(ctx context.Context, frame string) bool {
	timer := time.NewTimer(protocol.DeadlineStartup)
	defer timer.Stop()
	for ended := false; ; {
		s.mu.Lock()
		i, changed := slices.Index(s.said, frame), s.changed
		if i >= 0 {
			s.said = slices.Delete(s.said, i, i+1)
		}
		s.mu.Unlock()
		if i >= 0 || ended {
			return i >= 0
		}
		select {
		case <-changed:
		case <-s.ended:
			ended = true
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
