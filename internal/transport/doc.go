// Package transport owns the conversation with one generation of one child:
// the bounded lanes in both directions, framing and decoding, the table of
// requests and their deadlines, the child's host calls, and its stderr.
//
// Each Conn has five goroutines that end with it: one writes stdin, one reads
// stdout into the raw lane, one cuts and decodes lines, one hands decoded
// notifications to the sinks, one drains stderr. None of them waits on another
// child, and nothing here waits on a lifecycle: a lane that is full ends the
// generation, once, and says why.
//
// A budget belongs to a Conn and a Conn to one generation, so releasing what an
// old child reserved can never free the room of its successor, and a host reply
// that comes late finds only the lane of the child that asked.
//
// The package never starts, signals or reaps a process, never decides about a
// restart, and never logs the content of a frame.
package transport
