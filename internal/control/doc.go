// Package control is the resident's front door: one Unix-domain socket, owner
// only, over which the CLI, the terminal flashlight and scripts ask the
// resident to act. It owns the socket's file, the lock beside it, the frames
// and the version handshake. It knows no verb: the host registers those.
//
// The wire is JSON Lines. The first line each way is a hello with the
// program's version and the socket protocol's number; after it every client
// line is a request and every server line is an event of, or the end of, the
// request whose id it carries:
//
//	→ {"hello":{"protocol":1,"version":"0.1.0"}}
//	← {"hello":{"protocol":1,"version":"0.1.0","pid":4242}}
//	→ {"id":1,"method":"query","params":{"text":"2+2"}}
//	← {"id":1,"result":{…}}
//	→ {"id":2,"method":"nosuch"}
//	← {"id":2,"error":{"code":"unknown_method","message":"…"}}
//
// A connection that breaks off cancels what it asked for.
package control

import "fmt"

// ProtocolVersion is the number both sides of the socket must share.
const ProtocolVersion = 1

const (
	// maxRequest bounds a client's line: the largest is a query text, and a
	// clipboard-sized paste is refused long before it costs memory.
	maxRequest = 1 << 20
	// maxReply bounds what a client reads: a listing of a full catalogue.
	maxReply = 64 << 20
	// maxConns bounds connections at once; a script that leaks them is told so.
	maxConns = 64
	// maxInFlight bounds requests at once on one connection.
	maxInFlight = 32
)

// Code says what kind of failure an Error is, for programs.
type Code string

// The codes a request can end with.
const (
	CodeUnknownMethod Code = "unknown_method"
	CodeInvalid       Code = "invalid"
	CodeNotFound      Code = "not_found"
	CodeUnavailable   Code = "unavailable"
	CodeFailed        Code = "failed"
	CodeVersion       Code = "version"
	CodeBusy          Code = "busy"
)

// Error is a failure as it crosses the socket: Message is for people and names
// the thing and the remedy.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an Error of the given code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Hello is the first line in each direction.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid,omitempty"`
}
