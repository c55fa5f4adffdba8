package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

//go:embed scenarios
var embedded embed.FS

// Scenario is one script: what the plugin must declare for it to apply, the
// world it is started in, and the steps.
type Scenario struct {
	// Name is the file's path below scenarios/, without its ending.
	Name string `json:"-"`
	// About is the sentence that the scenario proves.
	About string `json:"about"`
	// Requires lists what the manifest has to declare: sources_warm,
	// sources_live, commands, queries, hints, actions, navigation, perform (commands,
	// actions or navigation), status, capability:<name>, probe; `!x` is what it must not.
	Requires []string `json:"requires"`
	// Bare leaves the opening initialize (id 1) to the steps.
	Bare bool `json:"bare"`
	// Config is FLASH_PLUGIN_CONFIG: a string as it is, an object encoded,
	// null to leave the variable out. Without the key it is `{}`.
	Config json.RawMessage `json:"config"`
	// Env adds variables to the child's.
	Env map[string]string `json:"env"`
	// Host holds standing replies to host calls, by method.
	Host any `json:"host"`
	// Allow names laws that this scenario breaks on purpose: over_quota,
	// unanswered, exit_code.
	Allow []string `json:"allow"`
	Steps []Step   `json:"steps"`
}

// Step is one line of a script; exactly one of its fields is set.
type Step struct {
	Send               any                 `json:"send,omitempty"`
	SendRaw            *RawBytes           `json:"send_raw,omitempty"`
	Call               *Call               `json:"call,omitempty"`
	Run                *Word               `json:"run,omitempty"`
	Expect             *Expect             `json:"expect,omitempty"`
	ExpectNotification *ExpectNotification `json:"expect_notification,omitempty"`
	ExpectHostRPC      *ExpectHostRPC      `json:"expect_host_rpc,omitempty"`
	ReplyHostRPC       *ReplyHostRPC       `json:"reply_host_rpc,omitempty"`
	ExpectNone         *ExpectNone         `json:"expect_none,omitempty"`
	SleepMS            int                 `json:"sleep_ms,omitempty"`
	CloseStdin         bool                `json:"close_stdin,omitempty"`
	KillParent         bool                `json:"kill_parent,omitempty"`
	ExpectExit         *ExpectExit         `json:"expect_exit,omitempty"`
	ExpectStderr       *ExpectStderr       `json:"expect_stderr,omitempty"`
	Repeat             *Repeat             `json:"repeat,omitempty"`
}

// RawBytes are written as they are, in one write or in one a part.
type RawBytes struct {
	Parts []RawPart `json:"parts"`
	Split bool      `json:"split,omitempty"` // one write a part, a short pause between
}

// RawPart is text or base64, Times times (once without), or as often as the
// whole of the parts takes to have Fill bytes before the final newline.
type RawPart struct {
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`
	Times  int    `json:"times,omitempty"`
	Fill   int    `json:"fill,omitempty"`
}

// Call sends a request and, with Reply, waits for its reply.
type Call struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
	Reply  any    `json:"reply,omitempty"`
}

// Word is a Call of the probe's command with one word and its arguments.
type Word struct {
	ID    any      `json:"id"`
	Word  string   `json:"word"`
	Args  []string `json:"args,omitempty"`
	Reply any      `json:"reply,omitempty"`
}

// Expect takes the next reply with ID.
type Expect struct {
	ID       any   `json:"id"`
	Result   any   `json:"result"`
	WithinMS int   `json:"within_ms,omitempty"`
	First    bool  `json:"first,omitempty"`  // nothing came before it
	Before   []any `json:"before,omitempty"` // no reply to these came before it
}

// ExpectNotification takes the next notification of Method, or with
// Eventually the first that matches.
type ExpectNotification struct {
	Method     string `json:"method"`
	Params     any    `json:"params"`
	WithinMS   int    `json:"within_ms,omitempty"`
	Eventually bool   `json:"eventually,omitempty"`
	Optional   bool   `json:"optional,omitempty"` // none in time is only noted
}

// ExpectHostRPC takes the next host call of Method and answers it: with
// Reply, with the denial of a capability, after a delay, or never; a call
// kept under As is answered by a later reply_host_rpc.
type ExpectHostRPC struct {
	Method   string `json:"method"`
	Params   any    `json:"params"`
	Reply    any    `json:"reply,omitempty"`
	Deny     string `json:"deny,omitempty"`
	DelayMS  int    `json:"delay_ms,omitempty"`
	Never    bool   `json:"never,omitempty"`
	As       string `json:"as,omitempty"`
	WithinMS int    `json:"within_ms,omitempty"`
}

// ReplyHostRPC answers a call kept under As.
type ReplyHostRPC struct {
	As    string `json:"as"`
	Reply any    `json:"reply"`
}

// ExpectNone holds when no such frame comes within the time, earlier unread ones included.
type ExpectNone struct {
	ID       any    `json:"id,omitempty"`
	Method   string `json:"method,omitempty"`
	WithinMS int    `json:"within_ms"`
}

// ExpectExit waits for the process to be gone.
type ExpectExit struct {
	Code     any `json:"code,omitempty"`
	WithinMS int `json:"within_ms,omitempty"`
}

// ExpectStderr waits until so many bytes came on stderr.
type ExpectStderr struct {
	Bytes int `json:"bytes"`
}

// Repeat runs Steps Times times with ${As} counting from From.
type Repeat struct {
	Times int    `json:"times"`
	As    string `json:"as"`
	From  int    `json:"from"`
	Steps []Step `json:"steps"`
}

// Scenarios returns the built-in scenarios in the order of their names.
func Scenarios() ([]Scenario, error) {
	sub, err := fs.Sub(embedded, "scenarios")
	if err != nil {
		return nil, err
	}
	return Load(sub)
}

// Load reads every *.json below the root of files as a scenario.
func Load(files fs.FS) ([]Scenario, error) {
	var all []Scenario
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		s, err := parseScenario(data)
		if err != nil {
			return fmt.Errorf("scenario %s: %w", name, err)
		}
		s.Name = strings.TrimSuffix(name, ".json")
		all = append(all, s)
		return nil
	})
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, err
}

func parseScenario(data []byte) (Scenario, error) {
	var s Scenario
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if s.About == "" || len(s.Steps) == 0 {
		return s, fmt.Errorf("needs about and steps")
	}
	for _, r := range s.Requires {
		if !knownRequirement(strings.TrimPrefix(r, "!")) {
			return s, fmt.Errorf("requires %q: not a known requirement", r)
		}
	}
	for _, a := range s.Allow {
		if a != allowOverQuota && a != allowUnanswered && a != allowExitCode {
			return s, fmt.Errorf("allow %q: not a known law", a)
		}
	}
	return s, checkSteps(s.Steps)
}

// checkSteps finds what would otherwise fail only when the step is reached.
func checkSteps(steps []Step) error {
	for i, step := range steps {
		kinds := map[string]json.RawMessage{}
		if err := json.Unmarshal(encode(step), &kinds); err != nil || len(kinds) != 1 {
			return fmt.Errorf("step %d has to do exactly one thing", i+1)
		}
		if step.SleepMS > 2000 {
			return fmt.Errorf("step %d sleeps for more than two seconds", i+1)
		}
		if e := step.ExpectHostRPC; e != nil && e.Reply == nil && e.Deny == "" && !e.Never && e.As == "" {
			return fmt.Errorf("step %d does not say how the host call is answered", i+1)
		}
		if step.Repeat != nil {
			if err := checkSteps(step.Repeat.Steps); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// scripted lists the host calls that steps answer; no standing reply is given to them.
func scripted(steps []Step, into map[string]bool) map[string]bool {
	for _, step := range steps {
		if step.ExpectHostRPC != nil {
			into[step.ExpectHostRPC.Method] = true
		}
		if step.Repeat != nil {
			scripted(step.Repeat.Steps, into)
		}
	}
	return into
}

func usesStandIn(steps []Step) bool {
	for _, step := range steps {
		if step.KillParent {
			return true
		}
	}
	return false
}
