package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/flash-launcher/flash/protocol"
)

// splitPause lies between the parts of a split write, long enough that a
// reader which waits on the pipe sees them apart.
const splitPause = 15 * time.Millisecond

// within is a step's own limit, or the ordinary one, with the patience of the run.
func (p *script) within(ms int) time.Duration {
	if ms > 0 {
		return p.o.scale(time.Duration(ms) * time.Millisecond)
	}
	return p.o.scale(expectWithin)
}

func (p *script) step(s Step) *Failure {
	switch {
	case s.Send != nil:
		return p.send(s.Send)
	case s.SendRaw != nil:
		return p.sendRaw(s.SendRaw)
	case s.Call != nil:
		return p.call(s.Call)
	case s.Run != nil:
		return p.run(s.Run)
	case s.Expect != nil:
		return p.expect(s.Expect)
	case s.ExpectNotification != nil:
		return p.expectNotification(s.ExpectNotification)
	case s.ExpectHostRPC != nil:
		return p.expectHostRPC(s.ExpectHostRPC)
	case s.ReplyHostRPC != nil:
		return p.replyHostRPC(s.ReplyHostRPC)
	case s.ExpectNone != nil:
		return p.expectNone(s.ExpectNone)
	case s.SleepMS > 0:
		return failed(p.pause(time.Duration(s.SleepMS) * time.Millisecond))
	case s.CloseStdin:
		p.closeStdin()
	case s.KillParent:
		p.writeMu.Lock()
		p.closed = true
		p.writeMu.Unlock()
		p.child.killParent()
	case s.ExpectExit != nil:
		return p.expectExit(s.ExpectExit)
	case s.ExpectStderr != nil:
		limit := p.within(0)
		if got, ok := p.child.awaitStderr(s.ExpectStderr.Bytes, limit); !ok {
			return &Failure{Want: fmt.Sprintf("%d bytes on stderr", s.ExpectStderr.Bytes), Difference: fmt.Sprintf("%d came within %v", got, limit)}
		}
	case s.Repeat != nil:
		return p.repeat(s.Repeat)
	}
	return nil
}

func failed(err error) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := err.(*Failure); ok {
		return f
	}
	return &Failure{Difference: err.Error()}
}

func (p *script) send(frame any) *Failure {
	if err := p.write(append(encode(p.vars.expand(frame)), '\n')); err != nil {
		return &Failure{Want: "the plugin reads its stdin", Difference: err.Error()}
	}
	return nil
}

func (p *script) sendRaw(raw *RawBytes) *Failure {
	parts, err := p.rawParts(raw)
	if err != nil {
		return failed(err)
	}
	if !raw.Split {
		parts = [][]byte{bytes.Join(parts, nil)}
	}
	if err := p.write(parts...); err != nil {
		return &Failure{Want: "the plugin reads its stdin", Difference: err.Error()}
	}
	return nil
}

func (p *script) rawParts(raw *RawBytes) ([][]byte, error) {
	parts := make([][]byte, len(raw.Parts))
	filler, total := -1, 0
	for i, spec := range raw.Parts {
		data := []byte(p.vars.text(spec.Text))
		if spec.Base64 != "" {
			var err error
			if data, err = base64.StdEncoding.DecodeString(spec.Base64); err != nil {
				return nil, fmt.Errorf("part %d of send_raw: %w", i+1, err)
			}
		}
		parts[i] = bytes.Repeat(data, max(spec.Times, 1))
		if spec.Fill > 0 {
			filler = i
			continue
		}
		total += len(parts[i])
	}
	if filler >= 0 {
		if bytes.HasSuffix(parts[len(parts)-1], []byte("\n")) {
			total--
		}
		unit := parts[filler]
		times := (raw.Parts[filler].Fill - total) / len(unit)
		if times < 0 {
			return nil, fmt.Errorf("send_raw: the parts are longer than the %d bytes to fill", raw.Parts[filler].Fill)
		}
		parts[filler] = bytes.Repeat(unit, times)
	}
	return parts, nil
}

func (p *script) call(c *Call) *Failure {
	params := c.Params
	if params == nil {
		params = map[string]any{}
	}
	started := time.Now()
	if f := p.send(map[string]any{"id": c.ID, "method": c.Method, "params": params}); f != nil || c.Reply == nil {
		return f
	}
	f := p.expect(&Expect{ID: c.ID, Result: c.Reply})
	if limit := hostDeadline(c.Method); limit > 0 && f == nil {
		if took := time.Since(started); took > limit {
			p.notes = append(p.notes, fmt.Sprintf("%s took %d ms, a host waits %d", c.Method, took.Milliseconds(), limit.Milliseconds()))
		}
	}
	return f
}

// hostDeadline is what a host gives the two methods that run while a person types.
func hostDeadline(method string) time.Duration {
	switch method {
	case "evaluate":
		return protocol.DeadlineQuery
	case "search":
		return protocol.DeadlineLive
	}
	return 0
}

func (p *script) run(r *Word) *Failure {
	args := make([]any, len(r.Args))
	text := make([]string, 0, len(r.Args)+1)
	text = append(text, p.vars.text(r.Word))
	for i, arg := range r.Args {
		// An argument is a string also where it is nothing but a counter.
		expanded := p.vars.text(arg)
		args[i] = expanded
		text = append(text, expanded)
	}
	command := p.vars["command"]
	return p.call(&Call{ID: r.ID, Method: "perform", Reply: r.Reply, Params: map[string]any{
		"kind": "command", "command": command, "subcommand": text[0], "args": args,
		"raw": ":" + command + " " + strings.Join(text, " "),
	}})
}

func (p *script) id(v any) (int64, error) {
	n, _ := p.vars.expand(v).(json.Number)
	id, err := n.Int64()
	if err != nil {
		return 0, fmt.Errorf("the scenario's id %s is no integer", show(v))
	}
	return id, nil
}

func (p *script) expect(e *Expect) *Failure {
	id, err := p.id(e.ID)
	if err != nil {
		return failed(err)
	}
	want := p.vars.expand(e.Result)
	f, err := p.inbox.take(p.ctx, p.within(e.WithinMS), func(f *frame) bool { return f.isResponse() && f.id == id })
	if err != nil {
		return p.unmet(fmt.Sprintf("a reply to id %d: %s", id, show(want)), err)
	}
	if d := Match(want, f.resultValue()); len(d) > 0 {
		return mismatch(f, want, d)
	}
	if e.First && f.seq != 1 {
		if broken := p.inbox.broken(); broken != nil {
			return broken // what came before is no frame: that says more
		}
		return &Failure{Frame: f.shown(), Want: "this reply comes before anything else", Difference: fmt.Sprintf("it is line %d", f.seq)}
	}
	return p.before(f, e.Before)
}

// before fails when a reply to one of ids came earlier than f.
func (p *script) before(f *frame, ids []any) *Failure {
	for _, v := range ids {
		id, err := p.id(v)
		if err != nil {
			return failed(err)
		}
		late := false
		p.inbox.each(func(x *frame) { late = late || x.isResponse() && x.id == id && x.seq < f.seq })
		if late {
			return &Failure{Frame: f.shown(), Want: fmt.Sprintf("this reply comes before the one to id %d", id), Difference: "it came after"}
		}
	}
	return nil
}

func (p *script) expectNotification(e *ExpectNotification) *Failure {
	want := p.vars.expand(e.Params)
	var nearest *frame
	f, err := p.inbox.take(p.ctx, p.within(e.WithinMS), func(f *frame) bool {
		if f.isRequest() || f.isResponse() || f.method != e.Method {
			return false
		}
		if e.Eventually && len(Match(want, f.paramsValue())) > 0 {
			nearest = f
			return false
		}
		return true
	})
	if err != nil && e.Optional && p.inbox.broken() == nil && err != errStdoutClosed {
		p.notes = append(p.notes, fmt.Sprintf("no %s within %v", e.Method, p.within(e.WithinMS)))
		return nil
	}
	if err != nil {
		failure := p.unmet(fmt.Sprintf("a %s notification: %s", e.Method, show(want)), err)
		if nearest != nil {
			failure.Frame = nearest.shown()
			failure.Difference += "\n" + join(Match(want, nearest.paramsValue()))
		}
		return failure
	}
	if d := Match(want, f.paramsValue()); len(d) > 0 {
		return mismatch(f, want, d)
	}
	return nil
}

func (p *script) expectHostRPC(e *ExpectHostRPC) *Failure {
	want := p.vars.expand(e.Params)
	f, err := p.inbox.take(p.ctx, p.within(e.WithinMS), func(f *frame) bool { return f.isRequest() && f.method == e.Method })
	if err != nil {
		return p.unmet(fmt.Sprintf("a host call %s: %s", e.Method, show(want)), err)
	}
	if d := Match(want, f.paramsValue()); len(d) > 0 {
		return mismatch(f, want, d)
	}
	if e.As != "" {
		p.kept[p.vars.text(e.As)] = f
	}
	delay := time.Duration(e.DelayMS) * time.Millisecond
	switch {
	case e.Never:
	case e.Deny != "":
		p.answer(f, denial(e.Deny), delay)
	case e.Reply != nil:
		p.answer(f, p.vars.expand(e.Reply), delay)
	}
	return nil
}

func (p *script) replyHostRPC(r *ReplyHostRPC) *Failure {
	f, ok := p.kept[p.vars.text(r.As)]
	if !ok {
		return &Failure{Difference: fmt.Sprintf("the scenario kept no host call as %q", r.As)}
	}
	return p.send(map[string]any{"id": number(f.id), "result": p.vars.expand(r.Reply)})
}

func (p *script) expectNone(e *ExpectNone) *Failure {
	var id int64
	if e.ID != nil {
		var err error
		if id, err = p.id(e.ID); err != nil {
			return failed(err)
		}
	}
	f, err := p.inbox.take(p.ctx, time.Duration(e.WithinMS)*time.Millisecond, func(f *frame) bool {
		return (e.ID != nil && f.isResponse() && f.id == id) || (e.Method != "" && f.method == e.Method)
	})
	if err == nil {
		return &Failure{Frame: f.shown(), Want: "no such frame", Difference: "it came"}
	}
	if err == errStdoutClosed {
		return nil
	}
	return p.inbox.broken()
}

func (p *script) expectExit(e *ExpectExit) *Failure {
	limit := p.within(e.WithinMS)
	if e.WithinMS == 0 {
		limit = p.o.scale(protocol.ShutdownGrace)
	}
	if !p.child.wait(limit) {
		return &Failure{Want: "the plugin exits", Difference: fmt.Sprintf("it still ran %v later", limit)}
	}
	p.exit = true
	if p.child.orphan || e.Code == nil {
		return nil
	}
	want, err := p.id(e.Code)
	if err != nil {
		return failed(err)
	}
	if code, text := p.child.exit(); int64(code) != want {
		return &Failure{Want: fmt.Sprintf("exit code %d", want), Difference: text}
	}
	return nil
}

func (p *script) repeat(r *Repeat) *Failure {
	for i := range r.Times {
		p.vars[r.As] = fmt.Sprint(r.From + i)
		if f := p.steps(r.Steps, fmt.Sprintf("%s=%d, ", r.As, r.From+i)); f != nil {
			return f
		}
	}
	return nil
}

// unmet is an expectation that no frame came for. What the plugin did wrong
// earlier says more than that, and so does its exit.
func (p *script) unmet(want string, err error) *Failure {
	if f, ok := err.(*Failure); ok {
		return f
	}
	text := err.Error()
	if err == errStdoutClosed && !p.child.orphan && p.child.wait(protocol.KillGrace) {
		_, how := p.child.exit()
		text = "the plugin ended first: " + how
	}
	return &Failure{Want: want, Difference: text}
}

func mismatch(f *frame, want any, differences []string) *Failure {
	return &Failure{Frame: f.shown(), Want: show(want), Difference: join(differences)}
}
