//go:build darwin && cgo

package ax

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/flash-launcher/flash/internal/ax/native"
	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// Observer observes apps through AXObservers. All methods may be called from
// any goroutine; those that tell it something return at once.
type Observer struct {
	o         Options
	ctx       context.Context
	cancel    context.CancelFunc
	ax        mac.AX
	observers *mac.Observers
	queue     *queue
	heard     atomic.Uint64
	work      sync.WaitGroup
	unfollow  func()
}

var _ broker.Accessibility = (*Observer)(nil)

// New returns an observer that observes nothing yet. It ends with ctx or Close.
func New(ctx context.Context, options Options) *Observer {
	options.complete()
	o := &Observer{o: options, queue: newQueue()}
	o.ctx, o.cancel = context.WithCancel(ctx)
	context.AfterFunc(o.ctx, o.queue.close)
	registrar := mac.NewAXRegistrar(func(token uint64, notification string) {
		o.heard.Add(1)
		o.observers.Heard(token, notification)
	})
	o.ax = registrar.AX
	o.observers = mac.NewObservers(registrar, options.Time, func(pid int, notification, bundleID string) {
		o.queue.put(note{pid, notification}, bundleID)
	})
	// The answer is taken to another goroutine: the main thread waits for nothing.
	o.unfollow = mac.Follow(desktop.OnMain, []string{mac.AccessChanged, mac.AppTerminated}, func(n mac.Note) {
		go o.noticed(n)
	})
	o.work.Go(func() {
		for {
			n, bundleID, ok := o.queue.next()
			if !ok {
				return
			}
			o.o.Emit(n.pid, n.notification, bundleID)
		}
	})
	return o
}

func (o *Observer) noticed(n mac.Note) {
	if o.ctx.Err() != nil {
		return
	}
	if n.Name == mac.AppTerminated {
		o.Gone(n.App.PID)
		return
	}
	before := o.observers.Denied()
	o.observers.TrustChanged()
	if after := o.observers.Denied(); after != before {
		o.o.Logger.Info("the accessibility permission changed", "granted", !after)
	}
}

// Close ends all observation and returns when nothing is left of it.
func (o *Observer) Close() error {
	o.cancel()
	o.unfollow()
	o.observers.Close()
	o.work.Wait()
	return nil
}

// SetWanted replaces the set of notifications that anybody wants. None: no app
// is observed.
func (o *Observer) SetWanted(notifications []string) {
	o.observers.Want(notifications)
	o.queue.drop(func(n note) bool { return o.observers.Wants(n.notification) })
}

// Focused says that an app has the focus: it is observed from now on until Gone,
// and its notifications carry this bundle id.
func (o *Observer) Focused(pid int, bundleID string) {
	if pid > 0 {
		o.observers.Add(pid, bundleID)
	}
}

// Gone says that an app ended.
func (o *Observer) Gone(pid int) {
	o.observers.Remove(pid)
	o.queue.drop(func(n note) bool { return n.pid != pid })
}

// Heard counts the notifications of apps that were delivered here, each of
// which woke the process up.
func (o *Observer) Heard() uint64 { return o.heard.Load() }

// Describe says what serves accessibility, or what to do for it. Nobody is
// prompted.
func (o *Observer) Describe() desktop.Facet {
	if !o.ax.Trusted(false) {
		return desktop.Facet{Name: facetName, Remedy: mac.Remedy}
	}
	return desktop.Facet{Name: facetName, Backend: "AXUIElement"}
}

// RequestPermission has macOS show the user where to allow Flash to look at
// other apps, unless it may already.
func (o *Observer) RequestPermission() (granted bool) { return o.ax.Trusted(true) }

// Snapshot implements broker.Accessibility.
func (o *Observer) Snapshot(ctx context.Context, q broker.AXQuery) (broker.AXSnapshot, error) {
	return native.Snapshot(ctx, o.ax, q)
}

// Perform implements broker.Accessibility.
func (o *Observer) Perform(_ context.Context, e broker.AXElement, action string) error {
	return native.Perform(e, action)
}

// Set implements broker.Accessibility.
func (o *Observer) Set(_ context.Context, e broker.AXElement, attribute string, value []byte) error {
	return native.Set(e, attribute, value)
}

// SelectChild implements broker.Accessibility.
func (o *Observer) SelectChild(_ context.Context, parent, child broker.AXElement) error {
	return native.SelectChild(parent, child)
}
