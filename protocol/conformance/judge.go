package conformance

import (
	"fmt"
	"slices"
	"sync"

	"github.com/flash-launcher/flash/protocol"
)

// The laws a scenario may break on purpose.
const (
	allowOverQuota  = "over_quota"
	allowUnanswered = "unanswered"
	allowExitCode   = "exit_code"
)

// anyMethod stands for the methods of requests under one id that differ: which
// of them a reply is to cannot be told.
const anyMethod = ""

// judge holds what was asked of the plugin and checks every frame of it
// against the laws that hold in all scenarios.
type judge struct {
	mu       sync.Mutex
	surfaces surfaces
	allow    []string
	asked    map[int64][]string // methods of unanswered requests, by id
	lastCall int64              // the plugin's newest request id
}

func newJudge(s surfaces, allow []string) *judge {
	return &judge{surfaces: s, allow: allow, asked: map[int64][]string{}}
}

// sent notes a line that was written to the plugin; a request among them is
// owed one reply, anything that is no frame none.
func (j *judge) sent(line []byte) {
	e, err := parseEnvelope(line, true)
	if err != nil || !e.isRequest() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	methods := append(j.asked[e.id], e.method)
	if methods[0] != e.method {
		for i := range methods {
			methods[i] = anyMethod
		}
	}
	j.asked[e.id] = methods
}

// owed lists the requests that have no reply.
func (j *judge) owed() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []string
	for id, methods := range j.asked {
		for _, method := range methods {
			list = append(list, fmt.Sprintf("%s (id %d)", method, id))
		}
	}
	slices.Sort(list)
	return list
}

// frame returns the law that f breaks, nil when it keeps them all.
func (j *judge) frame(f *frame) *Failure {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case f.isResponse():
		methods := j.asked[f.id]
		if len(methods) == 0 {
			return &Failure{Want: "one reply to each request and no other", Difference: fmt.Sprintf("nothing with id %d is waiting for a reply", f.id)}
		}
		if j.asked[f.id] = methods[1:]; len(methods) == 1 {
			delete(j.asked, f.id)
		}
		return j.reply(methods[0], f)
	case f.isRequest():
		if f.id <= j.lastCall {
			return &Failure{Want: "the plugin's own request ids rise", Difference: fmt.Sprintf("id %d came after %d", f.id, j.lastCall)}
		}
		j.lastCall = f.id
		return nil
	}
	return j.notification(f)
}

func (j *judge) reply(method string, f *frame) *Failure {
	result, _ := f.resultValue().(map[string]any)
	ok, isBool := result["ok"].(bool)
	if !isBool {
		return &Failure{Want: "result.ok is a boolean", Difference: "it is " + show(value(result, "ok"))}
	}
	if !ok {
		if _, has := result["unhandled"]; has && (method == "perform" || method == anyMethod) {
			return lawOf("a perform reply", decodeOutcome(f.result))
		}
		if text, _ := result["error"].(string); text == "" {
			return &Failure{Want: "an ok:false reply has an error text", Difference: "error is " + show(value(result, "error"))}
		}
		return nil
	}
	switch method {
	case "initialize":
		return differs("a good initialize reply", map[string]any{"ok": true, "protocol_version": number(protocol.Version)}, result)
	case "ping":
		return differs("a ping reply", map[string]any{"ok": true}, result)
	case "perform":
		return lawOf("a perform reply", decodeOutcome(f.result))
	}
	if slices.Contains(j.allow, allowOverQuota) {
		return nil
	}
	switch method {
	case "evaluate":
		_, err := protocol.DecodeAnswers(f.result)
		return lawOf("an evaluate reply", err)
	case "search":
		_, err := protocol.DecodeSearchReply(f.result, j.surfaces.DeclaresSource)
		return lawOf("a search reply", err)
	case "hints":
		_, _, err := protocol.DecodeHintsReply(f.result)
		return lawOf("a hints reply", err)
	}
	return nil
}

func (j *judge) notification(f *frame) *Failure {
	var err error
	switch f.method {
	case "publish":
		if !slices.Contains(j.allow, allowOverQuota) {
			_, err = protocol.DecodePublish(f.params, j.surfaces.DeclaresSource)
		}
	case "status":
		_, err = protocol.DecodeStatus(f.params)
	case "poll":
		_, err = protocol.DecodePoll(f.params)
	case "log":
		_, err = protocol.DecodeLog(f.params)
	default:
		err = fmt.Errorf("%q is none of publish, status, poll and log", f.method)
	}
	return lawOf("a "+f.method+" notification", err)
}

func decodeOutcome(result []byte) error {
	_, err := protocol.DecodeOutcome(result)
	return err
}

func lawOf(what string, err error) *Failure {
	if err == nil {
		return nil
	}
	return &Failure{Want: what + " within the wire's types and quotas", Difference: err.Error()}
}

func differs(what string, want, got any) *Failure {
	if d := Match(want, got); len(d) > 0 {
		return &Failure{Want: what + ": " + show(want), Difference: join(d)}
	}
	return nil
}

// value is o[key], or missing.
func value(o map[string]any, key string) any {
	if v, ok := o[key]; ok {
		return v
	}
	return missing{}
}
