package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/manifest"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// launch begins an attempt. It runs on a goroutine of its own, which stays with
// the child until it is reaped.
func (p *Plugin) launch() {
	p.gen++
	ctx, cancel := context.WithCancel(context.Background())
	p.attempt = &attempt{gen: p.gen, cancel: cancel}
	p.wantedAt = p.o.Time.Now()
	install := p.o.Install != nil && p.o.NeedsInstall != nil && p.o.NeedsInstall(p.def)
	if p.attempt.installing = install; install {
		p.enter(Installing)
	} else {
		p.enter(Launching)
	}
	go p.accompany(ctx, p.gen, p.def, install)
}

// abandonAttempt makes the attempt under way obsolete.
func (p *Plugin) abandonAttempt() {
	if p.attempt != nil {
		p.attempt.obsolete = true
		p.attempt.cancel()
	}
}

// accompany takes one child from its preparation to its end.
func (p *Plugin) accompany(ctx context.Context, gen uint64, def Definition, install bool) {
	ch, err := p.spawn(ctx, gen, def, install)
	if err != nil {
		p.box.post(message{kind: msgLaunchFailed, gen: gen, text: err.Error()})
		return
	}
	p.box.post(message{kind: msgLaunched, started: ch})
	ch.conn.Begin()
	spawned, timeout := p.o.Time.Now(), p.o.StartupTimeout()
	ch.conn.Go(transport.Request{
		Method:  protocol.MethodInitialize,
		Params:  protocol.NewObject(nil).Int("protocol_version", protocol.Version).Bytes(),
		Timeout: timeout,
	}, func(result []byte, err error) {
		h := greet(result, err, timeout)
		h.elapsed = p.o.Time.Now().Sub(spawned)
		p.box.post(message{kind: msgInitialized, gen: gen, hello: h})
	})
	exit := ch.proc.Wait()
	if err := ch.proc.Kill(); err != nil {
		p.log.Debug("nothing left to kill", "generation", gen, "error", err.Error())
	}
	ch.conn.Finish(drainGrace, "plugin "+exit.String())
	p.box.post(message{kind: msgExited, gen: gen, exit: exit})
}

// spawn runs the phases up to a child that has not been talked to.
func (p *Plugin) spawn(ctx context.Context, gen uint64, def Definition, install bool) (*child, error) {
	t := p.o.Time
	begun := t.Now()
	if install {
		if err := p.o.Install(ctx, def); err != nil {
			return nil, fmt.Errorf("install step failed: %w", err)
		}
		p.box.post(message{kind: msgInstalled, gen: gen})
	}
	installed := t.Now()
	spec, err := p.prepare(ctx, def)
	if err != nil {
		return nil, fmt.Errorf("cannot be prepared: %w", err)
	}
	resolved := t.Now()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	proc, err := p.o.Runner.Start(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	timings := proc.Timings()
	p.log.Info("plugin spawned", "generation", gen, "pid", proc.PID(),
		"install_ms", installed.Sub(begun).Milliseconds(),
		"resolution_ms", resolved.Sub(installed).Milliseconds(),
		"sandbox_ms", timings.Sandbox.Milliseconds(),
		"spawn_ms", timings.Spawn.Milliseconds())
	ch := &child{gen: gen, def: def, proc: proc}
	ch.conn = transport.New(transport.Options{
		Plugin: p.id,
		Stdin:  proc.Stdin(), Stdout: proc.Stdout(), Stderr: proc.Stderr(),
		Time:     t,
		Logger:   p.o.Logger,
		Declared: def.Manifest.DeclaresSource,
		Sinks:    p.sinksOf(ch),
	})
	return ch, nil
}

func (p *Plugin) prepare(ctx context.Context, def Definition) (Spec, error) {
	if p.o.Prepare != nil {
		return p.o.Prepare(ctx, def)
	}
	if def.ExecFault != "" {
		return Spec{}, errors.New(def.ExecFault)
	}
	return Spec{
		PluginID: def.ID(),
		Argv:     def.Argv,
		Dir:      def.Root,
		Env:      manifest.Environment(def, manifest.World{DataDir: p.o.DataDir}),
	}, nil
}

// greet reads the reply to initialize.
func greet(result []byte, err error, timeout time.Duration) hello {
	var ended *transport.ClosedError
	switch {
	case errors.As(err, &ended):
		return hello{ended: true}
	case errors.Is(err, transport.ErrDeadline):
		return hello{failed: fmt.Sprintf("did not answer initialize within %v", timeout)}
	case err != nil:
		return hello{failed: err.Error()}
	}
	version, ok, text, err := protocol.DecodeInitializeReply(result)
	switch {
	case err != nil:
		return hello{refused: "answered initialize with an invalid reply: " + err.Error()}
	case !ok:
		return hello{refused: "refused to start: " + text}
	case version != protocol.Version:
		return hello{refused: fmt.Sprintf("speaks protocol version %d, this host speaks %d", version, protocol.Version)}
	}
	return hello{}
}

// launched takes charge of a child, which may be obsolete already.
func (p *Plugin) launched(ch *child) {
	obsolete := p.attempt.obsolete
	p.attempt.cancel()
	p.attempt = nil
	p.child, p.last = ch, ch.conn
	p.confinement = ch.proc.Description()
	if obsolete {
		p.end(ch)
		return
	}
	p.enter(Launching)
}

func (p *Plugin) installed(gen uint64) {
	a := p.attempt
	if a == nil || a.gen != gen {
		return
	}
	if a.installing = false; !a.obsolete {
		p.enter(Launching)
	}
}

func (p *Plugin) launchFailed(gen uint64, reason string) {
	a := p.attempt
	if a == nil || a.gen != gen {
		return
	}
	a.cancel()
	p.attempt = nil
	if !a.obsolete {
		p.failed(reason)
	}
}

// initialized follows the answer to initialize. A child that is ending, and one
// whose connection ended first, are answered for by their exit.
func (p *Plugin) initialized(gen uint64, h hello) {
	ch := p.child
	if ch == nil || ch.gen != gen || ch.ending || h.ended {
		return
	}
	switch {
	case h.refused != "":
		p.end(ch)
		p.park(h.refused)
		return
	case h.failed != "":
		p.fail(ch, h.failed)
		return
	}
	p.initializeMS = h.elapsed.Milliseconds()
	p.startupMS = p.o.Time.Now().Sub(p.wantedAt).Milliseconds()
	p.log.Info("plugin initialized", "generation", gen,
		"elapsed_ms", p.initializeMS, "startup_total_ms", p.startupMS)
	p.enter(Running)
	p.live.Store(ch)
	ch.conn.Open(func() []*event.Event { return p.firstEvents(ch) })
	p.o.Sinks.Running(p.id, gen)
	p.o.Sweep.watch(p, ch)
	p.release(ch)
}

// firstEvents are what a fresh child is told before anything else.
func (p *Plugin) firstEvents(ch *child) []*event.Event {
	m := ch.def.Manifest
	lacks := event.Withheld(m.HasCapability)
	var first []*event.Event
	for _, e := range p.o.Sinks.First(p.id) {
		if m.Listens(e.Name) && !slices.Contains(lacks, e.Name) {
			first = append(first, e)
		}
	}
	if m.Listens(protocol.EventStatusObserved) {
		first = append(first, event.StatusObserved(p.observed))
	}
	return first
}
