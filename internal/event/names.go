package event

import "github.com/flash-launcher/flash/protocol"

// Capability returns the capability that a plugin needs to be told of an event,
// or "" where listening is enough.
func Capability(name string) string {
	if name == protocol.EventClipboardChanged {
		return protocol.CapClipboard
	}
	return ""
}

// Withheld lists the events that a plugin may not be told of, whatever it
// listens to, given the capabilities it holds.
func Withheld(holds func(capability string) bool) []string {
	if holds(Capability(protocol.EventClipboardChanged)) {
		return nil
	}
	return []string{protocol.EventClipboardChanged}
}
