package event

import (
	"bytes"
	"strconv"

	"github.com/flash-launcher/flash/protocol"
)

// Event is one thing that happened. It is made once and shared by all of its
// listeners, so nothing in it may be changed.
type Event struct {
	Name    string
	Payload []byte // raw JSON object
	Frame   []byte // the encoded `event` notification, newline included
	Key     string // coalescing key; "" keeps every event of the name, in order

	// Handed is called once a listener's lane is done with the event: written to
	// the child or dropped. Nil for all but ticks, which have one listener and no
	// key. It must not block.
	Handed func()
}

// New returns the event name with a raw JSON object as payload; none means {}.
func New(name string, payload []byte) *Event {
	key := ""
	if protocol.Replaces(name) {
		key = name
		if name == protocol.EventAXChanged {
			key = axKeyOf(payload)
		}
	}
	return build(name, payload, key)
}

func build(name string, payload []byte, key string) *Event {
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	if bytes.IndexByte(payload, '\n') >= 0 {
		// A line end would end the frame. In JSON it stands only between tokens.
		payload = bytes.ReplaceAll(payload, []byte{'\n'}, []byte{' '})
	}
	// The braces, keys and quotes around name and payload take 56 bytes; names
	// need no escapes.
	const around = 64
	frame := make([]byte, 0, around+len(name)+len(payload))
	frame = append(frame, `{"method":"event","params":{"name":`...)
	frame = protocol.AppendString(frame, name)
	frame = append(frame, `,"payload":`...)
	frame = append(frame, payload...)
	frame = append(frame, "}}\n"...)
	at := len(frame) - len("}}\n")
	return &Event{Name: name, Payload: frame[at-len(payload) : at : at], Frame: frame, Key: key}
}

// axKeyOf makes the key of a core:ax.changed event whose payload was encoded
// elsewhere. A payload that cannot be read coalesces by name alone.
func axKeyOf(payload []byte) string {
	o, err := protocol.ParseObject(payload)
	if err != nil {
		return protocol.EventAXChanged
	}
	pid, notification := o.PID("pid"), o.String("notification")
	o.Ignore("bundle_id")
	if o.Done() != nil {
		return protocol.EventAXChanged
	}
	return axKey(pid, notification)
}

// axKey tells apps and kinds of change apart: a window title that follows a
// focus move must not swallow it.
func axKey(pid int, notification string) string {
	b := make([]byte, 0, len(protocol.EventAXChanged)+len(notification)+13)
	b = append(b, protocol.EventAXChanged...)
	b = append(b, '\n')
	b = strconv.AppendInt(b, int64(pid), 10)
	b = append(b, '\n')
	b = append(b, notification...)
	return string(b)
}
