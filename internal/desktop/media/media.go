// Package media owns the media keys of a Linux session: those of playing go to
// a player over MPRIS, those of the volume to the desktop or the sound server.
// It plays nothing and follows no player: it looks when a key is pressed.
package media

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/flash-launcher/flash/internal/desktop/bus"
)

// The key codes of the wire, as macOS counts them.
const (
	codeUp       = 0
	codeDown     = 1
	codeMute     = 7
	codePlay     = 16
	codeNext     = 17
	codePrevious = 18
)

// playing are the keys that players answer.
var playing = [...]struct {
	code   int
	method string
}{{codePlay, "PlayPause"}, {codeNext, "Next"}, {codePrevious, "Previous"}}

// others are the keys that the desktop answers, by their X keysyms.
var others = [...]struct {
	code int
	sym  uint32
	name string
}{
	{codeUp, 0x1008ff13, "volume up"}, {codeDown, 0x1008ff11, "volume down"}, {codeMute, 0x1008ff12, "mute"},
	{2, 0x1008ff02, "brightness up"}, {3, 0x1008ff03, "brightness down"}, {14, 0x1008ff2c, "eject"},
	{19, 0x1008ff97, "forward"}, {20, 0x1008ff3e, "rewind"},
	{21, 0x1008ff05, "keyboard light up"}, {22, 0x1008ff06, "keyboard light down"}, {23, 0x1008ff04, "keyboard light"},
}

const (
	prefix     = "org.mpris.MediaPlayer2."
	path       = "/org/mpris/MediaPlayer2"
	player     = "org.mpris.MediaPlayer2.Player"
	maxPlayers = 16
	// proxy is a service that stands for whichever player was used last.
	proxy = prefix + "playerctld"
	// askTime bounds how long a player may take to say whether it plays. One that
	// hangs is passed over.
	askTime = 500 * time.Millisecond
)

// Presser presses a key of the keyboard by its keysym. Handled says that some
// program takes the key from wherever it is pressed.
type Presser interface {
	Handled(ctx context.Context, sym uint32) (bool, error)
	Press(ctx context.Context, sym uint32) error
}

// Options is what Keys work with.
type Options struct {
	Bus     *bus.Bus                                                  // of the session
	Presser Presser                                                   // nil where no key can be pressed
	Find    func(program string) string                               // its path, "" where it is not installed
	Run     func(ctx context.Context, argv ...string) ([]byte, error) // runs one
	Error   func(facet, why, remedy string) error                     // makes the error of what cannot be served
}

// Keys press media keys.
type Keys struct {
	o Options

	mu   sync.Mutex
	last string // the player that was told something last
}

// New are the media keys of a session.
func New(o Options) *Keys { return &Keys{o: o} }

// Backend says what serves the keys; missing is "" or what to do about the keys
// that nothing serves.
func (k *Keys) Backend() (backend, missing string) {
	var parts []string
	if k.o.Bus.Address() != "" {
		parts = append(parts, "MPRIS")
	}
	switch tool := k.mixer(); {
	case tool != "":
		parts = append(parts, tool)
	case k.o.Presser != nil:
		parts = append(parts, "the desktop's own keys")
	}
	if len(parts) == 0 {
		return "", remedySound
	}
	return strings.Join(parts, ", "), ""
}

const remedySound = "start Flash inside a session, and install wireplumber (wpctl) or pulseaudio-utils (pactl) for the volume"

// PostMediaKey presses one key.
func (k *Keys) PostMediaKey(ctx context.Context, code int) error {
	for _, p := range playing {
		if p.code == code {
			return k.play(ctx, p.method)
		}
	}
	for _, o := range others {
		if o.code == code {
			return k.other(ctx, code, o.sym, o.name)
		}
	}
	return k.o.Error("media keys", fmt.Sprintf("key code %d has no counterpart here", code), "use those of playing and volume")
}

func (k *Keys) play(ctx context.Context, method string) error {
	if k.o.Bus.Address() == "" {
		return k.o.Error("media keys", "this session has no bus", "start Flash inside a session")
	}
	name, err := k.choose(ctx)
	if err != nil {
		return fmt.Errorf("media keys: %w", err)
	}
	if name == "" {
		return k.o.Error("media keys", "no player runs", "start one that speaks MPRIS")
	}
	if err := k.o.Bus.Call(ctx, name, path, player+"."+method, dbus.FlagNoAutoStart, nil); err != nil {
		return fmt.Errorf("media keys: %s: %w", strings.TrimPrefix(name, prefix), err)
	}
	k.mu.Lock()
	k.last = name
	k.mu.Unlock()
	return nil
}

// choose is the player that a key means: the one that plays, else the one that
// was used last, else one that could go on.
func (k *Keys) choose(ctx context.Context) (string, error) {
	var names []string
	if err := k.o.Bus.Call(ctx, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames", 0, []any{&names}); err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, prefix) })
	slices.Sort(names)
	players := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == proxy })
	if len(players) > maxPlayers {
		players = players[:maxPlayers]
	}
	states := make([]string, len(players))
	var asked sync.WaitGroup
	for i, p := range players {
		asked.Go(func() { states[i] = k.state(ctx, p) })
	}
	asked.Wait()
	k.mu.Lock()
	last := k.last
	k.mu.Unlock()
	in := func(state string) string {
		best := ""
		for i, p := range players {
			if states[i] == state && (best == "" || p == last) {
				best = p
			}
		}
		return best
	}
	if p := in("Playing"); p != "" {
		return p, nil
	}
	if i := slices.Index(players, last); i >= 0 && states[i] != "" {
		return last, nil
	}
	if slices.Contains(names, proxy) && len(players) > 0 {
		return proxy, nil
	}
	if p := in("Paused"); p != "" {
		return p, nil
	}
	return in("Stopped"), nil
}

// state is what a player says that it does, "" where it does not answer.
func (k *Keys) state(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var s string
	if k.o.Bus.Property(ctx, name, path, player, "PlaybackStatus", &s) != nil {
		return ""
	}
	return s
}

func (k *Keys) other(ctx context.Context, code int, sym uint32, name string) error {
	if k.o.Presser != nil {
		if handled, err := k.o.Presser.Handled(ctx, sym); err == nil && handled {
			return k.o.Presser.Press(ctx, sym)
		}
	}
	if code == codeUp || code == codeDown || code == codeMute {
		return k.volume(ctx, code)
	}
	return k.o.Error("media keys", "nothing here answers "+name, "give it a key in the desktop's settings")
}
