//go:build !darwin || !cgo

package hotkey

import (
	"log/slog"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/flash-launcher/flash/internal/x11"
)

// Options say where the keys are and who is told.
type Options struct {
	// Loop is shared with the windows that hot keys open.
	Loop *x11.Loop
	// Pressed runs on the loop, with the keyboard frozen. A window that is to
	// have the keys that follow grabs the keyboard here, asynchronously. It must
	// not wait for anything but the X server.
	Pressed func(id string, t xproto.Timestamp)
	// Conflicts, if set, is told on the loop what does not work each time that
	// the keyboard changed; else it is logged.
	Conflicts func([]Conflict)
	Logger    *slog.Logger
}

const (
	// patience is how long Pressed may take before the keyboard is let go of
	// without it: all programs wait.
	patience = time.Second
	// repeatGap is more than the time between a key that is held and its first
	// repeat, 660 ms where nobody changed it.
	repeatGap = time.Second
)

// Keys are the hot keys on one connection. A server that ended takes them with
// it: make new ones on a new loop.
type Keys struct {
	o Options

	// What follows is touched on the loop only.
	keymap   *keymap
	bindings []Binding
	grabs    map[stroke]int  // bindings, by what was grabbed for them
	taken    map[stroke]bool // as grabbed, with locks
	reading  bool            // the keyboard is to be read again
	closed   bool
	held     uint8 // the key of the last chord, while it may be down
	last     time.Time
}

// New makes hot keys; Set binds some.
func New(o Options) *Keys {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	k := &Keys{o: o, grabs: map[stroke]int{}, taken: map[stroke]bool{}}
	o.Loop.Do(func() {
		xkb(o.Loop)
		o.Loop.Handle(k.event)
	})
	return k
}

// Set replaces all bindings and says which of them do not work. It waits for the
// server; never call it on the loop.
func (k *Keys) Set(bindings []Binding) []Conflict {
	var conflicts []Conflict
	k.o.Loop.Ask(func() {
		if k.closed {
			return
		}
		k.bindings = slices.Clone(bindings)
		conflicts = k.grabAll()
		k.sync()
	})
	return conflicts
}

// Close lets go of all keys. Never call it on the loop.
func (k *Keys) Close() {
	k.o.Loop.Ask(func() {
		k.closed = true
		k.bindings = nil
		k.grabAll()
		k.sync()
	})
}

// sync waits until the server has done what it was told.
func (k *Keys) sync() { _, _ = xproto.GetInputFocus(k.o.Loop.Conn.Conn).Reply() }

// Find names the binding of a key event that reached a window, "" for none: while
// a window has the keyboard, chords come to it as keys. Call it on the loop.
func (k *Keys) Find(code xproto.Keycode, state uint16) string {
	if k.keymap == nil {
		return ""
	}
	id, _ := k.match(uint8(code), state)
	return id
}

// match finds the binding of a press. other says that the keys that were
// pressed make a chord in another layout than the one in force.
func (k *Keys) match(code uint8, state uint16) (id string, other bool) {
	i, ok := k.grabs[stroke{code, k.keymap.bare(state)}]
	if !ok {
		return "", false
	}
	held, sym, _ := k.bindings[i].Chord.parse()
	here, ok := k.keymap.stroke(held, sym, min(group(state), 1))
	// A layout that cannot write it at all leaves the chord where another has it.
	if ok && here != (stroke{code, k.keymap.bare(state)}) {
		return "", true
	}
	return k.bindings[i].ID, false
}

func (k *Keys) event(ev xgb.Event) {
	if k.closed {
		return
	}
	switch e := ev.(type) {
	case xproto.KeyPressEvent:
		if e.Event == k.o.Loop.Root {
			k.press(e)
		} else if k.held == uint8(e.Detail) {
			k.last = time.Now() // it is held still, and repeats
		}
	case xproto.KeyReleaseEvent:
		if k.held == uint8(e.Detail) {
			k.held = 0
		}
	case xproto.MappingNotifyEvent:
		if e.Request != xproto.MappingPointer && !k.reading {
			k.reading = true
			k.o.Loop.Do(k.remap) // a new layout comes as several of these
		}
	}
}

// press handles a key with which the server froze the keyboard.
func (k *Keys) press(e xproto.KeyPressEvent) {
	mode := byte(xproto.AllowAsyncKeyboard)
	id, other := "", false
	if k.keymap != nil {
		id, other = k.match(uint8(e.Detail), e.State)
	}
	if other {
		mode = xproto.AllowReplayKeyboard
	}
	repeat := k.held == uint8(e.Detail) && time.Since(k.last) < repeatGap
	k.held, k.last = uint8(e.Detail), time.Now()
	// AllowEvents does nothing once a window has grabbed the keyboard.
	allow := func() { xproto.AllowEvents(k.o.Loop.Conn.Conn, mode, e.Time) }
	if id != "" && !repeat {
		late := time.AfterFunc(patience, func() {
			k.o.Logger.Warn("a hot key took too long; the keyboard was let go of")
			allow()
		})
		k.o.Pressed(id, e.Time)
		late.Stop()
	}
	allow()
}

// remap reads the keyboard again after its map changed.
func (k *Keys) remap() {
	k.reading = false
	if k.closed || len(k.bindings) == 0 {
		return
	}
	conflicts := k.grabAll()
	if k.o.Conflicts != nil {
		k.o.Conflicts(conflicts)
		return
	}
	for _, c := range conflicts {
		k.o.Logger.Warn("a hot key does not work with the new keyboard layout", "chord", string(c.Chord), "problem", c.Problem, "remedy", c.Remedy)
	}
}

// grabAll reads the keyboard and grabs the chords on it. What is grabbed already
// and stays is not touched: a keyboard that is typed on in turn with another one
// changes the map each time, and another program could come in between.
func (k *Keys) grabAll() []Conflict {
	clear(k.grabs)
	keep := map[stroke]bool{}
	var conflicts []Conflict
	if len(k.bindings) > 0 {
		keymap, err := readKeymap(k.o.Loop)
		if err != nil {
			for _, b := range k.bindings {
				conflicts = append(conflicts, Conflict{b, "cannot be bound: " + err.Error(), "start Flash inside the X session"})
			}
			return conflicts
		}
		k.keymap = keymap
	}
	for i := range k.bindings {
		if c := k.grab(i, keep); c != nil {
			conflicts = append(conflicts, *c)
		}
	}
	for s := range k.taken {
		if !keep[s] {
			k.ungrab(s)
		}
	}
	return conflicts
}

func (k *Keys) ungrab(s stroke) {
	xproto.UngrabKey(k.o.Loop.Conn.Conn, xproto.Keycode(s.code), k.o.Loop.Root, s.state)
	delete(k.taken, s)
}

// grab takes one binding's strokes, with each state of the locks, and notes in
// keep which they are.
func (k *Keys) grab(i int, keep map[stroke]bool) *Conflict {
	b := k.bindings[i]
	held, sym, err := b.Chord.parse()
	if err != nil {
		return &Conflict{b, "is no chord: " + err.Error(), `write it like "super+space"`}
	}
	strokes := k.keymap.strokes(held, sym)
	if len(strokes) == 0 {
		return &Conflict{b, "has a key that this keyboard layout does not have", "name another key in [hotkeys]"}
	}
	for _, s := range strokes {
		if _, mine := k.grabs[s]; mine {
			return &Conflict{b, "is the same key as another hot key on this layout", "name another key in [hotkeys]"}
		}
	}
	cookies := map[stroke]xproto.GrabKeyCookie{}
	var all []stroke
	for _, s := range strokes {
		for _, lock := range k.keymap.locks() {
			g := stroke{s.code, s.state | lock}
			all = append(all, g)
			if !k.taken[g] {
				cookies[g] = xproto.GrabKeyChecked(k.o.Loop.Conn.Conn, false, k.o.Loop.Root, g.state, xproto.Keycode(g.code), xproto.GrabModeAsync, xproto.GrabModeSync)
			}
		}
	}
	var failed error
	for g, cookie := range cookies {
		if err := cookie.Check(); err != nil {
			failed = err
			continue
		}
		k.taken[g] = true
	}
	if failed == nil {
		for _, s := range strokes {
			k.grabs[s] = i
		}
		for _, g := range all {
			keep[g] = true
		}
		return nil
	}
	// What was got of it goes again, as all that is not kept: a chord that works
	// only without Caps Lock would be a riddle.
	if _, taken := failed.(xproto.AccessError); taken {
		return &Conflict{b, "is taken by another program", "free it there (often the window manager's keyboard settings), or name another key in [hotkeys]"}
	}
	return &Conflict{b, "cannot be bound: " + failed.Error(), "name another key in [hotkeys]"}
}

func readKeymap(l *x11.Loop) (*keymap, error) {
	setup := xproto.Setup(l.Conn.Conn)
	first := setup.MinKeycode
	keys := xproto.GetKeyboardMapping(l.Conn.Conn, first, byte(setup.MaxKeycode-first+1))
	modifiers := xproto.GetModifierMapping(l.Conn.Conn)
	k, err := keys.Reply()
	if err != nil {
		return nil, err
	}
	m, err := modifiers.Reply()
	if err != nil {
		return nil, err
	}
	return newKeymap(uint8(first), int(k.KeysymsPerKeycode), k.Keysyms, m.Keycodes), nil
}
