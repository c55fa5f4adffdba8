package sdk

import (
	"context"
	"io"

	"github.com/flash-launcher/flash/protocol"
)

// Plugin is what a plugin serves. A nil handler is a surface that it does not
// serve: evaluate, search and hints are then answered `unknown method: …`,
// perform with unhandled, and events are dropped.
//
// Every handler gets a context that ends when the plugin shuts down and, for
// requests, when the host's deadline for this request has passed. A handler
// that panics is answered with a content-free error; the plugin lives on.
// Handlers run side by side, so state that they share needs a lock.
type Plugin struct {
	// Start runs once, after the good initialize reply, on its own goroutine.
	// Publish the first catalogue here. An error goes to stderr, so it holds no
	// user content; the plugin serves on after it.
	Start func(ctx context.Context, h *Host) error

	// Event receives what the manifest's `listen` asked for, on one goroutine
	// and in wire order. Pending events that replace each other (all but
	// core:flash.started, core:apps.launched, core:apps.terminated,
	// core:session.opened and core:poll:…) arrive as the newest one only. At
	// most 256 events or 16 MiB wait, then one newest of each kind (256
	// kinds); what comes on top is dropped and counted on stderr.
	Event func(ctx context.Context, h *Host, ev Event)

	// Evaluate answers a query from prepared state, CPU only, within 50 ms.
	// The host takes 16 answers or 256 KiB of them at most.
	Evaluate func(ctx context.Context, h *Host, q protocol.Evaluate) ([]protocol.Answer, error)

	// Search serves live sources, within 1 s. The host takes 10,000 rows or
	// 4 MiB of them at most.
	Search func(ctx context.Context, h *Host, q protocol.Search) ([]protocol.Row, error)

	// Hints returns click targets for one app's front window and, when it is
	// not zero, the pid of the context that they belong to.
	Hints func(ctx context.Context, h *Host, q protocol.Hints) ([]protocol.HintTarget, int, error)

	// Perform runs a command, an action, a navigation, or resolves a row,
	// within 10 s or the command's own timeout_ms. Use protocol.Done,
	// protocol.Unhandled and protocol.Failed.
	Perform func(ctx context.Context, h *Host, p protocol.Perform) protocol.Outcome

	// Shutdown runs once when the plugin ends. Its context lasts 750 ms from
	// the beginning of the shutdown; the process exits then in any case. Leave
	// it out where it would only end what ends with the process: being told of
	// SIGTERM for it takes two threads.
	Shutdown func(ctx context.Context, h *Host)
}

// Options are the surroundings of a plugin that [Serve] runs. Tests set them;
// [Run] uses those of the process.
type Options struct {
	In  io.Reader // frames from the host; Serve returns some time after it ends
	Out io.Writer // frames to the host
	Err io.Writer // diagnostics, one line each; nil discards them

	// Env looks an environment variable up; nil finds none.
	Env func(string) string

	// Stop, when it is not nil, begins the shutdown when it is closed or
	// yields a value, as the end of In does.
	Stop <-chan struct{}
}

// Run serves p on stdin and stdout and exits the process; it never returns.
// Call it once, first in main, before anything is printed. The exit status is
// 0 after an orderly shutdown or a refused protocol version, and 1 when the
// host left no room for a reply.
func Run(p Plugin) { exit(runProcess(p)) }

// Serve runs p over o until its input ends, ctx is done or o.Stop fires, and
// returns what [Run] would exit with. It leaves the process as it is: no
// signal handler, no collector settings, no descriptor is touched, and no
// goroutine of its own outlives it except handlers that outstay the 750 ms of
// the shutdown and a blocked read of o.In.
func Serve(ctx context.Context, p Plugin, o Options) int {
	return newConn(p, o).serve(ctx)
}
