package host

import (
	"strings"
	"sync/atomic"

	"github.com/flash-launcher/flash/internal/sandbox"
	"github.com/flash-launcher/flash/internal/supervisor"
)

// maxLastWords bounds what is shown of a child's last line on stderr.
const maxLastWords = 200

// memory is what is remembered of a plugin's children for as long as its
// definition stands.
type memory struct {
	// published is set once the newest child has published rows.
	published atomic.Bool
	// policy and exit are the newest child's confinement and how it ended.
	policy  atomic.Pointer[sandbox.Policy]
	exit    atomic.Pointer[sandbox.Exit]
	failure atomic.Pointer[failure]
}

// failure is a diagnosis and the plain error that it explains.
type failure struct{ plain, text string }

// lastError says why the newest child that failed did. The diagnosis is kept,
// because the successor's stderr knows nothing of it.
func (m *memory) lastError(snap supervisor.Snapshot) string {
	switch snap.State {
	case supervisor.Backoff, supervisor.Failed:
		text := m.diagnose(snap)
		m.failure.Store(&failure{snap.LastError, text})
		return text
	}
	if f := m.failure.Load(); f != nil && f.plain == snap.LastError {
		return f.text
	}
	return snap.LastError
}

// diagnose says more of a failure than how the child ended: what the sandbox had
// to do with it, else the child's last words. The text is for the user who asks
// about the plugin; it is not logged.
func (m *memory) diagnose(snap supervisor.Snapshot) string {
	tail := strings.TrimSpace(snap.StderrTail())
	if snap.LastError == "" {
		return ""
	}
	if policy, exit := m.policy.Load(), m.exit.Load(); policy != nil && exit != nil {
		if why := sandbox.ExplainExit(policy, *exit, tail); why != "" {
			return snap.LastError + ": " + why
		}
	}
	if tail == "" {
		return snap.LastError
	}
	words := []rune(tail[strings.LastIndexByte(tail, '\n')+1:])
	if len(words) > maxLastWords {
		words = append(words[:maxLastWords], '…')
	}
	return snap.LastError + ": " + string(words)
}
