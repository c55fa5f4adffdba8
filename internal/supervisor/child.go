package supervisor

import (
	"context"
	"sync"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/transport"
	"github.com/flash-launcher/flash/protocol"
)

// child is one generation of a plugin.
type child struct {
	gen  uint64
	def  Definition
	proc Process
	conn *transport.Conn

	// The lifecycle goroutine's own.
	ending   bool   // it is asked to end, or its failure is accounted for
	reason   string // why it failed; "" for an end that was planned
	signaled bool   // it did not end by itself
	timer    event.Timer

	// mu orders what the child says last about status and timers before, never
	// after, the call that takes them back.
	mu      sync.Mutex
	revoked bool
}

// sinksOf are the ends of a child's lane, each call stamped with its generation.
func (p *Plugin) sinksOf(ch *child) transport.Sinks {
	s := &p.o.Sinks
	caller := Caller{PluginID: p.id, Generation: ch.gen, Manifest: ch.def.Manifest, DataDir: p.o.DataDir}
	return transport.Sinks{
		Publish: func(rows []protocol.Row) { s.Publish(p.id, ch.gen, rows) },
		Status: func(values map[string]protocol.StatusValue) {
			for name := range values {
				if !ch.def.Manifest.DeclaresStatus(name) {
					delete(values, name)
				}
			}
			if len(values) > 0 {
				ch.unlessRevoked(func() { s.Status(p.id, ch.gen, values) })
			}
		},
		Poll: func(regs []protocol.Registration) {
			ch.unlessRevoked(func() { s.Poll(p.id, ch.gen, regs) })
		},
		Log: func(rec protocol.LogRecord) { s.Log(p.id, rec) },
		HostCall: func(ctx context.Context, method string, params []byte) []byte {
			return s.HostCall(ctx, caller, method, params)
		},
		Down: func(reason string) { p.box.post(message{kind: msgDown, gen: ch.gen, text: reason}) },
	}
}

func (ch *child) unlessRevoked(f func()) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if !ch.revoked {
		f()
	}
}

func (ch *child) revoke() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.revoked = true
}

// end asks the child to end, and sees to it that it does.
func (p *Plugin) end(ch *child) {
	ch.ending = true
	p.part(ch)
	ch.conn.Hangup()
	ch.timer = p.o.Time.AfterFunc(protocol.ShutdownGrace, func() {
		p.box.post(message{kind: msgTerminate, gen: ch.gen})
	})
}

// part takes away what a child may do and what it has registered.
func (p *Plugin) part(ch *child) {
	if p.live.Load() == ch {
		p.live.Store(nil)
	}
	p.o.Sweep.unwatch(ch)
	ch.revoke()
	p.o.Sinks.Poll(p.id, ch.gen, nil)
}

func (p *Plugin) terminate(ch *child) {
	ch.signaled = true
	if err := ch.proc.Terminate(); err != nil {
		p.log.Debug("SIGTERM not delivered", "generation", ch.gen, "error", err.Error())
	}
	ch.timer = p.o.Time.AfterFunc(protocol.KillGrace, func() {
		p.box.post(message{kind: msgKill, gen: ch.gen})
	})
}

func (p *Plugin) kill(ch *child) {
	p.log.Warn("plugin killed: it ignored the end of its input and SIGTERM", "generation", ch.gen)
	if err := ch.proc.Kill(); err != nil {
		p.log.Debug("SIGKILL not delivered", "generation", ch.gen, "error", err.Error())
	}
}

// fail ends a child that cannot go on, and decides what follows.
func (p *Plugin) fail(ch *child, reason string) {
	ch.reason = reason
	p.end(ch)
	p.failed(reason)
}

// exited follows the end of a child that is reaped and drained.
func (p *Plugin) exited(gen uint64, exit Exit) {
	ch := p.child
	if ch == nil || ch.gen != gen {
		return
	}
	p.child = nil
	if ch.timer != nil {
		ch.timer.Stop()
	}
	p.log.Info("plugin ended", "generation", gen, "how", exit.String())
	switch {
	case !ch.ending:
		p.part(ch)
		p.failed(exit.String())
	case ch.reason != "" && !ch.signaled && p.lastErr == ch.reason:
		// It ended by itself, so how it did says more than what was noticed of it.
		p.lastErr = ch.reason + "; " + exit.String()
	}
}
