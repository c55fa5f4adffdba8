package sdktest

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

func pidText() string { return strconv.Itoa(os.Getpid()) }

// Initialize does the handshake and fails the test when it is refused.
func (h *Harness) Initialize() {
	h.t.Helper()
	result := h.Call(protocol.MethodInitialize, `{"protocol_version":1}`)
	version, ok, text, err := protocol.DecodeInitializeReply([]byte(result))
	if err != nil || !ok || version != protocol.Version {
		h.t.Fatalf("initialize was answered with version %d, ok %v, %q (%v)", version, ok, text, err)
	}
}

// Send writes one line, to which it adds the newline: any bytes, also bad ones.
func (h *Harness) Send(line string) {
	h.t.Helper()
	h.SendBytes(append([]byte(line), '\n'))
}

// SendBytes writes bytes as they are, for tests of framing.
func (h *Harness) SendBytes(b []byte) {
	h.t.Helper()
	if err := h.write(b); err != nil {
		h.t.Fatalf("write to the plugin: %v; stderr: %s", err, h.Stderr())
	}
}

// Request sends a request and returns its id; params is a JSON object, "" is {}.
func (h *Harness) Request(method, params string) int64 {
	h.t.Helper()
	return h.RequestDeadline(method, params, 0)
}

// RequestDeadline is [Harness.Request] with what is left of the host's
// patience, which ends the handler's context.
func (h *Harness) RequestDeadline(method, params string, deadline time.Duration) int64 {
	h.t.Helper()
	h.nextID++
	h.SendBytes(protocol.AppendRequest(nil, h.nextID, method, object(params), "", deadline.Milliseconds()))
	return h.nextID
}

func object(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// Reply waits for the next reply to the request id and returns its result.
func (h *Harness) Reply(id int64) string {
	h.t.Helper()
	var result []byte
	h.wait("the reply to request "+strconv.FormatInt(id, 10), func() bool {
		if len(h.replies[id]) == 0 {
			return false
		}
		result, h.replies[id] = h.replies[id][0], h.replies[id][1:]
		return true
	})
	return string(result)
}

// Call sends a request and returns the result of its reply.
func (h *Harness) Call(method, params string) string {
	h.t.Helper()
	return h.Reply(h.Request(method, params))
}

// Event sends an event; payload is a JSON object, "" is {}.
func (h *Harness) Event(name, payload string) {
	h.t.Helper()
	h.SendBytes(protocol.AppendNotification(nil, protocol.MethodEvent, protocol.AppendEvent(nil, name, object(payload))))
}

// Tick sends the tick of the timer called name. A timer of [sdk.Host.Every]
// skips it while its function still runs from the tick before; see
// [Harness.TickUntil].
func (h *Harness) Tick(name string) {
	h.t.Helper()
	h.Event(protocol.EventPollPrefix+name, "")
}

// TickUntil is the host's clock for the timer called name: it ticks, and ticks
// again every 10 ms, until done reports true. One tick is not enough to count
// on where the timer's function may still run from the tick before.
func (h *Harness) TickUntil(name string, done func() bool) {
	h.t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	over := time.After(h.opts.Timeout)
	for h.Tick(name); !done(); h.Tick(name) {
		select {
		case <-again.C:
		case <-over:
			h.t.Fatalf("the ticks of %q had no effect within %v; stderr: %s", name, h.opts.Timeout, h.Stderr())
		}
	}
}

// NextNotification waits for the oldest notification of method that was not
// taken yet and returns its params.
func (h *Harness) NextNotification(method string) string {
	h.t.Helper()
	var params []byte
	h.wait("a "+method+" notification", func() bool {
		return take(&h.notes, method, &params)
	})
	return string(params)
}

// Notifications returns how many notifications of method wait to be taken.
func (h *Harness) Notifications(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, x := range h.notes {
		if x.method == method {
			n++
		}
	}
	return n
}

// NextHostCall waits for the oldest host call of method that was not taken yet
// and returns its params.
func (h *Harness) NextHostCall(method string) string {
	h.t.Helper()
	var params []byte
	h.wait("a call of "+method, func() bool {
		return take(&h.calls, method, &params)
	})
	return string(params)
}

func take(from *[]note, method string, params *[]byte) bool {
	for i, n := range *from {
		if n.method == method {
			*params = n.params
			*from = append((*from)[:i:i], (*from)[i+1:]...)
			return true
		}
	}
	return false
}

// NextPublish waits for the next catalogue.
func (h *Harness) NextPublish() []protocol.Row {
	h.t.Helper()
	rows, err := protocol.DecodePublish([]byte(h.NextNotification(protocol.MethodPublish)), h.declared)
	h.must(err)
	return rows
}

// NextStatus waits for the next change of status segments.
func (h *Harness) NextStatus() map[string]protocol.StatusValue {
	h.t.Helper()
	values, err := protocol.DecodeStatus([]byte(h.NextNotification(protocol.MethodStatus)))
	h.must(err)
	return values
}

// NextPoll waits for the next set of timers.
func (h *Harness) NextPoll() []protocol.Registration {
	h.t.Helper()
	regs, err := protocol.DecodePoll([]byte(h.NextNotification(protocol.MethodPoll)))
	h.must(err)
	return regs
}

// NextLog waits for the next log record.
func (h *Harness) NextLog() protocol.LogRecord {
	h.t.Helper()
	rec, err := protocol.DecodeLog([]byte(h.NextNotification(protocol.MethodLog)))
	h.must(err)
	return rec
}

func (h *Harness) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// HostReply scripts a host call: fn gets its params and returns the result
// object, or "" to leave the call unanswered. It runs on a goroutine of its
// own. Calls without a script are refused for want of their capability;
// storage, which needs none, is empty and takes everything.
func (h *Harness) HostReply(method string, fn func(params string) string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.script[method] = fn
}

// Evaluate asks for answers to query and fails the test on a refusal or a
// breach of quotas.
func (h *Harness) Evaluate(query string) []protocol.Answer {
	h.t.Helper()
	params := protocol.AppendEvaluate(nil, protocol.Evaluate{Query: query})
	answers, err := protocol.DecodeAnswers([]byte(h.Call(protocol.MethodEvaluate, string(params))))
	h.must(err)
	return answers
}

// Search asks a live source and fails the test on a refusal or a breach of
// quotas.
func (h *Harness) Search(query, scope string) []protocol.Row {
	h.t.Helper()
	params := protocol.AppendSearch(nil, protocol.Search{Query: query, Scope: scope})
	rows, err := protocol.DecodeSearchReply([]byte(h.Call(protocol.MethodSearch, string(params))), h.declared)
	h.must(err)
	return rows
}

// Perform runs p and fails the test when the reply is none of the three arms.
func (h *Harness) Perform(p protocol.Perform) protocol.Outcome {
	h.t.Helper()
	out, err := protocol.DecodeOutcome([]byte(h.Call(protocol.MethodPerform, string(protocol.AppendPerform(nil, p)))))
	h.must(err)
	return out
}

// Command runs `:command subcommand args…`.
func (h *Harness) Command(command, subcommand string, args ...string) protocol.Outcome {
	h.t.Helper()
	raw := strings.Join(append([]string{":" + command, subcommand}, args...), " ")
	return h.Perform(protocol.Perform{
		Kind: protocol.PerformCommand, Command: command, Subcommand: subcommand, Args: args, Raw: raw,
	})
}

// WaitStderr waits until stderr holds text.
func (h *Harness) WaitStderr(text string) {
	h.t.Helper()
	h.wait("stderr with "+strconv.Quote(text), func() bool {
		return bytes.Contains(h.stderr.Bytes(), []byte(text))
	})
}

// Drained waits until the plugin's output has ended, which is when everything
// that it sent has been taken in.
func (h *Harness) Drained() {
	h.t.Helper()
	h.wait("the end of the plugin's output", func() bool { return h.ended })
}

// CloseStdin ends the plugin's input, which asks it to shut down.
func (h *Harness) CloseStdin() {
	h.t.Helper()
	h.writing.Lock()
	defer h.writing.Unlock()
	h.must(h.in.Close())
}

// WaitExit waits for the plugin's end and returns its exit status: minus the
// number of the signal when one ended it.
func (h *Harness) WaitExit() int {
	h.t.Helper()
	h.wait("the plugin's exit", func() bool { return h.exited && h.ended })
	return h.status
}

// PID returns the plugin's process id, 0 in-process.
func (h *Harness) PID() int { return h.pid }
