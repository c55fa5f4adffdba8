package event

import (
	"slices"

	"github.com/flash-launcher/flash/protocol"
)

// Started is core:flash.started.
func Started() *Event { return New(protocol.EventFlashStarted, nil) }

// Opened is core:session.opened: the flashlight opened.
func Opened() *Event { return New(protocol.EventSessionOpened, nil) }

// Plain is one of the events whose payload says nothing: configuration, power,
// network, volumes, space.
func Plain(name string) *Event { return New(name, nil) }

// AppsChanged is the whole snapshot of running applications.
func AppsChanged(reason string, running []protocol.Application) *Event {
	return New(protocol.EventAppsChanged, protocol.NewObject(make([]byte, 0, 64+64*len(running))).
		Str("reason", reason).
		With("running_applications", func(dst []byte) []byte { return protocol.AppendApplications(dst, running) }).
		Bytes())
}

// Launched is core:apps.launched.
func Launched(a protocol.Application) *Event {
	return New(protocol.EventAppsLaunched, appendApplication(nil, a))
}

// Terminated is core:apps.terminated.
func Terminated(a protocol.Application) *Event {
	return New(protocol.EventAppsTerminated, appendApplication(nil, a))
}

// FocusChanged says which application has the keyboard now.
func FocusChanged(a protocol.Application) *Event {
	return New(protocol.EventFocusChanged, appendApplication(nil, a))
}

func appendApplication(dst []byte, a protocol.Application) []byte {
	return protocol.NewObject(dst).
		Str("bundle_id", a.BundleID).
		Int("pid", int64(a.PID)).
		Str("localized_name", a.LocalizedName).
		Bytes()
}

// WindowFocus is core:window.focus.changed; frame is nil where the front
// window has no known place.
func WindowFocus(pid int, bundleID string, frame *protocol.Frame) *Event {
	o := protocol.NewObject(nil).Int("pid", int64(pid)).Str("bundle_id", bundleID)
	if frame != nil {
		o.With("front_window_frame", func(dst []byte) []byte { return protocol.AppendFrame(dst, *frame) })
	}
	return New(protocol.EventWindowFocusChanged, o.Bytes())
}

// AXChanged is one accessibility notification. The bundle id is the one that
// the observer recorded when it was installed; "" leaves it out.
func AXChanged(pid int, notification, bundleID string) *Event {
	o := protocol.NewObject(nil).Int("pid", int64(pid)).Str("notification", notification)
	return build(protocol.EventAXChanged, o.OptStr("bundle_id", bundleID).Bytes(), axKey(pid, notification))
}

// Clipboard is core:clipboard.changed.
func Clipboard(text string) *Event {
	return New(protocol.EventClipboardChanged, protocol.NewObject(nil).Str("text", text).Bytes())
}

// StatusObserved names the segments of a plugin that the bar shows. The
// segments are sorted and each is named once; none is an empty array.
func StatusObserved(segments []string) *Event {
	s := slices.Clone(segments)
	slices.Sort(s)
	s = slices.Compact(s)
	return New(protocol.EventStatusObserved, protocol.NewObject(nil).Strs("segments", s).Bytes())
}

// Tick is the tick of a plugin's timer. handed is called once the child has
// been given the tick, or will never be.
func Tick(timer string, handed func()) *Event {
	e := New(protocol.EventPollPrefix+timer, nil)
	e.Handed = handed
	return e
}
