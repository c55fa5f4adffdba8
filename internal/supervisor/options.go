package supervisor

import (
	"context"
	"log/slog"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/protocol"
)

// Definition is what a Plugin runs.
type Definition = manifest.Definition

// Caller is who makes a host call.
type Caller struct {
	PluginID   string
	Generation uint64
	Manifest   *protocol.Manifest
	DataDir    string
}

// Sinks receive what a plugin says and how it fares. A nil sink ignores.
//
// Publish, Status, Poll and Log are called in wire order on a transport
// goroutine of the child, HostCall on a worker, all others on the lifecycle
// goroutine, where they must not block. Status and Poll must not either: the
// lifecycle waits for one under way when it takes back what they registered.
// gen grows with every child.
type Sinks struct {
	Publish func(id string, gen uint64, rows []protocol.Row)
	// Status has declared segments only.
	Status func(id string, gen uint64, values map[string]protocol.StatusValue)
	// ClearStatus: the child is gone. With planned a successor is on its way, and
	// its values may be kept for StatusHold; if none arrives in that time the call
	// comes again without planned.
	ClearStatus func(id string, planned bool)
	DropCatalog func(id string)
	// Poll has the whole set of timers; it comes with none when the child is gone.
	Poll     func(id string, gen uint64, regs []protocol.Registration)
	Log      func(id string, rec protocol.LogRecord)
	HostCall func(ctx context.Context, caller Caller, method string, params []byte) (result []byte)
	// First returns the events that a fresh child gets before all others, such as
	// the snapshot of running applications; those that the plugin does not listen
	// to are left out. core:status.observed follows them by itself.
	First func(id string) []*event.Event
	// Running: the child is initialized and its first events are queued.
	Running func(id string, gen uint64)
	Changed func(Snapshot)
}

// Watchdog is told of every lifecycle step, so that a step that stalls can be
// noticed from outside without polling.
type Watchdog interface {
	Begin(pluginID, step string)
	End(pluginID, step string)
}

// Options make a Plugin.
type Options struct {
	Runner Runner
	Sinks  Sinks
	Time   event.Time   // nil is the system's
	Logger *slog.Logger // nil discards
	// Prepare makes the child's spec: environment and policy. Nil takes the
	// definition's argv with the environment that the manifest package builds.
	Prepare func(ctx context.Context, def Definition) (Spec, error)
	// Install runs a third-party plugin's install step when one is due. It must
	// return soon after ctx ends; a stop does not wait for it, a successor does.
	// Nil installs nothing.
	Install func(ctx context.Context, def Definition) error
	// NeedsInstall says whether Install is due. It must not block.
	NeedsInstall func(def Definition) bool
	DataDir      string
	// StartupTimeout is how long the child may take to answer initialize; it is
	// asked at each start. Nil is the protocol's.
	StartupTimeout func() time.Duration
	Sweep          *Sweep   // nil: no liveness pings
	Watchdog       Watchdog // nil: nobody watches
}

func (o *Options) fill() {
	if o.Time == nil {
		o.Time = event.System()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.StartupTimeout == nil {
		o.StartupTimeout = func() time.Duration { return protocol.DeadlineStartup }
	}
	if o.Watchdog == nil {
		o.Watchdog = noWatchdog{}
	}
	s := &o.Sinks
	if s.Publish == nil {
		s.Publish = func(string, uint64, []protocol.Row) {}
	}
	if s.Status == nil {
		s.Status = func(string, uint64, map[string]protocol.StatusValue) {}
	}
	if s.ClearStatus == nil {
		s.ClearStatus = func(string, bool) {}
	}
	if s.DropCatalog == nil {
		s.DropCatalog = func(string) {}
	}
	if s.Poll == nil {
		s.Poll = func(string, uint64, []protocol.Registration) {}
	}
	if s.Log == nil {
		s.Log = func(string, protocol.LogRecord) {}
	}
	if s.HostCall == nil {
		s.HostCall = func(_ context.Context, _ Caller, method string, _ []byte) []byte {
			return protocol.AppendErrorResult(nil, protocol.ErrTextUnknownMethod(method))
		}
	}
	if s.First == nil {
		s.First = func(string) []*event.Event { return nil }
	}
	if s.Running == nil {
		s.Running = func(string, uint64) {}
	}
	if s.Changed == nil {
		s.Changed = func(Snapshot) {}
	}
}

type noWatchdog struct{}

func (noWatchdog) Begin(string, string) {}
func (noWatchdog) End(string, string)   {}
