package desktop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/internal/desktop/wlipc/swaytest"
	"github.com/flash-launcher/flash/internal/supervisor/leaktest"
)

func writeEntries(t *testing.T, entries map[string]string) environ {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "applications"), 0o755))
	for id, body := range entries {
		text := "[Desktop Entry]\nType=Application\nName=" + id + "\n" + body
		require.NoError(t, os.WriteFile(filepath.Join(dir, "applications", id+".desktop"), []byte(text), 0o644))
	}
	return environ{"XDG_DATA_HOME=" + dir, "XDG_DATA_DIRS=" + dir, "PATH=" + os.Getenv("PATH")}
}

func TestAWindowIsOfTheApplicationThatClaimsItsClass(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	env := writeEntries(t, map[string]string{
		"writer":          "Exec=sh --writer\nStartupWMClass=libreoffice-writer\n",
		"org.gnome.Clock": "Exec=sh --clock\n",
		"self":            "Exec=" + self + "\n",
		"hidden-twin":     "Exec=sh\nStartupWMClass=Twin\nNoDisplay=true\n",
		"twin":            "Exec=sh --twin\nStartupWMClass=twin\n",
		"term":            "Exec=sh\nTerminal=true\nStartupWMClass=Term\n",
	})
	i := &identifier{library: newLibrary(env), proc: "/proc"}
	for _, c := range []struct {
		pid             int
		instance, class string
		want            string
	}{
		{0, "soffice", "libreoffice-writer", "writer"},
		{0, "LibreOffice-Writer", "x", "writer"},
		{0, "clock", "Clock", "org.gnome.Clock"},
		{0, "x", "org.gnome.Clock", "org.gnome.Clock"},
		{0, "x", "Twin", "twin"},
		{os.Getpid(), "nothing", "Like it", "self"},
		{os.Getpid(), "nothing", "libreoffice-writer", "writer"},
		{0, "x", "Term", ""},
		{0, "", "", ""},
		{1 << 30, "nobody", "Nobody", ""},
	} {
		assert.Equal(t, c.want, i.find(c.pid, c.instance, c.class), "%+v", c)
	}
}

func TestTheFacetOfWindowsSaysWhatServesItOrWhatToDo(t *testing.T) {
	leaktest.Check(t)
	s := desktoptest.New(t)
	line := func(env []string) Facet {
		ctx, cancel := context.WithCancel(context.Background())
		f := New(ctx, env)
		defer func() {
			cancel()
			require.NoError(t, f.Close())
		}()
		for _, l := range f.Describe() {
			if l.Name == "windows" {
				return l
			}
		}
		return Facet{}
	}
	assert.Equal(t, Facet{Name: "windows", Backend: "X11 (Openbox)"}, line(s.Env()))
	assert.Contains(t, line([]string{"DISPLAY=:99999"}).Remedy, "start Flash inside the X session")
	assert.Contains(t, line(nil).Remedy, "graphical session")

	ctx, cancel := context.WithCancel(context.Background())
	f := New(ctx, nil)
	_, err := f.Windows.List(ctx)
	require.ErrorIs(t, err, ErrUnavailable)
	cancel()

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	f = New(ctx, s.Env())
	changes := make(chan WindowChange, 64)
	require.NoError(t, f.Windows.Watch(ctx, func(c WindowChange) { changes <- c }))
	desktoptest.Need(t, "xterm")
	s.Start("xterm", "-T", "hello")
	for {
		select {
		case c := <-changes:
			if c.Notification == "AXWindowCreated" {
				assert.Equal(t, "hello", c.Window.Title)
				require.NoError(t, f.Close())
				return
			}
		case <-time.After(30 * time.Second):
			t.Fatal("no window came")
		}
	}
}

func TestACompositorThatTellsOfItsWindowsIsAskedBeforeX(t *testing.T) {
	leaktest.Check(t)
	desktoptest.Need(t, "foot")
	sway := swaytest.New(t, "xwayland disable")
	x := desktoptest.New(t)
	line := func(env []string) (Facet, bool) {
		f := New(t.Context(), env)
		defer func() { require.NoError(t, f.Close()) }()
		lines := f.Describe()
		return lines[len(lines)-1], f.TellsAllWindows()
	}
	display := "DISPLAY=" + x.X().Display
	facet, all := line(append(sway.Env(), display))
	assert.Equal(t, Facet{Name: "windows", Backend: "sway IPC"}, facet)
	assert.True(t, all)
	facet, all = line([]string{"WAYLAND_DISPLAY=/nowhere", "SWAYSOCK=/nowhere", display})
	assert.Equal(t, Facet{Name: "windows", Backend: "X11 (Openbox), windows of XWayland only", Remedy: otherCompositors}, facet)
	assert.False(t, all)
	facet, all = line([]string{"SWAYSOCK=/nowhere", display})
	assert.Equal(t, Facet{Name: "windows", Backend: "X11 (Openbox)"}, facet)
	assert.True(t, all)
	facet, all = line([]string{"WAYLAND_DISPLAY=/nowhere"})
	assert.Contains(t, facet.Remedy, "XWayland")
	assert.False(t, all)

	env := append(sway.Env(), writeEntries(t, map[string]string{"org.example.Notes": "Exec=foot\nStartupWMClass=notes\n"})...)
	f := New(t.Context(), env)
	defer func() { require.NoError(t, f.Close()) }()
	notes := sway.Terminal("notes", "a note")
	require.Eventually(t, func() bool {
		list, err := f.Windows.List(t.Context())
		return err == nil && len(list) == 1 && list[0].AppID == "org.example.Notes" && list[0].PID == notes.PID()
	}, 30*time.Second, 10*time.Millisecond)
}
