package sdk

import (
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Event is one event of the host. Payload is its raw JSON object, already
// validated, and belongs to the receiver.
type Event struct {
	Name    string
	Payload []byte
}

// Poll returns the name of the registration whose tick this event is, or
// false when it is no tick.
func (e Event) Poll() (name string, ok bool) {
	return strings.CutPrefix(e.Name, protocol.EventPollPrefix)
}

// AXChange is the payload of core:ax.changed. BundleID is "" where the host
// does not know it.
type AXChange struct {
	PID          int
	Notification string
	BundleID     string
}

// AX reads the payload of core:ax.changed. The error names the bad key.
func (e Event) AX() (AXChange, error) {
	o, err := protocol.ParseObject(e.Payload)
	if err != nil {
		return AXChange{}, err
	}
	c := AXChange{PID: o.PID("pid"), Notification: o.String("notification")}
	c.BundleID, _ = o.OptString("bundle_id")
	return c, o.Err()
}

// Applications reads the snapshot of running applications in core:apps.changed.
func (e Event) Applications() ([]protocol.Application, error) {
	return protocol.DecodeApplications(e.Payload)
}

// Focus reads the payload of core:focus.changed, core:apps.launched and
// core:apps.terminated: one application. PID is 0 where none has the focus.
func (e Event) Focus() (protocol.Application, error) {
	o, err := protocol.ParseObject(e.Payload)
	if err != nil {
		return protocol.Application{}, err
	}
	var a protocol.Application
	a.BundleID, _ = o.OptString("bundle_id")
	a.LocalizedName, _ = o.OptString("localized_name")
	a.PID, _ = o.OptPID("pid")
	return a, o.Err()
}

// WindowFocus reads the payload of core:window.focus.changed. Frame is nil
// where the host knows none.
func (e Event) WindowFocus() (protocol.Context, error) {
	o, err := protocol.ParseObject(e.Payload)
	if err != nil {
		return protocol.Context{}, err
	}
	var c protocol.Context
	c.BundleID, _ = o.OptString("bundle_id")
	c.PID, _ = o.OptPID("pid")
	if f := o.OptObject("front_window_frame"); f != nil {
		c.Frame = frame(f)
	}
	return c, o.Err()
}

func frame(o *protocol.Object) *protocol.Frame {
	return &protocol.Frame{X: o.Float("x"), Y: o.Float("y"), Width: o.Float("width"), Height: o.Float("height")}
}

// Segments reads the names of the plugin's status segments that something
// shows, from core:status.observed: sorted, possibly none.
func (e Event) Segments() ([]string, error) {
	o, err := protocol.ParseObject(e.Payload)
	if err != nil {
		return nil, err
	}
	names := o.Strings("segments")
	return names, o.Err()
}

// Text reads the new text of core:clipboard.changed.
func (e Event) Text() (string, error) {
	o, err := protocol.ParseObject(e.Payload)
	if err != nil {
		return "", err
	}
	text := o.String("text")
	return text, o.Err()
}

// coalescingKey returns what two events must share for the later to replace
// the earlier; "" replaces nothing. Accessibility changes are told apart by
// application and notification: a new title says nothing about a closed window.
func coalescingKey(name string, payload []byte) string {
	if !protocol.Replaces(name) {
		return ""
	}
	if name != protocol.EventAXChanged {
		return name
	}
	c, err := Event{name, payload}.AX()
	if err != nil {
		return name
	}
	return name + "\x00" + strconv.Itoa(c.PID) + "\x00" + c.Notification
}
