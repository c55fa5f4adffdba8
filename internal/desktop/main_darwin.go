//go:build darwin && cgo

package desktop

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/progrium/darwinkit/dispatch"
	"github.com/progrium/darwinkit/macos/appkit"
	"github.com/progrium/darwinkit/macos/foundation"
	"github.com/progrium/darwinkit/objc"

	"github.com/flash-launcher/flash/internal/desktop/mac"
)

// errQuit is why work's context ends when the system asks the host to quit.
var errQuit = errors.New("macOS asked the host to quit")

// mainLoop is the one AppKit event loop of the process.
var mainLoop struct {
	sync.Once
	running atomic.Bool
	ended   chan struct{}
	endOnce sync.Once
}

func loopEnded() chan struct{} {
	mainLoop.Do(func() { mainLoop.ended = make(chan struct{}) })
	return mainLoop.ended
}

// RunMain runs work beside AppKit's event loop and returns what it returns.
// It must be called once, on the main thread: the program locks that thread
// in an init function. The host shows no Dock icon and no menu bar. When the
// system asks the program to quit (log-out, shut-down), work's context ends
// and the answer waits for it. Without a screen there is no such loop.
func RunMain(ctx context.Context, work func(context.Context) error) error {
	if !mac.HasScreen() {
		return work(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := loopEnded()
	app := appkit.Application_SharedApplication()
	mac.BeAccessory()
	mac.StayAwake()
	var quitting atomic.Bool
	delegate := &appkit.ApplicationDelegate{}
	delegate.SetApplicationShouldTerminate(func(appkit.Application) appkit.ApplicationTerminateReply {
		quitting.Store(true)
		cancel(errQuit)
		return appkit.TerminateLater
	})
	app.SetDelegate(delegate)
	mainLoop.running.Store(true) // what work asks for waits for Run below
	var err error
	go func() {
		err = work(ctx)
		dispatch.MainQueue().DispatchAsync(func() {
			if quitting.Load() {
				app.ReplyToApplicationShouldTerminate(true) // ends the process
				return
			}
			stopLoop(app)
		})
	}()
	app.Run()
	mainLoop.running.Store(false)
	mainLoop.endOnce.Do(func() { close(ended) })
	return err
}

// HasLoop says whether RunMain runs the event loop, in which what is drawn lives.
func HasLoop() bool { return mainLoop.running.Load() }

// stopLoop ends Run. The stop is noticed after the next event, so one follows.
func stopLoop(app appkit.Application) {
	app.Stop(nil)
	app.PostEventAtStart(appkit.Event_OtherEventWithTypeLocationModifierFlagsTimestampWindowNumberContextSubtypeData1Data2(
		appkit.EventTypeApplicationDefined, foundation.Point{}, 0, 0, 0, nil, 0, 0, 0), true)
}

// OnMain runs fn on the main thread and waits for it. In a program without the
// event loop (a one-shot command) it runs where it is called: what such a
// program reads is safe to read from any thread. It must not be called on the
// main thread itself.
func OnMain(fn func()) { _ = onMain(context.Background(), fn) }

// onMain gives up waiting, not running, when ctx ends: fn must own what it
// writes to, or its caller must not look after an error.
func onMain(ctx context.Context, fn func()) error {
	if !mainLoop.running.Load() {
		objc.WithAutoreleasePool(fn)
		return nil
	}
	done := make(chan struct{})
	dispatch.MainQueue().DispatchAsync(func() {
		defer close(done)
		objc.WithAutoreleasePool(fn) // the event loop's own lasts until the next event
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-loopEnded():
		return errQuit
	}
}
