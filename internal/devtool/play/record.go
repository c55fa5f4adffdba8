package play

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// entry is one line of a recording.
type entry struct {
	AtMS  int64  `json:"at_ms"`
	From  string `json:"from"` // "host" or "plugin"
	Frame string `json:"frame"`
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
	pending := map[string]int{} // frames of the plugin that the recording has not come to
	number, same, missing := 0, 0, 0
	for line := range lines {
		number++
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.From != "host" && e.From != "plugin" {
			return fmt.Errorf("line %d of the recording is no entry of one; record it anew with --record", number)
		}
		if e.From == "host" {
			s.mu.Lock()
			if envelope, err := protocol.DecodeEnvelope([]byte(e.Frame)); err == nil && envelope.IsRequest() {
				s.owed[envelope.ID] = envelope.Method
			}
			s.writeLocked([]byte(e.Frame + "\n"))
			s.mu.Unlock()
			continue
		}
		if !s.come(ctx, pending, e.Frame) {
			missing++
			s.note("the recording has, and the plugin did not say: %s", e.Frame)
			continue
		}
		same++
	}
	if err := problem(); err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.note("%d frames as recorded, %d missing", same, missing)
	if missing > 0 {
		return &Error{fmt.Sprintf("the plugin differs from the recording in %d of %d frames", missing, same+missing)}
	}
	return nil
}

// come waits for a frame of the plugin.
func (s *session) come(ctx context.Context, pending map[string]int, frame string) bool {
	timer := time.NewTimer(protocol.DeadlineStartup)
	defer timer.Stop()
	for {
		if pending[frame] > 0 {
			pending[frame]--
			return true
		}
		select {
		case got, ok := <-s.frames:
			if !ok {
				return false
			}
			pending[string(got)]++
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
