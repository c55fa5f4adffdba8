package monitor

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/sdktest"
)

// source is a source whose next reading the test sets.
type source struct {
	mu       sync.Mutex
	segments map[string]string
	unready  int // readings that say nothing yet
	err      error
	reads    int
}

func (s *source) read(time.Time) (map[string]string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.unready > 0 {
		s.unready--
		return map[string]string{}, false, nil
	}
	return s.segments, s.err == nil, s.err
}

func (s *source) set(summary, details string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = map[string]string{"summary": summary, "details": details}
}

func (s *source) readings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func started(t *testing.T, s *source) *sdktest.Harness {
	t.Helper()
	h := sdktest.InProcess(t, New(Options{Command: "load", Gap: time.Millisecond, Read: s.read, Summary: "summary"}), sdktest.Options{})
	h.Initialize()
	return h
}

func observe(h *sdktest.Harness, segments string) {
	h.Event("core:status.observed", `{"segments":[`+segments+`]}`)
}

func TestAMonitorReadsOnceASecondWhileASegmentIsShown(t *testing.T) {
	s := &source{}
	s.set("1%", "one")
	h := started(t, s)
	observe(h, `"summary"`)
	assert.JSONEq(t, `{"segments":{"summary":"1%"}}`, h.NextNotification("status"))
	polls := h.NextPoll()
	require.Len(t, polls, 1)
	assert.Equal(t, Period.Seconds(), polls[0].Every)
	observe(h, "")
	assert.Empty(t, h.NextPoll())
}

func TestOnlyWhatIsShownAndNewIsReported(t *testing.T) {
	s := &source{}
	s.set("1%", "one")
	h := started(t, s)
	observe(h, `"summary"`)
	h.NextNotification("status")
	poll := func() {
		before := s.readings()
		h.TickUntil("read", func() bool { return s.readings() > before })
	}
	poll()
	s.set("1%", "two")
	poll()
	s.set("2%", "three")
	poll()
	assert.JSONEq(t, `{"segments":{"summary":"2%"}}`, h.NextNotification("status"), "neither the same again nor what nobody sees")
	observe(h, `"details","summary"`)
	assert.JSONEq(t, `{"segments":{"details":"three"}}`, h.NextNotification("status"))
}

func TestTheCommandTakesTheSecondReadingThatARateNeeds(t *testing.T) {
	s := &source{unready: 1}
	s.set("3%", "three")
	h := started(t, s)
	o := h.Command("load", "refresh")
	assert.True(t, o.OK)
	assert.Equal(t, "3%", o.Message)
	assert.Equal(t, 2, s.readings())
	assert.False(t, h.Command("load", "other").OK)
	assert.True(t, h.Command("foreign", "refresh").Unhandled)
}

func TestAFailingSourceIsLoggedOnceAndAnsweredPlainly(t *testing.T) {
	s := &source{err: errors.New("gone")}
	h := started(t, s)
	observe(h, `"summary"`)
	assert.Equal(t, "warn", h.NextLog().Level)
	for range 3 {
		assert.Contains(t, h.Command("load", "refresh").Err, "cannot be read")
	}
	s.mu.Lock()
	s.err = nil
	s.mu.Unlock()
	s.set("4%", "four")
	h.Tick("read")
	assert.JSONEq(t, `{"segments":{"summary":"4%"}}`, h.NextNotification("status"))
}
