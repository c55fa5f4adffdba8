package desktop

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (h *home) read(p string) string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(p))
	require.NoError(h.t, err)
	return string(data)
}

func (h *home) kill(pidFile string) {
	h.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(h.read(pidFile)))
	require.NoError(h.t, err)
	require.NoError(h.t, syscall.Kill(pid, syscall.SIGKILL))
}

// session starts a private bus for the home and returns a connection to it.
func (h *home) session() *dbus.Conn {
	h.t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		h.t.Skip("dbus-daemon is not installed")
	}
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=unix:path="+h.path("run/bus"))
	out, err := cmd.StdoutPipe()
	require.NoError(h.t, err)
	require.NoError(h.t, cmd.Start())
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(h.t, err)
	conn, err := dbus.Connect("unix:path=" + h.path("run/bus"))
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

type note struct {
	App         string
	Replaces    uint32
	Title, Body string
	Actions     []string
	Hints       map[string]dbus.Variant
	Timeout     int32
}

// noticeBoard is a notification service that remembers.
type noticeBoard struct {
	mu    sync.Mutex
	caps  []string
	notes []note
}

func (b *noticeBoard) GetCapabilities() ([]string, *dbus.Error) { return b.caps, nil }

func (b *noticeBoard) Notify(app string, replaces uint32, _ string, title, body string, actions []string, hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, note{app, replaces, title, body, actions, hints, timeout})
	return uint32(len(b.notes)), nil
}

func (b *noticeBoard) all() []note {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes
}

func serve(t *testing.T, conn *dbus.Conn, name, path, face string, obj any) {
	t.Helper()
	require.NoError(t, conn.Export(obj, dbus.ObjectPath(path), face))
	reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
}

func TestANotificationReachesTheSessionsService(t *testing.T) {
	for _, caps := range [][]string{{"body"}, {"body", "body-markup"}} {
		h := newHome(t)
		board := &noticeBoard{caps: caps}
		serve(t, h.session(), notifyName, notifyPath, notifyName, board)
		f := h.facets() // finds the socket in the runtime directory by itself
		require.NoError(t, f.Notifier.Notify(context.Background(), "Title", "a <b> & c", 2500*time.Millisecond))
		require.NoError(t, f.Notifier.Notify(context.Background(), "Again", "", 0))
		notes := board.all()
		require.Len(t, notes, 2)
		n := notes[0]
		want := "a <b> & c"
		if len(caps) == 2 {
			want = "a &lt;b&gt; &amp; c"
		}
		assert.Equal(t, []any{"Flash", "Title", want, int32(2500)}, []any{n.App, n.Title, n.Body, n.Timeout})
		assert.Equal(t, int32(-1), notes[1].Timeout)
		require.NoError(t, f.Close())
		require.ErrorContains(t, f.Notifier.Notify(context.Background(), "x", "", 0), "let go")
	}
}

func TestAMessageTakesThePlaceOfTheOneBeforeUnderItsTitle(t *testing.T) {
	h := newHome(t)
	board := &noticeBoard{}
	conn := h.session()
	serve(t, conn, notifyName, notifyPath, notifyName, board)
	n := h.facets().Notifier
	ctx := context.Background()
	for _, title := range []string{"a", "b", "a"} {
		require.NoError(t, n.Notify(ctx, title, "nul \x00 and \xff", time.Hour))
	}
	require.NoError(t, n.Notify(ctx, "b", "", time.Nanosecond))
	require.NoError(t, n.Notify(ctx, "b", "", time.Hour))
	var got []uint32
	for _, note := range board.all() {
		got = append(got, note.Replaces)
		assert.Empty(t, note.Actions)
	}
	assert.Equal(t, []uint32{0, 0, 1, 2, 0}, got, "the last one had gone by then")
	assert.Equal(t, "nul  and \uFFFD", board.all()[0].Body)

	// A service that starts anew counts anew.
	require.NoError(t, conn.Close())
	other, err := dbus.Connect("unix:path=" + h.path("run/bus"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	serve(t, other, notifyName, notifyPath, notifyName, board)
	require.NoError(t, n.Notify(ctx, "a", "", 0))
	assert.Zero(t, board.all()[5].Replaces)
}

func TestASessionWithoutANotificationServiceSaysSo(t *testing.T) {
	h := newHome(t)
	h.session()
	err := h.facets().Notifier.Notify(context.Background(), "x", "y", 0)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "start one")
}

func TestABusThatComesBackIsUsedAgain(t *testing.T) {
	h := newHome(t)
	board := &noticeBoard{}
	serve(t, h.session(), notifyName, notifyPath, notifyName, board)
	b := newServices(h.env)
	defer func() { _ = b.Close() }()
	n, _, _ := newNotifier(b)
	require.NoError(t, n.Notify(context.Background(), "one", "", 0))
	conn, err := b.Conn()
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.NoError(t, n.Notify(context.Background(), "two", "", 0))
	assert.Len(t, board.all(), 2)
}

// busApp is an application that is started over the bus.
type busApp struct{ calls chan string }

func (a busApp) Activate(map[string]dbus.Variant) *dbus.Error {
	a.calls <- "activate"
	return nil
}

func (a busApp) Open(uris []string, _ map[string]dbus.Variant) *dbus.Error {
	a.calls <- "open " + strings.Join(uris, " ")
	return nil
}

func (a busApp) ActivateAction(name string, _ []dbus.Variant, _ map[string]dbus.Variant) *dbus.Error {
	a.calls <- "action " + name
	return nil
}

func TestABusActivatableApplicationIsAskedOverTheBus(t *testing.T) {
	h := newHome(t)
	app := busApp{make(chan string, 10)}
	serve(t, h.session(), "org.example.My-App", "/org/example/My_App", "org.freedesktop.Application", app)
	h.entry("sys/applications/org.example.My-App.desktop", "My", "false", "DBusActivatable=true", "Actions=new;", "[Desktop Action new]", "Name=New")
	fallback := h.recorder("fallback")
	h.entry("sys/applications/org.example.Absent.desktop", "Absent", "fallback", "DBusActivatable=true")
	apps, ctx := h.facets().Apps, context.Background()
	require.NoError(t, apps.Launch(ctx, "org.example.My-App", nil))
	require.NoError(t, apps.Launch(ctx, "org.example.My-App", []string{"/tmp/a b", "https://x.test"}))
	require.NoError(t, apps.Launch(ctx, ActionID("org.example.My-App", "new"), nil))
	assert.Equal(t, []string{"activate", "open file:///tmp/a%20b https://x.test", "action new"}, []string{<-app.calls, <-app.calls, <-app.calls})
	require.NoError(t, apps.Launch(ctx, "org.example.Absent", nil), "Exec stands in for a service that is not there")
	fallback()
}

// manager is the part of the user's systemd that makes scopes.
type manager struct{ units chan string }

type unitProperty struct {
	Name  string
	Value dbus.Variant
}

func (m manager) StartTransientUnit(name, mode string, props []unitProperty, _ []struct {
	Name  string
	Props []unitProperty
}) (dbus.ObjectPath, *dbus.Error) {
	for _, p := range props {
		if p.Name == "PIDs" {
			m.units <- name + " " + mode + " " + p.Value.String()
		}
	}
	return "/job/1", nil
}

func TestAHostThatIsAServiceGivesItsProgramsAScope(t *testing.T) {
	h := newHome(t)
	m := manager{make(chan string, 1)}
	serve(t, h.session(), "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", m)
	b := newServices(h.env)
	defer func() { _ = b.Close() }()
	l := newLauncher(h.env)
	l.scope = b.scope
	require.NoError(t, l.start(context.Background(), []string{"sleep", "0"}, "", time.Second))
	unit := <-m.units
	pid := strings.TrimSuffix(strings.TrimPrefix(strings.Fields(unit)[0], "app-flash-sleep-"), ".scope")
	assert.Equal(t, "app-flash-sleep-"+pid+".scope fail @au ["+pid+"]", unit)
}
