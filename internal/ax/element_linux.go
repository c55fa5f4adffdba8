package ax

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/broker"
	"github.com/flash-launcher/flash/internal/desktop"
)

// ref is an object on the accessibility bus, as AT-SPI passes it.
type ref struct {
	Bus  string
	Path dbus.ObjectPath
}

// null is the path that stands for no object.
const null = "/org/a11y/atspi/null"

// element is what the broker keeps of a node.
type element struct {
	pid    int
	window int64  // the window system's number of a top-level window, else 0
	home   string // the bus that ref is on, by its address
	ref    ref    // zero for what only the window system knows
}

// faces of an accessible object.
const (
	accessible = "org.a11y.atspi.Accessible"
	action     = "org.a11y.atspi.Action"
	component  = "org.a11y.atspi.Component"
	editable   = "org.a11y.atspi.EditableText"
	document   = "org.a11y.atspi.Document"
	hyperlink  = "org.a11y.atspi.Hyperlink"
	selection  = "org.a11y.atspi.Selection"
	textFace   = "org.a11y.atspi.Text"
	valueFace  = "org.a11y.atspi.Value"
	properties = "org.freedesktop.DBus.Properties"
)

// ask sends a call; the answer is awaited later, so that many are under way.
func (l *link) ask(ctx context.Context, r ref, face, member string, args ...any) *dbus.Call {
	return l.bus.Object(r.Bus, r.Path).GoWithContext(ctx, face+"."+member, 0, make(chan *dbus.Call, 1), args...)
}

// get asks for a property.
func (l *link) get(ctx context.Context, r ref, face, name string) *dbus.Call {
	return l.ask(ctx, r, properties, "Get", face, name)
}

// answer waits for a call and stores what it brought.
func answer(c *dbus.Call, out ...any) error {
	<-c.Done
	if c.Err != nil || len(out) == 0 {
		return c.Err
	}
	return dbus.Store(c.Body, out...)
}

// stale says whether an error means that the object, its app or its bus is gone.
func stale(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, dbus.ErrClosed) {
		return true
	}
	switch name := errorName(err); strings.TrimPrefix(name, busName+".Error.") {
	case "UnknownObject", "ServiceUnknown", "NameHasNoOwner", "NoReply", "Disconnected":
		return true
	}
	return false
}

func errorName(err error) string {
	var e dbus.Error
	var p *dbus.Error
	switch {
	case errors.As(err, &e):
		return e.Name
	case errors.As(err, &p):
		return p.Name
	}
	return ""
}

// reach gives a connection for a call and what to do after it.
func (o *Observer) reach(ctx context.Context) (l *link, done func(), err error) {
	o.mu.Lock()
	o.users++
	o.mu.Unlock()
	done = func() {
		o.mu.Lock()
		o.users--
		o.linger = o.o.Time.Now().Add(lingering)
		needless := o.users == 0 && o.plan == nil
		o.mu.Unlock()
		if needless {
			o.poke()
		}
	}
	if l, err = o.connect(ctx); err != nil {
		done()
		if ctx.Err() == nil && !errors.Is(err, desktop.ErrUnavailable) {
			err = fmt.Errorf("%w: %s", desktop.ErrUnavailable, noServiceRemedy)
		}
		return nil, nil, err
	}
	return l, done, nil
}

// onElement runs do with the object of an element. A stale one is found out
// here, whatever its app answered to what it no longer knows.
func (o *Observer) onElement(ctx context.Context, e *element, do func(context.Context, *link) error) error {
	if e.ref.Bus == "" {
		return errors.New("the app shows only its windows: this element can be raised and no more")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	l, done, err := o.reach(ctx)
	if err != nil {
		return err
	}
	defer done()
	if l.address != e.home {
		return broker.ErrStaleElement
	}
	if err = do(ctx, l); err == nil || errors.Is(err, broker.ErrStaleElement) {
		return err
	}
	if stale(err) || l.defunct(ctx, e.ref) {
		return broker.ErrStaleElement
	}
	return err
}

// defunct asks an object whether it lives.
func (l *link) defunct(ctx context.Context, r ref) bool {
	states, err := storeStates(l.ask(ctx, r, accessible, "GetState"))
	if err != nil {
		return ctx.Err() == nil
	}
	return states&(1<<stateDefunct) != 0
}

func storeStates(c *dbus.Call) (uint64, error) {
	var words []uint32
	if err := answer(c, &words); err != nil {
		return 0, err
	}
	var states uint64
	for i, w := range words {
		if i < 2 {
			states |= uint64(w) << (32 * i)
		}
	}
	return states, nil
}

// rootsOf gives the root objects of an app, one for each of its connections.
func (o *Observer) rootsOf(ctx context.Context, l *link, pid int) ([]ref, error) {
	o.mu.Lock()
	known := l.knows(pid)
	o.mu.Unlock()
	if !known {
		if err := o.identify(ctx, l); err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []ref
	for name, p := range l.names {
		if p == pid {
			out = append(out, ref{name, atspiRoot})
		}
	}
	slices.SortFunc(out, func(a, b ref) int { return strings.Compare(a.Bus, b.Bus) })
	return out, nil
}

// windowsOf gives the windows of an app, front first; false where the window
// system does not tell.
func (o *Observer) windowsOf(ctx context.Context, pid int) ([]desktop.Window, bool) {
	if o.o.Windows == nil {
		return nil, false
	}
	all, err := o.o.Windows.List(ctx)
	if err != nil {
		return nil, false
	}
	return slices.DeleteFunc(slices.Clone(all), func(w desktop.Window) bool { return w.PID != pid }), true
}
