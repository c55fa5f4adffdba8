package tap

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/x11"
)

// xtap taps an X server. A passive grab of each bound button on the root window
// is the gate: the server sends its press, then movement, then its release,
// and nothing in between costs anything. The wheels that are transformed are
// grabbed too, on their own devices, so that other devices' wheels and the
// steps that this program makes are not touched.
//
// Events are handled on the connection's reading goroutine; requests that
// follow from them are made by another one, since that one must not wait.
type xtap struct {
	o    Options
	conn *x11.Conn
	ops  chan op
	// Clicks that wait for a grab to end, the sender's; waiting asks the reader
	// to say when one has.
	pending []op
	waiting atomic.Bool
	own     atomic.Uint64 // a span
	// Clicks of our own that came back, and the presses among them, which are
	// the reader's.
	returned atomic.Int32
	back     uint64
	bound    uint64 // X buttons that are grabbed on all masters
	done     chan struct{}
	stop     chan struct{}
	wg       sync.WaitGroup
	err      error
	once     sync.Once

	table atomic.Pointer[table]

	// Below is the reading goroutine's.
	clock   clock
	pointer pointer
	gather  gatherer
	late    releases
	slept   func() time.Duration
	asleep  time.Duration
	woken   bool // this is the first event since a wait
	raw     x11.DeviceEvent
	event   engine.Event
	wheel   [maxWheels]wheel
	down    uint64 // X buttons that are down in a grab of ours
}

// table is what is known of the devices; it is replaced, never changed.
type table struct {
	devices map[uint16]known
}

// wheel is a press of a wheel button that waits for its release.
type wheel struct {
	device uint16
	button uint32
	d      engine.Decision
	used   bool
}

const (
	// maxWheels bounds wheel buttons that are down at once: a wheel's press
	// and release come together.
	maxWheels = 8
	// maxOps bounds what may wait to be sent: many bursts of a free-spinning
	// wheel. More is dropped: late steps are worse than none.
	maxOps = 256
)

type opKind uint8

const (
	opReplay opKind = iota
	opWheel
	opDevices
	opRetry
)

// op is a request that follows from an event.
type op struct {
	kind   opKind
	button byte
	times  int32
}

var gateMask = x11.Mask(x11.ButtonPress, x11.ButtonRelease, x11.Motion, x11.RawMotion)

var wheelMask = x11.Mask(x11.ButtonPress, x11.ButtonRelease)

var rawMask = x11.Mask(x11.RawButtonPress, x11.RawButtonRelease, x11.RawMotion)

func openX11(o Options) (Source, error) {
	t := &xtap{o: o, ops: make(chan op, maxOps), done: make(chan struct{}), stop: make(chan struct{}), slept: slept}
	t.asleep = t.slept()
	ready := make(chan struct{})
	t.gather.threshold = o.Settings.Engine.Threshold
	conn, err := x11.DialInput(o.Display, x11.Handlers{
		Event: func(ev []byte) {
			// Events can come only once something was asked for, which is
			// after conn is set.
			<-ready
			t.handle(ev)
		},
		Closed: func() { t.end(fmt.Errorf("the X server closed the connection: %w", ErrUnavailable)) },
		Pause: func() time.Duration {
			return t.pause()
		},
	})
	if err != nil {
		close(ready)
		switch {
		case errors.Is(err, x11.ErrRefused):
			return nil, fmt.Errorf("%w: %w", ErrPermission, err)
		case errors.Is(err, x11.ErrNoDisplay):
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil, err
	}
	t.conn = conn
	t.table.Store(&table{})
	close(ready)
	if err := t.subscribe(); err != nil {
		conn.Close()
		return nil, err
	}
	t.wg.Add(1)
	go t.send()
	return t, nil
}

// subscribe asks for all that the mode needs.
func (t *xtap) subscribe() error {
	if err := t.conn.SelectEvents(x11.AllDevices, x11.Mask(x11.HierarchyChanged)); err != nil {
		return err
	}
	if t.o.Mode == Watch {
		if err := t.refresh(); err != nil {
			return err
		}
		// Each device by itself: one whose wheel a worker has grabbed is
		// detached from its master for that time.
		return t.conn.SelectEvents(x11.AllDevices, rawMask|x11.Mask(x11.HierarchyChanged))
	}
	c := &t.o.Settings.Engine
	for _, b := range [...]struct {
		key    string
		button int32
	}{{"gesture", c.Gesture}, {"back", c.Back}, {"forward", c.Forward}} {
		if err := t.conn.GrabButton(x11.AllMasterDevices, toX(b.button), gateMask); err != nil {
			return t.conflict(err, b.key, b.button, toX(b.button))
		}
		t.bound |= 1 << toX(b.button)
	}
	if err := t.refresh(); err != nil {
		return err
	}
	if t.o.Mode == Full {
		return t.conn.SelectEvents(x11.AllMasterDevices, rawMask)
	}
	return nil
}

// conflict says which button could not be had, and who may have it.
func (t *xtap) conflict(err error, key string, button int32, x uint32) error {
	if !errors.Is(err, x11.ErrGrabbed) {
		return fmt.Errorf("%s button %d: %w", key, button, err)
	}
	who := ""
	if names := t.conn.Clients(); len(names) > 0 {
		who = ": " + likely(names)
	}
	return fmt.Errorf("%s button %d (X button %d) on display %s: %w%s; close that program, or set pointer.%s to another button", key, button, x, t.conn.Display, err, who, key)
}

// refresh reads the device list and grabs the wheels that are ours.
func (t *xtap) refresh() error {
	infos, err := t.conn.Devices()
	if err != nil {
		return err
	}
	old := t.table.Load()
	next := &table{devices: map[uint16]known{}}
	for _, info := range infos {
		if info.Use != x11.SlavePointer && info.Use != x11.FloatingSlave {
			continue
		}
		k := t.know(info)
		ours := t.o.Mode != Watch && Transformed(t.o.Settings, k.Device)
		if t.o.Mode != Watch {
			if err := turn(t.conn, info.ID, &t.o.Settings, ours); err != nil && len(old.devices) == 0 {
				return fmt.Errorf("the driver of %s does not invert its wheel: %w; set pointer.transform = \"off\"", info.Name, err)
			}
		}
		if ours && k.clicks() {
			k.grabbed = old.devices[info.ID].grabbed
			for x := uint32(xWheelUp); x <= xWheelRight && !k.grabbed; x++ {
				if err := t.conn.GrabButton(info.ID, x, wheelMask); err != nil {
					if len(old.devices) > 0 {
						break // a device that came later: the others go on
					}
					return fmt.Errorf("the wheel (X button %d) of %s: %w; close the program that has it, or set pointer.transform = \"off\"", x, info.Name, err)
				}
				k.grabbed = x == xWheelRight
			}
		}
		next.devices[info.ID] = k
	}
	t.table.Store(next)
	return nil
}

func (t *xtap) know(info x11.Info) known {
	k := known{Device: describeX11(info)}
	if i, _, _, ok := driverOf(t.conn, info.ID); ok {
		k.Driver = drivers[i].name
	}
	k.class = t.o.Settings.ClassOf(k.Name, k.Class)
	k.skipFirst = t.o.Settings.Devices[k.Name].SkipFirstReport
	k.xtest = k.Virtual
	return k
}

func (t *xtap) end(err error) {
	t.once.Do(func() {
		t.err = err
		close(t.done)
	})
}

func (t *xtap) Done() <-chan struct{} { return t.done }
func (t *xtap) Err() error            { return t.err }

func (t *xtap) DeviceName(d engine.Device) string { return t.table.Load().devices[uint16(d)].Name }

func (t *xtap) Replay(button int32) { t.queue(op{kind: opReplay, button: byte(toX(button)), times: 1}) }

func (t *xtap) Close() {
	t.end(nil)
	close(t.stop)
	t.wg.Wait()
	if t.o.Mode != Watch {
		for id := range t.table.Load().devices {
			_ = turn(t.conn, id, &t.o.Settings, false)
		}
	}
	t.conn.Close()
}

func (t *xtap) queue(o op) {
	select {
	case t.ops <- o:
	default:
	}
}

// send makes the requests that follow from events.
func (t *xtap) send() {
	defer t.wg.Done()
	for {
		select {
		case <-t.stop:
			return
		case <-t.done:
			return
		case o := <-t.ops:
			t.perform(o)
		}
	}
}

func (t *xtap) perform(o op) {
	switch o.kind {
	case opDevices:
		// A list that cannot be read now is read at the next change.
		_ = t.refresh()
	case opWheel, opReplay:
		t.pending = append(t.pending, o)
	}
	sent := 0
	for sent < len(t.pending) && t.post(&t.pending[sent]) {
		sent++
	}
	t.pending = append(t.pending[:0], t.pending[sent:]...)
	if len(t.pending) > maxOps {
		t.pending = t.pending[:maxOps]
	}
}
