package protocol

import "strconv"

// Error strings of the wire. They carry no user content.
const (
	textUnknownMethod = "unknown method: "
	textMismatchHost  = "protocol version mismatch: host v"
	textMismatchSelf  = ", plugin v"

	ErrTextInitializeTwice  = "initialize may only be called once"
	ErrTextHostClosed       = "host closed stdin"
	ErrTextHostCallTimeout  = "host call timed out"
	ErrTextResponseTooLarge = "response exceeded outbound frame limit"
	ErrTextRequestCapacity  = "plugin request capacity exceeded"
	ErrTextHostCallCapacity = "host call capacity exceeded"
	ErrTextDeadline         = "deadline exceeded"
	ErrTextStaleAXHandle    = "stale ax handle"
)

// ErrTextUnknownMethod is the reply to a request for a method that does not exist.
func ErrTextUnknownMethod(method string) string { return textUnknownMethod + method }

// ErrTextMismatch is the reply to an initialize of another version; host is 0
// when the host's version was no integer.
func ErrTextMismatch(host int64) string {
	return textMismatchHost + strconv.FormatInt(host, 10) + textMismatchSelf + strconv.Itoa(Version)
}

// ErrTextMissingCapability is the reply to a host call that the manifest does not declare.
func ErrTextMissingCapability(capability string) string {
	return "missing " + capability + " capability"
}

// ErrTextInvalidParams is the reply to params that break the method's contract.
func ErrTextInvalidParams(method string) string { return "invalid " + method + " params" }

// DecodeError is a fault in a value: where, and what is wrong there. It names
// keys and positions and never holds what stood in the value.
type DecodeError struct{ Path, Problem string }

func (e *DecodeError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// ReplyError is the error text of a well-formed reply with ok false.
type ReplyError struct{ Text string }

func (e *ReplyError) Error() string { return e.Text }
