package browsers

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

//go:embed manifest.json
var manifest []byte

const deadline = 120 * time.Second

// world is the plugin with a home of its own and a host whose browsers have
// windows.
type world struct {
	t    *testing.T
	h    *sdktest.Harness
	home string
	mac  bool

	mu      sync.Mutex
	windows map[int][]string
	strip   []string // titles in the tab strip
	asked   map[int]int
	broken  bool
}

func newWorld(t *testing.T, config string) *world { return newWorldOn(t, config, system{}) }

func newWorldOn(t *testing.T, config string, on system) *world {
	w := &world{t: t, home: t.TempDir(), mac: on.mac, windows: map[int][]string{}, asked: map[int]int{}}
	w.h = sdktest.InProcess(t, newPlugin(nil, w.home, on), sdktest.Options{Manifest: manifest, Config: strings.ReplaceAll(config, "$HOME", w.home), Timeout: deadline})
	w.h.HostReply(protocol.HostAXSnapshot, w.snapshot)
	w.h.HostReply(protocol.HostActivate, func(string) string { return `{"ok":true}` })
	w.h.HostReply(protocol.HostAXPerform, func(string) string { return `{"ok":true}` })
	w.h.HostReply(protocol.HostPostKeys, func(string) string { return `{"ok":true}` })
	w.h.Initialize()
	return w
}

func (w *world) snapshot(params string) string {
	c := sdk.NewConfig(params)
	pid := int(c.Int("pid", 0))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[pid]++
	if w.broken {
		return `{"ok":false,"error":"no answer"}`
	}
	var nodes []string
	for i, title := range w.windows[pid] {
		nodes = append(nodes, fmt.Sprintf(`{"handle":"w%d","root":"w%d","attrs":{"AXTitle":%q,"AXRole":"AXWindow","AXWindowNumber":%d,"AXMain":%v}}`, i, i, title, pid*10+i, i == 0))
	}
	if len(c.Strings("follow", nil)) > 0 {
		for i, title := range w.strip {
			nodes = append(nodes, fmt.Sprintf(`{"handle":"t%d","root":"w0","parent":"w0","attrs":{"AXTitle":%q,"AXRole":"AXRadioButton"}}`, i, title))
		}
	}
	return `{"ok":true,"nodes":[` + strings.Join(nodes, ",") + `]}`
}

func (w *world) set(pid int, titles ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.windows[pid] = titles
}

func (w *world) times(pid int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[pid]
}

func (w *world) running(apps map[string]int) {
	var list []string
	for id, pid := range apps {
		list = append(list, fmt.Sprintf(`{"bundle_id":%q,"pid":%d,"localized_name":%q}`, id, pid, id))
	}
	w.h.Event(protocol.EventAppsChanged, `{"reason":"running","running_applications":[`+strings.Join(list, ",")+`]}`)
}

func (w *world) ax(pid int, notification string) {
	w.h.Event(protocol.EventAXChanged, fmt.Sprintf(`{"pid":%d,"notification":%q}`, pid, notification))
}

func lines(rows []protocol.Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, strings.TrimSpace(strings.TrimSuffix(r.Source, ".tabs")+": "+r.Title+" "+r.URL))
	}
	return out
}

func meta(r protocol.Row, key string) string {
	v, _ := r.Metadata.Get(key)
	return v
}

// pack makes a mozLz4 file of literals.
func pack(text string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(text)))
	n := len(text)
	if n < 15 {
		return append(append(b, byte(n<<4)), text...)
	}
	b = append(b, 0xf0)
	for n -= 15; n >= 255; n -= 255 {
		b = append(b, 255)
	}
	return append(append(b, byte(n)), text...)
}

const session = `{"version":["sessionrestore",1],"windows":[{"tabs":[
{"entries":[{"url":"https://old.example/","title":"Old"},{"url":"https://mail.example/inbox","title":"Inbox"}],"index":2,"hidden":false},
{"entries":[{"url":"https://secret.example/","title":"Hidden"}],"index":1,"hidden":true},
{"entries":[],"userTypedValue":"https://typed.example/"},
{"entries":[{"url":"https://www.docs.example/a/","title":"Docs"}],"index":1}],
"selected":1}],"selectedWindow":1,"cookies":[{"host":"x","value":"s3cret"}]}`

// firefox gives the home a profile with a session.
func (w *world) firefox(text string) string {
	w.t.Helper()
	dir := firefoxDir(w.home, w.mac)
	store := filepath.Join(dir, "abc.default-esr", storeDir)
	require.NoError(w.t, os.MkdirAll(store, 0o700))
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, "profiles.ini"), []byte("[Profile1]\nName=other\nIsRelative=1\nPath=zzz.other\n\n[Profile0]\nName=d\nIsRelative=1\nPath=abc.default-esr\nDefault=1\n\n[General]\nVersion=2\n"), 0o600))
	w.write(filepath.Join(store, storeFile), text)
	return store
}

// write puts a session in place as Firefox does, by renaming.
func (w *world) write(path, text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(path+".tmp", pack(text), 0o600))
	require.NoError(w.t, os.Rename(path+".tmp", path))
}

func TestFirefoxIsReadFromItsSessionAndItsWindows(t *testing.T) {
	w := newWorld(t, "")
	store := w.firefox(session)
	w.set(7, "Inbox — Mozilla Firefox", "Just opened — Mozilla Firefox")
	w.running(map[string]int{"firefox-esr": 7, "editor": 8})
	w.h.Event(protocol.EventFocusChanged, `{"bundle_id":"firefox-esr","localized_name":"Firefox","pid":7}`)
	rows := w.h.NextPublish()
	require.Equal(t, []string{
		"firefox: Inbox https://mail.example/inbox", "firefox: https://typed.example/ https://typed.example/",
		"firefox: Docs https://www.docs.example/a/", "firefox: Just opened",
	}, lines(rows))
	assert.Equal(t, "mail.example/inbox", meta(rows[0], protocol.MetaSubtitle))
	assert.Equal(t, "docs.example/a", meta(rows[2], protocol.MetaSubtitle))
	assert.Equal(t, "70", meta(rows[0], metaWindow))
	assert.Equal(t, "true", meta(rows[0], protocol.MetaCurrentLocation))
	assert.Empty(t, meta(rows[2], metaWindow))
	assert.Zero(t, w.times(8), "the editor is nobody's business")

	w.write(filepath.Join(store, storeFile), strings.ReplaceAll(session, `"Docs"`, `"Other docs"`))
	require.Contains(t, lines(w.h.NextPublish()), "firefox: Other docs https://www.docs.example/a/", "the file is watched")
	w.running(map[string]int{"editor": 8})
	require.Empty(t, w.h.NextPublish(), "at once: it is gone")
}

func TestWithoutLeaveToReadItsSessionFirefoxIsItsWindowTitles(t *testing.T) {
	w := newWorld(t, "")
	w.set(7, "A page — Mozilla Firefox", "Firefox")
	w.running(map[string]int{"firefox-esr": 7})
	require.Equal(t, []string{"firefox: A page", "firefox: Firefox"}, lines(w.h.NextPublish()))
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "firefox: window titles")
	require.NoError(t, os.MkdirAll(firefoxDir(w.home, false), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(firefoxDir(w.home, false), "installs.ini"), []byte("[4F]\nDefault=abc.d\nLocked=1\n"), 0o600))
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "add the folder sessionstore-backups of your profile to `read`")
}

// tools is DevTools of a browser.
type tools struct {
	*httptest.Server
	mu    sync.Mutex
	list  string
	calls []string
}

func newTools(t *testing.T, dir string) *tools {
	d := &tools{list: `[
{"id":"AA11","type":"page","title":"News","url":"https://news.example/","webSocketDebuggerUrl":"ws://x"},
{"id":"BB22","type":"service_worker","title":"w","url":"https://news.example/sw.js"},
{"id":"CC33","type":"page","title":"Mail","url":"https://mail.example/"}]`}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.calls = append(d.calls, r.Method+" "+r.URL.Path)
		if r.URL.Path == "/json/list" {
			_, _ = w.Write([]byte(d.list))
			return
		}
		_, _ = w.Write([]byte("Target activated"))
	}))
	t.Cleanup(d.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(d.URL, "http://"), ":")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, portFile), []byte(port+"\n/devtools/browser/x"), 0o600))
	return d
}

func (d *tools) called() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.calls...)
}

func TestABrowserOfChromiumsFamilyIsReadOverDevToolsWhereThatIsOn(t *testing.T) {
	w := newWorld(t, "")
	d := newTools(t, kindOf("chromium").dir(w.home, false))
	w.set(5, "Mail - Chromium")
	w.running(map[string]int{"chromium": 5})
	rows := w.h.NextPublish()
	require.Equal(t, []string{"chromium: News https://news.example/", "chromium: Mail https://mail.example/"}, lines(rows))
	assert.Equal(t, "CC33", meta(rows[1], metaTab))
	assert.Equal(t, "50", meta(rows[1], metaWindow))
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "chromium: DevTools")

	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[0]}).OK)
	assert.Contains(t, d.called(), "GET /json/activate/AA11")
	assert.JSONEq(t, `{"pid":5}`, w.h.NextHostCall(protocol.HostActivate))
	act := func(name string) protocol.Outcome {
		args := append(append([]byte(`{"row":`), protocol.AppendRow(nil, rows[1])...), '}')
		return w.h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: name, ActionArgs: args})
	}
	assert.True(t, act("tab_close").OK)
	assert.True(t, act("tab_new").OK)
	assert.Contains(t, d.called(), "GET /json/close/CC33")
	assert.Contains(t, d.called(), "PUT /json/new")
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "tab:https://news.example/"}).OK)
	out := w.h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "tab:https://elsewhere.example/"})
	assert.Equal(t, "https://elsewhere.example/", out.NavigationURL)
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformNavigate, URL: "tab:javascript:x"}).Unhandled)

	d.mu.Lock()
	d.list = "out of order"
	d.mu.Unlock()
	assert.Contains(t, w.h.Command("browsers", "refresh").Err, "is not a browser")
	assert.Zero(t, w.h.Notifications(protocol.MethodPublish), "its tabs stay")
	d.Close()
	assert.Contains(t, w.h.Command("browsers", "refresh").Message, "chromium: window titles (DevTools is off")
	require.Equal(t, []string{"chromium: Mail"}, lines(w.h.NextPublish()))
}

func TestSomethingElseAtThePortOfDevToolsIsNotBelieved(t *testing.T) {
	for _, answer := range []string{"", "hello", `{"ok":true}`, `[{"id":1}]`, `[1]`} {
		_, err := parseTools([]byte(answer))
		assert.ErrorIs(t, err, errTools, "%q", answer)
	}
	for text, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]":     "[]",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]more": "[]",
		"HTTP/1.0 200 OK\r\n\r\n[]":                          "[]",
	} {
		body, done, err := response([]byte(text), true)
		assert.NoError(t, err)
		assert.True(t, done)
		assert.Equal(t, want, string(body))
	}
	for _, text := range []string{"", "SSH-2.0", "HTTP/1.1 404 Not\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[]", "HTTP/1.1\r\n\r\n"} {
		_, done, err := response([]byte(text), true)
		assert.Error(t, err, "%q", text)
		assert.False(t, done)
	}
}

func TestOnlyRetitledAndNewWindowsOfThatBrowserAreRead(t *testing.T) {
	w := newWorld(t, "")
	w.set(5, "One - Chromium")
	w.set(6, "Two - Brave")
	w.running(map[string]int{"chromium": 5, "brave-browser": 6})
	require.Equal(t, []string{"chromium: One", "brave: Two"}, lines(w.h.NextPublish()))
	for range 10000 / 4 {
		for _, n := range []string{"AXValueChanged", "AXUIElementDestroyed", "AXCreated", "AXLayoutChanged"} {
			w.ax(5, n)
		}
	}
	w.set(6, "Three - Brave")
	w.ax(6, "AXTitleChanged")
	require.Equal(t, []string{"chromium: One", "brave: Three"}, lines(w.h.NextPublish()))
	assert.Equal(t, 1, w.times(5))
	assert.Equal(t, 2, w.times(6))
}

func TestAFailedReadingKeepsTheTabsAndDoesNotHoldUpOthers(t *testing.T) {
	w := newWorld(t, "")
	w.set(5, "One - Chromium")
	w.running(map[string]int{"chromium": 5})
	require.Equal(t, []string{"chromium: One"}, lines(w.h.NextPublish()))
	w.mu.Lock()
	w.broken = true
	w.mu.Unlock()
	assert.Contains(t, w.h.Command("browsers", "refresh").Err, "no answer")
	assert.Zero(t, w.h.Notifications(protocol.MethodPublish))
}

func TestATabInTheBackIsPressedInTheStrip(t *testing.T) {
	w := newWorld(t, "")
	w.firefox(session)
	w.set(7, "Inbox — Mozilla Firefox")
	w.strip = []string{"Inbox", "Docs"}
	w.running(map[string]int{"firefox-esr": 7})
	rows := w.h.NextPublish()
	assert.True(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[2]}).OK)
	assert.JSONEq(t, `{"handle":"t1"}`, w.h.NextHostCall(protocol.HostAXPerform))
	assert.JSONEq(t, `{"pid":7,"window_id":70}`, w.h.NextHostCall(protocol.HostActivate))
	assert.Contains(t, w.h.Perform(protocol.Perform{Kind: protocol.PerformResolve, Row: rows[1]}).Err, "no tab of this title")
	out := w.h.Perform(protocol.Perform{Kind: protocol.PerformAction, Name: "tab_new", Context: protocol.Context{BundleID: "firefox-esr", PID: 7}})
	assert.True(t, out.OK, out.Err)
	var keys struct {
		Keys []struct{ Modifiers []string }
	}
	require.NoError(t, json.Unmarshal([]byte(w.h.NextHostCall(protocol.HostPostKeys)), &keys))
	assert.Len(t, keys.Keys, 1)
}

func TestNoBrowserIsAnAnswer(t *testing.T) {
	w := newWorld(t, "")
	w.running(map[string]int{"editor": 8})
	require.Empty(t, w.h.NextPublish())
	assert.Equal(t, "no browser runs", w.h.Command("browsers", "refresh").Message)
}

func TestDamagedSessionsAreRefused(t *testing.T) {
	good := pack(session)
	_, err := unpack(good)
	require.NoError(t, err)
	for name, b := range map[string][]byte{
		"empty": nil, "no magic": []byte(session), "cut": good[:len(good)-1], "more": append(good, 0x10, 'x'),
		"huge": append([]byte(magic), 0xff, 0xff, 0xff, 0xff, 0), "copies before the start": append([]byte(magic+"\x08\x00\x00\x00"), 0x14, 'a', 9, 0),
		"no distance": append([]byte(magic+"\x08\x00\x00\x00"), 0x14, 'a', 1),
	} {
		_, err := unpack(b)
		assert.Error(t, err, name)
	}
	out, err := unpack(append([]byte(magic+"\x0a\x00\x00\x00"), 0x24, 'a', 'b', 2, 0))
	require.NoError(t, err)
	assert.Equal(t, "ababababab", string(out), "a copy may overlap itself")
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(session))
	f.Add(append([]byte(magic+"\x0a\x00\x00\x00"), 0x24, 'a', 'b', 2, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		if out, err := unpack(b); err == nil {
			_, _ = parseStore(out)
		}
		_, _ = parseTools(b)
		_, _, _ = response(b, true)
	})
}
