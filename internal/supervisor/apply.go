package supervisor

import (
	"slices"
	"time"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// apply is the one place where the state of a lifecycle changes.
func (p *Plugin) apply(m message) {
	switch m.kind {
	case msgStart:
		p.on = true
	case msgStop:
		p.stop(m.ack)
	case msgClose:
		p.closing = true
		p.stop(m.ack)
	case msgReload:
		p.forgive()
		p.restart()
	case msgReplace:
		p.replace(m.def)
	case msgObserve:
		p.observe(m.segments)
	case msgManifestError:
		p.manifestErr = m.text
	case msgPerform:
		p.enqueue(m.waiter)
	case msgGiveUp:
		p.dequeue(m.waiter)
	case msgInstalled:
		p.installed(m.gen)
	case msgLaunched:
		p.launched(m.started)
	case msgLaunchFailed:
		p.launchFailed(m.gen, m.text)
	case msgInitialized:
		p.initialized(m.gen, m.hello)
	case msgDown:
		if ch := p.child; ch != nil && ch.gen == m.gen && !ch.ending {
			p.fail(ch, m.text)
		}
	case msgExited:
		p.exited(m.gen, m.exit)
	case msgTerminate:
		if ch := p.child; ch != nil && ch.gen == m.gen {
			p.terminate(ch)
		}
	case msgKill:
		if ch := p.child; ch != nil && ch.gen == m.gen {
			p.kill(ch)
		}
	case msgRetry:
		if p.retry != nil && p.gen == m.gen {
			p.retry = nil
			p.retries = append(p.retries, p.o.Time.Now())
			p.restarts++
		}
	case msgHoldOver:
		if p.holdTimer != nil && p.holdGen == m.gen {
			p.holdTimer = nil
			if p.state != Running {
				p.o.Sinks.ClearStatus(p.id, false)
			}
		}
	}
	p.next()
	p.publishSnapshot()
}

// wanted reports whether something wants the child to run.
func (p *Plugin) wanted() bool {
	if !p.on || p.state == Failed {
		return false
	}
	switch p.def.Manifest.Activation() {
	case protocol.Resident:
		return true
	case protocol.OnDemand:
		return p.commanded
	case protocol.StatusBound:
		return p.commanded || len(p.observed) > 0
	}
	return false
}

// next does what the state asks for. It is called after every change, and what
// it finds under way it leaves alone: the outcome comes back here.
func (p *Plugin) next() {
	wanted := p.wanted()
	switch {
	case !p.on:
		if p.state != Initial {
			p.enter(Stopped)
		}
		return
	case p.state == Failed:
		return
	case !wanted:
		p.cancelRetry()
		p.abandonAttempt()
		if ch := p.child; ch != nil && !ch.ending {
			p.end(ch)
			p.clearStatus(false)
		}
		p.enter(Idle)
		return
	case p.retry != nil:
		p.enter(Backoff)
		return
	case p.attempt != nil || p.child != nil:
		if p.attempt == nil && p.child.ending || p.attempt != nil && p.attempt.obsolete {
			p.enter(Launching) // as soon as the old child is gone
		}
		return
	}
	p.launch()
}

func (p *Plugin) enter(s State) {
	if p.state == s {
		return
	}
	p.log.Debug("plugin state", "from", string(p.state), "to", string(s), "generation", p.gen)
	p.state, p.since = s, p.o.Time.Now()
}

func (p *Plugin) stop(ack chan struct{}) {
	p.acks = append(p.acks, ack)
	p.on, p.commanded = false, false
	p.forgive()
	p.abandonAttempt()
	if ch := p.child; ch != nil && !ch.ending {
		p.end(ch)
	}
	p.clearStatus(false)
	p.o.Sinks.DropCatalog(p.id)
	p.release(nil)
}

// forgive gives a plugin a fresh start after someone acted on it.
func (p *Plugin) forgive() {
	p.cancelRetry()
	p.retries = nil
	p.lastErr = ""
	if p.state == Failed {
		p.enter(Idle)
	}
}

// restart ends the child, if there is one, for a successor.
func (p *Plugin) restart() {
	p.abandonAttempt()
	ch := p.child
	if ch == nil || ch.ending {
		return
	}
	p.end(ch)
	if !p.wanted() {
		p.clearStatus(false)
		return
	}
	p.clearStatus(true)
	gen := p.gen
	p.holdGen = gen
	p.holdTimer = p.o.Time.AfterFunc(StatusHold, func() { p.box.post(message{kind: msgHoldOver, gen: gen}) })
}

func (p *Plugin) replace(def Definition) {
	if !sameSources(p.def.Manifest.Sources, def.Manifest.Sources) {
		p.o.Sinks.DropCatalog(p.id)
	}
	p.def, p.manifestErr = def, ""
	p.observed = p.declared(p.observed)
	p.forgive()
	p.restart()
}

// sameSources reports whether the rows of one manifest can stand under the other.
func sameSources(a, b []protocol.Source) bool {
	return slices.EqualFunc(a, b, func(x, y protocol.Source) bool { return x.Name == y.Name })
}

func (p *Plugin) observe(segments []string) {
	observed := p.declared(segments)
	if slices.Equal(observed, p.observed) {
		return
	}
	p.observed = observed
	if ch := p.live.Load(); ch != nil && p.def.Manifest.Listens(protocol.EventStatusObserved) {
		ch.conn.Emit(event.StatusObserved(observed))
	}
}

// declared returns the segments that the manifest declares, sorted, each once.
func (p *Plugin) declared(segments []string) []string {
	var own []string
	for _, s := range segments {
		if p.def.Manifest.DeclaresStatus(s) {
			own = append(own, s)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// enqueue lets a perform wait for the child. Only one that nothing else would
// have started the child for makes it live on.
func (p *Plugin) enqueue(w *waiter) {
	a := p.def.Manifest.Activation()
	switch {
	case !p.on || p.state == Failed || a == protocol.ManifestOnly:
		w.ready <- nil
		return
	case p.live.Load() != nil:
		w.ready <- p.live.Load().conn
		return
	}
	if !p.wanted() {
		p.commanded = true
	}
	p.waiters = append(p.waiters, w)
}

func (p *Plugin) dequeue(w *waiter) {
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
		w.ready <- nil
	}
}

// release answers every perform that waits, with the child or with none.
func (p *Plugin) release(ch *child) {
	for _, w := range p.waiters {
		if ch == nil {
			w.ready <- nil
		} else {
			w.ready <- ch.conn
		}
	}
	p.waiters = nil
}

// failed decides what follows a failure: another try, or none.
func (p *Plugin) failed(reason string) {
	p.lastErr = reason
	p.clearStatus(false)
	now := p.o.Time.Now()
	p.retries = slices.DeleteFunc(p.retries, func(t time.Time) bool { return now.Sub(t) >= retryWindow })
	n := len(p.retries)
	if n >= retryLimit {
		p.park(reason)
		return
	}
	delay := min(retryMost, time.Duration(n+1)*time.Second)
	p.log.Warn("plugin failed", "generation", p.gen, "reason", reason, "retry_in_ms", delay.Milliseconds())
	gen := p.gen
	p.retryAt = now.Add(delay)
	p.retry = p.o.Time.AfterFunc(delay, func() { p.box.post(message{kind: msgRetry, gen: gen}) })
	p.enter(Backoff)
}

// park gives up until someone acts.
func (p *Plugin) park(reason string) {
	p.log.Error("plugin given up on", "generation", p.gen, "reason", reason,
		"remedy", "fix the plugin, or reload it")
	p.lastErr = reason
	p.cancelRetry()
	p.clearStatus(false)
	p.o.Sinks.DropCatalog(p.id)
	p.enter(Failed)
	p.release(nil)
}

func (p *Plugin) cancelRetry() {
	if p.retry != nil {
		p.retry.Stop()
		p.retry = nil
	}
}

// clearStatus says that the child's status values have no owner any more.
func (p *Plugin) clearStatus(planned bool) {
	if p.holdTimer != nil {
		p.holdTimer.Stop()
		p.holdTimer = nil
	}
	p.o.Sinks.ClearStatus(p.id, planned)
}
