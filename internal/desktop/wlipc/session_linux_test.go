package wlipc_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/config"
	"github.com/flash-launcher/flash/internal/desktop/clip"
	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/wlipc"
	"github.com/flash-launcher/flash/internal/desktop/wlipc/swaytest"
	"github.com/flash-launcher/flash/internal/flashlight"
	"github.com/flash-launcher/flash/internal/rank"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
	"github.com/flash-launcher/flash/internal/ui/panel"
	"github.com/flash-launcher/flash/internal/x11"
	"github.com/flash-launcher/flash/protocol"
)

const patience = 30 * time.Second

// backend is a host without plugins that notes what is done.
type backend struct{ effects chan protocol.Effect }

func (backend) Plugins() []flashlight.PluginInfo { return nil }
func (backend) Evaluate(context.Context, string, protocol.Evaluate) ([]protocol.Answer, error) {
	return nil, nil
}
func (backend) Search(context.Context, string, protocol.Search) ([]protocol.Row, error) {
	return nil, nil
}
func (backend) Perform(context.Context, string, protocol.Perform) protocol.Outcome {
	return protocol.Unhandled()
}
func (b backend) Effect(_ context.Context, e protocol.Effect) error {
	b.effects <- e
	return nil
}

// env is a variable of an environment.
func env(t *testing.T, s *swaytest.Session, name string) string {
	t.Helper()
	for _, e := range s.Env() {
		if len(e) > len(name) && e[:len(name)+1] == name+"=" {
			return e[len(name)+1:]
		}
	}
	t.Fatalf("sway has no %s", name)
	return ""
}

// TestThePanelOpensOnXWaylandAndTakesKeys types on a keyboard of the compositor's,
// while a window of Wayland alone had the focus, and looks where it goes after.
func TestThePanelOpensOnXWaylandAndTakesKeys(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "Xwayland", "wtype", "foot")
	s := swaytest.New(t, "xwayland enable")
	d, ok := wlipc.New(wlipc.Options{Env: s.Env()})
	require.True(t, ok)
	defer func() { require.NoError(t, d.Close()) }()
	s.Terminal("under", "under it")
	focused := func() string {
		w, _, err := d.Focused(t.Context())
		require.NoError(t, err)
		return w.Title
	}
	s.Await("the terminal has the focus", func() bool { return focused() == "under it" })

	if os.Getuid() == 0 {
		// Its X server lets in the user that it is of.
		desktoptest.Need(t, "xhost")
		s.Run("xhost", "+local:")
	}
	keyboard := s.Keyboard()
	loop, err := x11.OpenLoop(env(t, s, "DISPLAY"), nil)
	require.NoError(t, err)
	defer loop.Close()
	store := catalog.NewStore(time.Now)
	habit, err := rank.Open("", time.Now)
	require.NoError(t, err)
	store.Publish(flashlight.CorePlugin, 1, []protocol.Row{
		{Source: "core.apps", Title: "Firefox", Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "firefox"}},
		{Source: "core.apps", Title: "Calculator", Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "calculator"}},
	})
	host := backend{effects: make(chan protocol.Effect, 16)}
	engine := flashlight.New(flashlight.Options{Catalog: store, Rank: habit, Backend: host})
	var once sync.Once
	opened, closed := make(chan struct{}), make(chan struct{}, 16)
	p := panel.New(panel.Options{
		Platform: panel.Platform{Loop: loop, Wayland: true}, Engine: engine, Config: func() config.Flashlight { return config.Defaults().Flashlight },
		Theme:  func() panel.Theme { th, _ := panel.LoadTheme("", t.TempDir(), panel.Appearance{Dark: true}); return th },
		Opened: func() { once.Do(func() { close(opened) }) }, Closed: func() { closed <- struct{}{} },
	})
	defer p.Shutdown()
	loop.Do(func() { p.Open(panel.OpenOptions{}) })
	select {
	case <-opened:
	case <-time.After(patience):
		t.Fatal("the panel does not open")
	}
	keyboard.Type("calc\n")
	select {
	case e := <-host.effects:
		require.Equal(t, "calculator", e.BundleID)
	case <-time.After(patience):
		t.Fatal("what was typed does not reach the panel")
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("the panel does not close")
	}
	require.Equal(t, "under it", focused())
}

func TestTheClipboardIsTheCompositors(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "wl-copy", "wl-paste")
	s := swaytest.New(t, "xwayland disable")
	w := clip.NewWayland(s.Dir() + "/" + env(t, s, "WAYLAND_DISPLAY"))
	defer w.Close()
	require.NoError(t, w.WriteText(t.Context(), "from the host é"))
	require.Equal(t, "from the host é", s.Run("wl-paste", "--no-newline"))
	copied := make(chan string, 16)
	require.NoError(t, w.Start(func(text string) { copied <- text }, func(error) {}))
	s.RunWith("from a program", "wl-copy")
	for {
		select {
		case text := <-copied:
			if text == "from a program" {
				return
			}
		case <-time.After(patience):
			t.Fatal("the copy is not told")
		}
	}
}
