package kitty

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/desktop/desktoptest"
	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

//go:embed manifest.json
var manifest []byte

//go:embed testdata/ls.json
var recorded string

const deadline = 30 * time.Second

// fakeKitty answers like one, from a recording.
type fakeKitty struct {
	path string
	l    net.Listener

	mu   sync.Mutex
	ls   string
	mute bool
	seen []string
}

func newFake(t *testing.T, path string) *fakeKitty {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	k := &fakeKitty{path: path, l: l, ls: recorded}
	go k.serve()
	t.Cleanup(func() { _ = l.Close() })
	return k
}

func (k *fakeKitty) serve() {
	for {
		c, err := k.l.Accept()
		if err != nil {
			return
		}
		go k.answer(c)
	}
}

func (k *fakeKitty) answer(c net.Conn) {
	defer c.Close()
	b, err := readReply(c)
	if err != nil {
		return
	}
	var q struct {
		Cmd     string          `json:"cmd"`
		Payload json.RawMessage `json:"payload"`
	}
	_ = json.Unmarshal(b[len(begin):], &q)
	k.mu.Lock()
	k.seen = append(k.seen, strings.TrimSpace(q.Cmd+" "+string(q.Payload)))
	data, _ := json.Marshal(k.ls)
	mute := k.mute
	k.mu.Unlock()
	if mute {
		_, _ = io.Copy(io.Discard, c) // until the other side gives up
		return
	}
	if q.Cmd != "ls" {
		data = nil
	}
	reply := begin + `{"ok":true`
	if data != nil {
		reply += `,"data":` + string(data)
	}
	reply += "}" + end
	// In pieces, as large answers come.
	for len(reply) > 0 {
		n := min(len(reply), 700)
		_, _ = io.WriteString(c, reply[:n])
		reply = reply[n:]
	}
}

func (k *fakeKitty) set(ls string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ls = ls
}

func (k *fakeKitty) times(cmd string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, s := range k.seen {
		if s == cmd {
			n++
		}
	}
	return n
}

// world is the plugin with places of its own for sockets.
type world struct {
	h   *sdktest.Harness
	dir string
}

func newWorld(t *testing.T, config string) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "flash-k-") // short: a socket's path is
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &world{dir: dir}
	env := func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return dir
		}
		return ""
	}
	w.h = sdktest.InProcess(t, newPlugin(nil, env), sdktest.Options{Manifest: manifest, Config: strings.ReplaceAll(config, "$DIR", dir), Timeout: deadline})
	return w
}

func titles(rows []protocol.Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Title)
	}
	return out
}

func meta(r protocol.Row, key string) string {
	v, _ := r.Metadata.Get(key)
	return v
}

func ours(rows []protocol.Row, socket string) []protocol.Row {
	var out []protocol.Row
	for _, r := range rows {
		if meta(r, metaSocket) == socket {
			out = append(out, r)
		}
	}
	return out
}

func TestTheWindowsOfAKittyAreRows(t *testing.T) {
	w := newWorld(t, "")
	k := newFake(t, w.dir+"/kitty/kitty-1")
	w.h.Initialize()
	rows := ours(w.h.NextPublish(), k.path)
	require.Equal(t, []string{"main.go ⚡ nvim", "zsh", "syslog"}, titles(rows))
	assert.Equal(t, "work · nvim · /srv/project", meta(rows[0], protocol.MetaSubtitle))
	assert.Equal(t, "30659", meta(rows[0], protocol.MetaPID))
	assert.Equal(t, "2097164", meta(rows[0], metaPlatform))
	assert.Equal(t, "3", meta(rows[2], metaWindow))
	for _, r := range rows {
		for _, v := range []string{r.Title, meta(r, protocol.MetaSubtitle)} {
			assert.NotContains(t, v, "s3cret")
		}
	}
}

func TestWhatChangesARowIsReadAndNothingElse(t *testing.T) {
	w := newWorld(t, "")
	k := newFake(t, w.dir+"/kitty/kitty-1")
	w.h.Initialize()
	w.h.NextPublish()
	w.h.Event(protocol.EventAppsChanged, `{"reason":"running","running_applications":[{"bundle_id":"kitty","pid":30659,"localized_name":"kitty"}]}`)
	require.Eventually(t, func() bool { return k.times("ls") == 2 }, deadline, time.Millisecond, "a kitty that starts is read")
	for range 1000 {
		w.h.Event(protocol.EventAXChanged, `{"pid":30659,"notification":"AXValueChanged","bundle_id":"kitty"}`)
		w.h.Event(protocol.EventAXChanged, `{"pid":4,"notification":"AXTitleChanged","bundle_id":"other"}`)
	}
	k.set(strings.ReplaceAll(recorded, "syslog", "messages"))
	w.h.Event(protocol.EventAXChanged, `{"pid":30659,"notification":"AXTitleChanged"}`)
	require.Contains(t, titles(w.h.NextPublish()), "messages")
	assert.Equal(t, 3, k.times("ls"))

	w.h.Event(protocol.EventFocusChanged, `{"bundle_id":"kitty","localized_name":"kitty","pid":30659}`)
	rows := ours(w.h.NextPublish(), k.path)
	assert.Equal(t, "true", meta(rows[0], protocol.MetaCurrentLocation))
	assert.Equal(t, 4, k.times("ls"))
	w.h.Event(protocol.EventFocusChanged, `{"bundle_id":"other","localized_name":"x","pid":4}`)
	rows = ours(w.h.NextPublish(), k.path)
	assert.Empty(t, meta(rows[0], protocol.MetaCurrentLocation))
	assert.Equal(t, 4, k.times("ls"), "leaving it reads nothing")
}

func TestADeadSocketSaysSoAtOnceWithWhatToDo(t *testing.T) {
	w := newWorld(t, `{"listen_on":"unix:$DIR/own"}`)
	k := newFake(t, w.dir+"/own")
	w.h.Initialize()
	rows := ours(w.h.NextPublish(), k.path)
	require.Len(t, rows, 3)
	k.l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, k.l.Close())
	out := w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[0]})
	assert.Contains(t, out.Err, "nothing listens")
	assert.Contains(t, out.Err, "listen_on")
	require.Empty(t, ours(w.h.NextPublish(), k.path), "its rows go")
	out = w.h.Command("kitty", "focus", "1")
	assert.Contains(t, out.Err, "nothing listens")
}

func TestAKittyThatDoesNotAnswerKeepsItsRows(t *testing.T) {
	w := newWorld(t, "")
	k := newFake(t, w.dir+"/kitty/kitty-1")
	w.h.Initialize()
	w.h.NextPublish()
	k.mu.Lock()
	k.mute = true
	k.mu.Unlock()
	other := newFake(t, w.dir+"/kitty/kitty-2")
	out := w.h.Command("kitty", "refresh")
	assert.Contains(t, out.Err, "did not answer")
	rows := w.h.NextPublish()
	assert.Len(t, ours(rows, k.path), 3)
	assert.Len(t, ours(rows, other.path), 3)
}

func TestChoosingARowFocusesItAndBringsKittyToTheFront(t *testing.T) {
	w := newWorld(t, "")
	k := newFake(t, w.dir+"/kitty/kitty-1")
	w.h.HostReply(protocol.HostActivate, func(string) string { return `{"ok":true}` })
	w.h.Initialize()
	rows := ours(w.h.NextPublish(), k.path)
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[0]}).OK)
	assert.Equal(t, 1, k.times(`focus-window {"match":"id:1"}`))
	assert.JSONEq(t, `{"pid":30659,"window_id":2097164}`, w.h.NextHostCall(protocol.HostActivate))
	assert.True(t, w.h.Command("kitty", "tab", "logs").OK)
	assert.Equal(t, 1, k.times(`focus-tab {"match":"id:2"}`))
	assert.True(t, w.h.Command("kitty", "focus", "syslog").OK)
	assert.Equal(t, 1, k.times(`focus-window {"match":"id:3"}`))
	assert.Contains(t, w.h.Command("kitty", "focus", "nothing", "like", "it").Err, "no window has")
	assert.Contains(t, w.h.Command("kitty", "focus").Err, "say the id")
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: protocol.Row{Source: source, Title: "x"}}).Unhandled)
}

func TestARowOfAnotherPlaceIsNotConnectedTo(t *testing.T) {
	w := newWorld(t, "")
	w.h.Initialize()
	row := protocol.Row{Source: source, Title: "x", Metadata: protocol.NewMetadata(map[string]string{metaSocket: "/run/somebody-elses", metaWindow: "1"})}
	assert.Contains(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: row}).Err, "nothing listens")
}

func TestRoutesAreNamedOnesTheEnvironmentsAndThoseInKnownPlaces(t *testing.T) {
	dir, err := os.MkdirTemp("", "flash-k-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, name := range []string{"run/kitty/kitty-7", "run/mykitty-8", "run/other", "own-12", "env", "tmp/akitty"} {
		newFake(t, filepath.Join(dir, name))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run/kitty/no-socket"), nil, 0o600))
	env := map[string]string{"XDG_RUNTIME_DIR": dir + "/run", "TMPDIR": dir + "/tmp", "KITTY_LISTEN_ON": "unix:" + dir + "/env", "HOME": dir}
	var got []string
	for _, path := range routes([]string{"unix:~/own", "unix:@abstract", "tcp:localhost:1", "unix:/nowhere"}, func(k string) string { return env[k] }) {
		if rest, ok := strings.CutPrefix(path, dir+"/"); ok { // the machine may have a kitty of its own
			got = append(got, rest)
		}
	}
	assert.Equal(t, []string{"own-12", "env", "run/kitty/kitty-7", "run/mykitty-8", "tmp/akitty"}, got)
}

func TestARealKittyIsListedFollowedAndFocused(t *testing.T) {
	desktoptest.Need(t, "kitty", "xdotool")
	s := desktoptest.New(t)
	w := newWorld(t, "")
	require.NoError(t, os.Mkdir(w.dir+"/kitty", 0o700))
	socket := w.dir + "/kitty/kitty"
	p := s.Start("kitty", "--config=NONE", "-o", "allow_remote_control=socket-only", "-o", "update_check_interval=0", "--listen-on=unix:"+socket, "--title=fixed", "sh", "-c", "while read x; do :; done")
	s.Window("^fixed$")
	// It takes commands before it has made its window.
	require.Eventually(t, func() bool {
		answer, err := ask(t.Context(), socket, "ls", nil)
		if err != nil {
			return false
		}
		windows, err := parse(socket, answer)
		return err == nil && len(windows) == 1
	}, deadline, time.Millisecond)
	activated := make(chan string, 8)
	w.h.HostReply(protocol.HostActivate, func(params string) string {
		activated <- params
		return `{"ok":true}`
	})
	w.h.Initialize()
	rows := ours(w.h.NextPublish(), socket)
	require.Len(t, rows, 1)
	assert.Equal(t, fmt.Sprint(p.PID()), meta(rows[0], protocol.MetaPID))
	assert.NotEmpty(t, meta(rows[0], metaPlatform))
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[0]}).OK)
	assert.Contains(t, <-activated, fmt.Sprintf(`"pid":%d`, p.PID()))

	require.True(t, w.h.Command("kitty", "new").OK)
	require.True(t, w.h.Command("kitty", "refresh").OK)
	rows = ours(w.h.NextPublish(), socket)
	require.Len(t, rows, 2)
	p.Stop()
	_ = w.h.Command("kitty", "refresh")
	require.Empty(t, ours(w.h.NextPublish(), socket))
}

func FuzzAnAnswer(f *testing.F) {
	f.Add([]byte(begin+`{"ok":true,"data":"[]"}`), recorded)
	f.Fuzz(func(t *testing.T, reply []byte, ls string) {
		_, _ = decodeReply(reply)
		windows, err := parse("/s", ls)
		if err == nil {
			rowsOf(windows, true)
		}
	})
}
