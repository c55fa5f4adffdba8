package media

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/bus"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

var errNone = errors.New("unavailable")

// room is a session with players and programs of a test's making.
type room struct {
	t         *testing.T
	desk      *desktoptest.Session
	calls     chan string
	keys      *Keys
	installed map[string]string // program: what it prints
	pressed   []uint32
	handled   bool
}

func (r *room) Handled(context.Context, uint32) (bool, error) { return r.handled, nil }

func (r *room) Press(_ context.Context, sym uint32) error {
	r.pressed = append(r.pressed, sym)
	return nil
}

func newRoom(t *testing.T) *room {
	leaktest.Check(t)
	r := &room{t: t, desk: desktoptest.New(t), calls: make(chan string, 64), installed: map[string]string{}}
	b := bus.New(r.desk.BusAddress(), event.System())
	t.Cleanup(func() { _ = b.Close() })
	r.keys = New(r.options(b))
	return r
}

func (r *room) options(b *bus.Bus) Options {
	return Options{
		Bus: b, Presser: r,
		Find: func(program string) string {
			if _, ok := r.installed[program]; ok {
				return "/usr/bin/" + program
			}
			return ""
		},
		Run: func(_ context.Context, argv ...string) ([]byte, error) {
			r.calls <- strings.Join(argv, " ")
			return []byte(r.installed[argv[0]]), nil
		},
		Error: func(facet, why, remedy string) error {
			return errors.Join(errNone, errors.New(facet+": "+why+"; "+remedy))
		},
	}
}

type fakePlayer struct {
	name  string
	calls chan string
}

func (p fakePlayer) PlayPause() *dbus.Error { p.calls <- p.name + " PlayPause"; return nil }
func (p fakePlayer) Next() *dbus.Error      { p.calls <- p.name + " Next"; return nil }
func (p fakePlayer) Previous() *dbus.Error  { p.calls <- p.name + " Previous"; return nil }

// player starts one; set changes what it says that it does, end ends it.
func (r *room) player(name, status string) (set func(string), end func()) {
	r.t.Helper()
	c, err := dbus.Connect(r.desk.BusAddress())
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	require.NoError(r.t, c.Export(fakePlayer{name, r.calls}, path, player))
	p, err := prop.Export(c, path, prop.Map{player: {"PlaybackStatus": {Value: status, Emit: prop.EmitTrue}}})
	require.NoError(r.t, err)
	_, err = c.RequestName(prefix+name, dbus.NameFlagDoNotQueue)
	require.NoError(r.t, err)
	return func(s string) { p.SetMust(player, "PlaybackStatus", s) }, func() { _ = c.Close() }
}

func (r *room) press(code int, want string) {
	r.t.Helper()
	require.NoError(r.t, r.keys.PostMediaKey(r.t.Context(), code))
	require.Equal(r.t, want, <-r.calls)
	require.Empty(r.t, r.calls)
}

func TestThePlayerThatPlaysIsMeantElseTheLastOne(t *testing.T) {
	r := newRoom(t)
	err := r.keys.PostMediaKey(t.Context(), codePlay)
	require.ErrorIs(t, err, errNone)
	require.ErrorContains(t, err, "no player runs")

	r.player("a", "Stopped")
	r.press(codePlay, "a PlayPause")
	setB, _ := r.player("b", "Paused")
	r.press(codePlay, "a PlayPause") // it was used last, though b could go on
	setB("Playing")
	r.press(codeNext, "b Next")
	setB("Paused")
	r.press(codePlay, "b PlayPause")
	setC, endC := r.player("c", "Playing")
	r.press(codePrevious, "c Previous")
	setB("Playing")
	r.press(codeNext, "c Next") // of two that play, the last one
	setC("Stopped")
	setB("Stopped")
	r.press(codePlay, "c PlayPause")
	endC()
	require.Eventually(t, func() bool {
		return r.keys.PostMediaKey(t.Context(), codePlay) == nil && <-r.calls != "c PlayPause"
	}, 1e10, 1e6, "another is meant once that is gone")
}

func TestWhoeverKnowsTheLastPlayerIsAsked(t *testing.T) {
	r := newRoom(t)
	r.player("one", "Paused")
	r.player("playerctld", "Paused")
	r.press(codePlay, "playerctld PlayPause")
	set, _ := r.player("two", "Playing")
	r.press(codePlay, "two PlayPause")
	set("Paused")
	r.press(codePlay, "two PlayPause")
}

// hung is a player that does not answer.
type hung struct{ done chan struct{} }

func (h hung) Get(string, string) (dbus.Variant, *dbus.Error) {
	<-h.done
	return dbus.MakeVariant("Playing"), nil
}

func TestAPlayerThatHangsIsPassedOver(t *testing.T) {
	r := newRoom(t)
	h := hung{make(chan struct{})}
	c, err := dbus.Connect(r.desk.BusAddress())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	t.Cleanup(func() { close(h.done) })
	require.NoError(t, c.Export(h, path, "org.freedesktop.DBus.Properties"))
	_, err = c.RequestName(prefix+"a-hung", dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	r.player("b", "Paused")
	r.press(codePlay, "b PlayPause")
}

func TestVolumeKeysGoToTheDesktopElseToTheSoundServer(t *testing.T) {
	r := newRoom(t)
	require.ErrorContains(t, r.keys.PostMediaKey(t.Context(), codeMute), "install wireplumber")
	r.installed["pactl"] = "Volume: front-left: 43254 /  66% / -10.83 dB,   front-right: 43254 /  64% / -10.83 dB\n        balance 0.00\n"
	for code, want := range map[int]string{codeMute: "set-sink-mute @DEFAULT_SINK@ toggle", codeDown: "set-sink-volume @DEFAULT_SINK@ -5%"} {
		r.press(code, "pactl "+want)
	}
	for out, want := range map[string]string{r.installed["pactl"]: "71%", "Volume: 98%": "100%", "Lautstärke: mono: 65536 / 100% / 0,00 dB": "", "Volume: mono: 120%": ""} {
		r.installed["pactl"] = out
		require.NoError(t, r.keys.PostMediaKey(t.Context(), codeUp))
		require.Equal(t, "pactl get-sink-volume @DEFAULT_SINK@", <-r.calls)
		if want != "" {
			require.Equal(t, "pactl set-sink-volume @DEFAULT_SINK@ "+want, <-r.calls)
		}
		require.Empty(t, r.calls, "it is not raised past where sound distorts")
	}
	r.installed["wpctl"] = ""
	for code, want := range map[int]string{
		codeMute: "set-mute @DEFAULT_AUDIO_SINK@ toggle", codeDown: "set-volume @DEFAULT_AUDIO_SINK@ 5%-", codeUp: "set-volume -l 1.0 @DEFAULT_AUDIO_SINK@ 5%+",
	} {
		r.press(code, "wpctl "+want)
	}
	require.Empty(t, r.pressed)
	r.handled = true
	for _, code := range []int{codeUp, codeDown, codeMute, 2, 21} {
		require.NoError(t, r.keys.PostMediaKey(t.Context(), code))
	}
	require.Equal(t, []uint32{0x1008ff13, 0x1008ff11, 0x1008ff12, 0x1008ff02, 0x1008ff05}, r.pressed)
	r.handled = false
	require.ErrorContains(t, r.keys.PostMediaKey(t.Context(), 2), "brightness up")
	require.ErrorContains(t, r.keys.PostMediaKey(t.Context(), 31), "no counterpart")
}

func TestWithoutABusTheRemedyIsNamed(t *testing.T) {
	r := &room{t: t, installed: map[string]string{}}
	o := r.options(bus.New("", event.System()))
	o.Presser = nil
	k := New(o)
	require.ErrorContains(t, k.PostMediaKey(t.Context(), codePlay), "start Flash inside a session")
	backend, missing := k.Backend()
	require.Empty(t, backend)
	require.NotEmpty(t, missing)
}
