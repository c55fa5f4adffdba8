package x11

import (
	"slices"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Loop is a connection whose events, and whatever else has to do with its
// windows, run on one goroutine. What shares a loop shares the connection's
// grabs: keys that follow a hot key can so go to a window without a gap.
type Loop struct {
	*Conn

	mu      sync.Mutex
	queue   []func()
	motion  *xproto.MotionNotifyEvent // the last entry, while nothing came after it
	closing bool
	wake    chan struct{}
	ended   chan struct{}

	handlers []func(xgb.Event)        // on the loop
	decode   map[byte]xgb.NewEventFun // under mu
}

// OpenLoop connects to display ("" is $DISPLAY) and starts the loop. Lost, if
// set, is called once, on a goroutine of its own, when the server ends the
// connection.
func OpenLoop(display string, lost func()) (*Loop, error) {
	l := &Loop{wake: make(chan struct{}, 1), ended: make(chan struct{}), decode: map[byte]xgb.NewEventFun{}}
	c, err := Dial(display, Handlers{Event: l.event, Closed: func() {
		if l.end() && lost != nil {
			go lost()
		}
	}})
	if err != nil {
		return nil, err
	}
	l.Conn = c
	go l.run()
	return l, nil
}

// Handle adds a handler, which gets every event from now on. Call it on the loop
// or before anything is subscribed.
func (l *Loop) Handle(h func(xgb.Event)) { l.handlers = append(slices.Clip(l.handlers), h) }

// UseExtension takes up an extension and delivers its events, made by the
// decoders of its xgb package, which count from the extension's first event.
func (l *Loop) UseExtension(name string, events map[int]xgb.NewEventFun) error {
	first, err := l.Extension(name)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, f := range events {
		l.decode[first+byte(n)] = f
	}
	return nil
}

// Do runs fn on the loop, after what is queued. It does not wait, and drops fn
// once the loop has ended.
func (l *Loop) Do(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closing {
		l.push(fn)
	}
}

// Ask is Do that waits until fn has run; false when the loop has ended first.
// Never call it on the loop.
func (l *Loop) Ask(fn func()) bool {
	done := make(chan struct{})
	l.Do(func() { fn(); close(done) })
	select {
	case <-done:
		return true
	case <-l.ended:
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}

// Close ends the connection and waits for the loop. Never call it on the loop.
func (l *Loop) Close() {
	l.end()
	l.Conn.Close()
	<-l.ended
}

// push is called with mu held. The queue has no bound of its own: what fills it
// is what was subscribed, less movement, of which only the newest is kept.
func (l *Loop) push(fn func()) {
	l.motion = nil
	l.queue = append(l.queue, fn)
	l.signal()
}

func (l *Loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// end reports whether the loop ended by itself.
func (l *Loop) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.closing
	l.closing = true
	l.signal()
	return first
}

// event runs on the connection's reader.
func (l *Loop) event(raw []byte) {
	kind := raw[0] & 127
	if kind == genericEvent {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	decode := l.decode[kind]
	if decode == nil {
		decode = core[kind]
	}
	if decode == nil || l.closing {
		return
	}
	ev := decode(raw)
	if m, ok := ev.(xproto.MotionNotifyEvent); ok {
		if l.motion != nil {
			*l.motion = m
			return
		}
		newest := &m
		l.push(func() {
			l.mu.Lock()
			m := *newest
			if l.motion == newest {
				l.motion = nil
			}
			l.mu.Unlock()
			l.deliver(m)
		})
		l.motion = newest
		return
	}
	l.push(func() { l.deliver(ev) })
}

func (l *Loop) deliver(ev xgb.Event) {
	for _, h := range l.handlers {
		h(ev)
	}
}

func (l *Loop) run() {
	defer close(l.ended)
	var batch []func()
	for {
		l.mu.Lock()
		batch, l.queue = l.queue, batch[:0]
		closing := l.closing
		l.mu.Unlock()
		if len(batch) == 0 {
			if closing {
				return
			}
			<-l.wake
			continue
		}
		for i, fn := range batch {
			fn()
			batch[i] = nil
		}
	}
}

// core are the decoders of the core protocol's events.
var core = [64]xgb.NewEventFun{
	xproto.KeyPress:         xproto.KeyPressEventNew,
	xproto.KeyRelease:       xproto.KeyReleaseEventNew,
	xproto.ButtonPress:      xproto.ButtonPressEventNew,
	xproto.ButtonRelease:    xproto.ButtonReleaseEventNew,
	xproto.MotionNotify:     xproto.MotionNotifyEventNew,
	xproto.EnterNotify:      xproto.EnterNotifyEventNew,
	xproto.LeaveNotify:      xproto.LeaveNotifyEventNew,
	xproto.FocusIn:          xproto.FocusInEventNew,
	xproto.FocusOut:         xproto.FocusOutEventNew,
	xproto.Expose:           xproto.ExposeEventNew,
	xproto.VisibilityNotify: xproto.VisibilityNotifyEventNew,
	xproto.CreateNotify:     xproto.CreateNotifyEventNew,
	xproto.DestroyNotify:    xproto.DestroyNotifyEventNew,
	xproto.UnmapNotify:      xproto.UnmapNotifyEventNew,
	xproto.MapNotify:        xproto.MapNotifyEventNew,
	xproto.ReparentNotify:   xproto.ReparentNotifyEventNew,
	xproto.ConfigureNotify:  xproto.ConfigureNotifyEventNew,
	xproto.PropertyNotify:   xproto.PropertyNotifyEventNew,
	xproto.SelectionClear:   xproto.SelectionClearEventNew,
	xproto.SelectionRequest: xproto.SelectionRequestEventNew,
	xproto.SelectionNotify:  xproto.SelectionNotifyEventNew,
	xproto.ClientMessage:    xproto.ClientMessageEventNew,
	xproto.MappingNotify:    xproto.MappingNotifyEventNew,
}
