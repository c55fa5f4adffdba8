package supervisor

import (
	"time"

	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// State is where a plugin is in its lifecycle.
type State string

// The states.
const (
	Initial    State = "initial"    // not started yet
	Idle       State = "idle"       // started, but nothing wants its child now
	Installing State = "installing" // its install step runs
	Launching  State = "launching"  // its child is being spawned or has not answered initialize
	Running    State = "running"
	Backoff    State = "backoff" // its child failed and is started again in a while
	Stopped    State = "stopped"
	Failed     State = "failed" // given up on until a reload or a change of its files
)

// Snapshot is a plugin at one moment. It is immutable.
type Snapshot struct {
	ID            string
	Version       string
	Manifest      *protocol.Manifest
	State         State
	Activation    protocol.Activation
	Official      bool
	PID           int    // 0: no child
	Generation    uint64 // of the newest child
	Restarts      int    // children started after a failure
	LastError     string // why the last child failed; "" after a reload
	ManifestError string // why a newer manifest is not in force
	Confinement   string // how the child is confined
	InitializeMS  int64  // spawned to initialized, of the newest child that got there
	StartupMS     int64  // wanted to initialized
	Since         time.Time
	RetryAt       time.Time // in backoff: when it is started again

	conn *transport.Conn
}

// StderrTail returns the last 64 KiB that the newest child wrote to stderr.
func (s Snapshot) StderrTail() string {
	if s.conn == nil {
		return ""
	}
	return s.conn.StderrTail()
}
