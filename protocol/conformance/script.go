package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// expectWithin is how long a step waits when it does not say: what the host
// gives the slowest of the ordinary replies.
const expectWithin = protocol.DeadlineStartup

// script is one scenario being played to one child.
type script struct {
	ctx      context.Context
	o        Options
	scenario Scenario
	vars     vars
	child    *child
	inbox    *inbox
	judge    *judge
	scripted map[string]bool   // host calls that steps answer
	standing map[string]any    // the scenario's replies to the others
	kept     map[string]*frame // host calls to be answered later, by name
	exit     bool              // a step saw the exit
	notes    []string

	writeMu sync.Mutex // one writer at a time; guards closed and partial
	closed  bool
	partial []byte // sent since the last newline

	// logMu guards transcript apart from writeMu: the reader of stdout must
	// never wait for a write, or both sides could block on full pipes.
	logMu      sync.Mutex
	transcript []string
	answers    sync.WaitGroup // replies to host calls still to be written
}

func runScenario(ctx context.Context, o Options, s surfaces, scenario Scenario, result *Result) {
	started := time.Now()
	failure, notes := play(ctx, o, s, scenario)
	result.ElapsedMS, result.Notes = time.Since(started).Milliseconds(), notes
	result.Status, result.Failure = Passed, failure
	if failure != nil {
		result.Status = Failed
	}
}

func play(ctx context.Context, o Options, s surfaces, scenario Scenario) (*Failure, []string) {
	dataDir, err := os.MkdirTemp(o.TempDir, "flash-conformance-")
	if err != nil {
		return &Failure{Difference: "no data directory: " + err.Error()}, nil
	}
	defer os.RemoveAll(dataDir)
	config, hasConfig := configText(scenario.Config)
	c, err := startChild(childSpec{
		argv: o.Argv, dir: o.Dir, standIn: usesStandIn(scenario.Steps),
		env: environment(o, s, dataDir, config, hasConfig, scenario.Env),
	})
	if err != nil {
		return &Failure{Difference: err.Error()}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &script{
		ctx: ctx, o: o, scenario: scenario, vars: s.vars(), child: c, inbox: newInbox(),
		judge: newJudge(s, scenario.Allow), scripted: scripted(scenario.Steps, map[string]bool{}), kept: map[string]*frame{},
	}
	p.standing, _ = p.vars.expand(scenario.Host).(map[string]any)
	p.vars["data_dir"], p.vars["parent_pid"] = dataDir, fmt.Sprint(os.Getpid())
	var readers sync.WaitGroup
	readers.Add(2)
	go func() { defer readers.Done(); p.inbox.read(c.stdout, p.arrived) }()
	go func() { defer readers.Done(); c.drain() }()
	failure := p.play()
	if failure != nil {
		failure.Transcript, failure.Stderr = p.lastFrames(), c.stderrTail()
	}
	cancel()
	c.destroy()
	// A grandchild that left the group can still hold the pipes.
	c.stdout.Close()
	c.stderr.Close()
	readers.Wait()
	p.answers.Wait()
	return failure, p.notes
}

// configText is FLASH_PLUGIN_CONFIG of a scenario, and whether it is set at all.
func configText(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 {
		return "{}", true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return text, true
	}
	var compact bytes.Buffer
	if string(raw) == "null" || json.Compact(&compact, raw) != nil {
		return "", false
	}
	return compact.String(), true
}

func (p *script) play() *Failure {
	if !p.scenario.Bare {
		hello := Step{Call: &Call{ID: json.Number("1"), Method: "initialize",
			Params: map[string]any{"protocol_version": number(protocol.Version)},
			Reply:  map[string]any{"ok": true, "protocol_version": number(protocol.Version)}}}
		if f := p.step(hello); f != nil {
			f.Step = "opening initialize"
			return f
		}
	}
	if f := p.steps(p.scenario.Steps, ""); f != nil {
		return f
	}
	if f := p.finish(); f != nil {
		f.Step = "end of the scenario"
		return f
	}
	return nil
}

func (p *script) steps(steps []Step, within string) *Failure {
	for i, step := range steps {
		f := p.step(step)
		if f == nil {
			f = p.inbox.broken()
		}
		if f != nil {
			if f.Step == "" {
				f.Step = fmt.Sprintf("%s%d: %s", within, i+1, shown(encode(step), 300))
			}
			return f
		}
	}
	return nil
}

// finish holds what is true at the end of every scenario: an ordinary EOF
// ends the plugin in time with code 0, everything asked was answered once,
// nobody is left behind.
func (p *script) finish() *Failure {
	if !p.exit {
		p.closeStdin()
		limit := p.o.scale(protocol.ShutdownGrace)
		if !p.child.wait(limit) {
			return &Failure{Want: "the plugin exits after EOF on stdin", Difference: fmt.Sprintf("it still ran %v later", limit)}
		}
	}
	if p.child.orphan {
		return nil
	}
	if !p.inbox.ended(p.o.scale(protocol.KillGrace)) {
		return &Failure{Want: "stdout ends with the plugin", Difference: "another process holds it open"}
	}
	if f := p.inbox.broken(); f != nil {
		return f
	}
	if code, text := p.child.exit(); !p.exit && code != 0 && !p.allows(allowExitCode) {
		return &Failure{Want: "exit code 0 after EOF on stdin", Difference: text}
	}
	if owed := p.judge.owed(); len(owed) > 0 && !p.allows(allowUnanswered) {
		return &Failure{Want: "one reply to each request", Difference: "no reply to " + join(owed)}
	}
	if p.child.stragglers() {
		return &Failure{Want: "no process left of the plugin's group", Difference: "something of it still runs"}
	}
	return nil
}

func (p *script) allows(law string) bool { return slices.Contains(p.scenario.Allow, law) }

// arrived judges a frame and gives host calls that no step answers their standing reply.
func (p *script) arrived(f *frame) *Failure {
	p.record("plugin: ", f.line)
	if f.isRequest() && !p.scripted[f.method] {
		reply, ok := p.standing[f.method]
		if !ok {
			reply = standingReply(f)
		}
		p.answer(f, reply, 0)
	}
	return p.judge.frame(f)
}

// answer replies to a host call after a delay, on a goroutine of its own: it
// may be called by the reader of stdout, which must not wait for a write. A
// plugin that is gone by then is found out elsewhere.
func (p *script) answer(f *frame, reply any, delay time.Duration) {
	line := append(encode(map[string]any{"id": number(f.id), "result": reply}), '\n')
	p.answers.Add(1)
	go func() {
		defer p.answers.Done()
		if p.pause(delay) == nil {
			_ = p.write(line)
		}
	}()
}

// pause waits for d, or for the end of the run.
func (p *script) pause(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// write sends parts to the plugin, a short pause between them and nothing else,
// and notes every line that they complete.
func (p *script) write(parts ...[]byte) error {
	p.writeMu.Lock()
	defer p.writeMu.Unlock()
	for i, part := range parts {
		if i > 0 {
			if err := p.pause(splitPause); err != nil {
				return err
			}
		}
		if err := p.writeLocked(part); err != nil {
			return err
		}
	}
	return nil
}

func (p *script) writeLocked(data []byte) error {
	if p.closed {
		return os.ErrClosed
	}
	rest := data
	for {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		p.partial = append(p.partial, line...)
		if !ended {
			break
		}
		p.judge.sent(bytes.TrimSuffix(p.partial, []byte("\r")))
		p.record("host:   ", p.partial)
		p.partial, rest = nil, after
	}
	return p.child.write(data, p.o.scale(protocol.DeadlinePerform))
}

func (p *script) closeStdin() {
	p.writeMu.Lock()
	defer p.writeMu.Unlock()
	if !p.closed {
		p.closed = true
		p.child.stdin.Close()
	}
}

// transcriptKept is how many frames before a failure it shows.
const transcriptKept = 12

func (p *script) record(who string, line []byte) {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	if len(p.transcript) == transcriptKept {
		p.transcript = append(p.transcript[:0], p.transcript[1:]...)
	}
	p.transcript = append(p.transcript, who+shown(line, 240))
}

func (p *script) lastFrames() []string {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	return slices.Clone(p.transcript)
}
