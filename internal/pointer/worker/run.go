// Package worker owns the pointer worker's life: the process that holds the
// tap, its pid file, and how it is started, asked for and ended. It survives
// the resident and needs nothing of it. In normal mode it says nothing, to no
// terminal, file or socket.
package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/action"
	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/tap"
	"github.com/flash-launcher/flash/internal/pointer/trace"
	"github.com/flash-launcher/flash/sdk/quiesce"
)

// Options of a worker.
type Options struct {
	Settings settings.Settings
	State    string // where the pid file is
	Display  string
	// Debug, if set, hears of every event with its decision and reason, all
	// movement included.
	Debug io.Writer
	// Full takes all movement without saying anything of it; measurements
	// compare with it.
	Full bool
	// Ready is called once the tap is open.
	Ready func()
	// Summary, if set, hears at the end what was delivered.
	Summary io.Writer
}

const (
	// settle is after what time the garbage of the start is collected, and
	// headroom what a worker may allocate between two collections. Movement
	// and gestures allocate nothing; actions and replayed steps do.
	settle   = 2 * time.Second
	headroom = 128 << 10
)

// Counts is what a worker has seen.
type Counts struct {
	Kinds   [engine.Off + 1]uint64
	Actions uint64
	Dropped uint64 // actions that found the queue full
}

// worker is one run. state and counts belong to the tap's goroutine until the
// tap is closed.
type worker struct {
	o      Options
	source tap.Source
	queue  *action.Queue
	state  engine.State
	counts Counts
	names  func(engine.Device) string
}

// Run holds the tap until a signal ends it or the tap ends by itself. The pid
// file is this worker's from before the first event until after the last.
func Run(o Options) error {
	unsetRuntime()
	// The program holds its main thread for what a launcher needs it for. A
	// worker has no such need, and a thread that only waits is one too many.
	runtime.UnlockOSThread()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	pid, err := acquire(PIDFile(o.State))
	if err != nil {
		return err
	}
	defer pid.release()

	w := &worker{o: o, names: func(engine.Device) string { return "" }}
	var note func(settings.Action, error)
	if o.Debug != nil {
		note = w.noteAction
	}
	w.queue = action.NewQueue(func() (action.Backend, error) { return action.Open(o.Settings.Backend, o.Display) }, note)
	defer w.queue.Close()
	mode := tap.Gate
	if o.Debug != nil || o.Full {
		mode = tap.Full
	}
	opened := make(chan struct{})
	source, err := tap.Open(tap.Options{Settings: o.Settings, Mode: mode, Display: o.Display, Handle: func(e *engine.Event) engine.Decision {
		<-opened
		return w.handle(e)
	}})
	if err != nil {
		close(opened)
		return err
	}
	w.source, w.names = source, source.DeviceName
	close(opened)
	// The start's garbage goes at once: what the heap has touched before its
	// first collection it keeps, and a worker lives for weeks.
	debug.FreeOSMemory()
	guard := quiesce.New(settle, headroom)
	defer guard.Stop()
	if o.Ready != nil {
		o.Ready()
	}
	select {
	case <-signals:
	case <-source.Done():
		err = source.Err()
	}
	source.Close()
	// The tap is closed, so the state is this goroutine's now.
	engine.Step(&w.state, &w.o.Settings.Engine, &engine.Event{Kind: engine.Off})
	if o.Summary != nil {
		w.counts.write(o.Summary)
	}
	return err
}

// handle runs on the tap's goroutine and must not block.
func (w *worker) handle(e *engine.Event) engine.Decision {
	s := &w.o.Settings
	d := engine.Step(&w.state, &s.Engine, e)
	w.counts.Kinds[e.Kind]++
	if d.Action != engine.NoAction {
		w.act(e, d)
	}
	if w.o.Debug != nil {
		w.say(trace.Text(trace.FromEngine(e, w.names(e.Dev)), d))
	}
	return d
}

func (w *worker) act(e *engine.Event, d engine.Decision) {
	s := &w.o.Settings
	if action.Replays(s, d) {
		w.counts.Actions++
		w.source.Replay(e.Button)
		return
	}
	a, ok := action.Resolve(s, d)
	if !ok {
		return
	}
	w.counts.Actions++
	if !w.queue.Add(a) {
		w.counts.Dropped++
	}
}

func (w *worker) noteAction(a settings.Action, err error) {
	if err != nil {
		w.say(fmt.Sprintf("action %s failed: %v", a, err))
		return
	}
	w.say(fmt.Sprintf("action %s done", a))
}

// say writes one line for debugging. A reader that does not keep up slows the
// tap down, which is why only debugging does this.
func (w *worker) say(line string) { fmt.Fprintln(w.o.Debug, line) }

func (c *Counts) write(to io.Writer) {
	for k, n := range c.Kinds {
		if n > 0 {
			fmt.Fprintf(to, "%s %d\n", trace.KindName(engine.Kind(k)), n)
		}
	}
	fmt.Fprintf(to, "actions %d\nactions_dropped %d\n", c.Actions, c.Dropped)
}

// IsPermission reports whether err says that input may not be read.
func IsPermission(err error) bool { return errors.Is(err, tap.ErrPermission) }
