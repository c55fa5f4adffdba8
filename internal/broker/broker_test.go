package broker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event/eventtest"
	"github.com/flash-launcher/flash/protocol"
)

func everything(string) bool { return true }

// caller is a plugin with every capability and a data directory.
func caller(t *testing.T) Caller {
	t.Helper()
	return Caller{PluginID: "probe", Capabilities: everything, DataDir: t.TempDir()}
}

// reply makes a call and returns its result, which must keep the response law.
func reply(t testing.TB, b *Broker, c Caller, method, params string) map[string]any {
	t.Helper()
	raw := b.Call(context.Background(), c, method, []byte(params))
	ok, text, err := protocol.DecodeOK(raw)
	require.NoError(t, err, "%s", raw)
	require.Equal(t, ok, text == "", "%s", raw)
	var m map[string]any
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

func refused(t testing.TB, b *Broker, c Caller, method, params string) string {
	t.Helper()
	m := reply(t, b, c, method, params)
	require.Equal(t, false, m["ok"], "%v", m)
	return m["error"].(string)
}

func granted(t testing.TB, b *Broker, c Caller, method, params string) map[string]any {
	t.Helper()
	m := reply(t, b, c, method, params)
	require.Equal(t, true, m["ok"], "%v", m)
	return m
}

// methods are all host calls with params that hold.
var methods = map[string]string{
	protocol.HostPing:             `{"a":[1,"é"]}`,
	protocol.HostStorageGet:       `{"key":"k"}`,
	protocol.HostStorageSet:       `{"key":"k","value":"v"}`,
	protocol.HostFetch:            `{"url":"https://example.com/"}`,
	protocol.HostOpen:             `{"url":"https://example.com/"}`,
	protocol.HostActivate:         `{"pid":4242}`,
	protocol.HostNormalModeTarget: `{}`,
	protocol.HostClipboardWrite:   `{"text":"x"}`,
	protocol.HostNotify:           `{"message":"x"}`,
	protocol.HostPostMediaKey:     `{"key_code":16}`,
	protocol.HostProcessTable:     `{"sample_window_ms":0}`,
	protocol.HostSignal:           `{"pid":2147483646}`,
	protocol.HostWifiInfo:         `{}`,
	protocol.HostAXSnapshot:       `{"pid":4242,"roots":"app","follow":["AXChildren"],"collect":["AXRole"],"prune_roles":[]}`,
	protocol.HostAXPerform:        `{"handle":"h","action":"AXPress"}`,
	protocol.HostAXSet:            `{"handle":"h","attribute":"AXValue","value":1}`,
	protocol.HostAXSelectChild:    `{"parent":"h","child":"i"}`,
	protocol.HostPostKeys:         `{"pid":4242,"keys":[{"key_code":0,"modifiers":[]}]}`,
	protocol.HostPostGlobalKey:    `{"key_code":0,"modifiers":["command"]}`,
}

func TestEveryMethodIsDeniedWithoutItsCapability(t *testing.T) {
	b := New(Options{})
	for method, params := range methods {
		capability, known := protocol.CapabilityOf(method)
		require.True(t, known, method)
		if capability == "" {
			continue
		}
		for name, capabilities := range map[string]func(string) bool{
			"none":         nil,
			"another":      func(c string) bool { return c != capability },
			"nothing held": func(string) bool { return false },
		} {
			c := Caller{PluginID: "probe", Capabilities: capabilities}
			assert.Equal(t, "missing "+capability+" capability", refused(t, b, c, method, params), "%s, %s", method, name)
			// The right is judged before what is asked for.
			assert.Equal(t, "missing "+capability+" capability", refused(t, b, c, method, `{"x":`), "%s, %s", method, name)
		}
	}
}

func TestWithoutADisplayEveryCallAnswersWithTheRemedy(t *testing.T) {
	b := New(Options{})
	c := caller(t)
	for _, method := range []string{
		protocol.HostOpen, protocol.HostActivate, protocol.HostNormalModeTarget, protocol.HostClipboardWrite, protocol.HostNotify,
		protocol.HostPostMediaKey, protocol.HostWifiInfo, protocol.HostAXSnapshot, protocol.HostAXPerform, protocol.HostAXSet,
		protocol.HostAXSelectChild, protocol.HostPostKeys, protocol.HostPostGlobalKey,
	} {
		assert.Contains(t, refused(t, b, c, method, methods[method]), " is not available here; ", method)
	}
}

func TestAnUnknownMethodIsNamed(t *testing.T) {
	b := New(Options{})
	assert.Equal(t, "unknown method: host.fly", refused(t, b, caller(t), "host.fly", `{}`))
	assert.Less(t, len(refused(t, b, caller(t), strings.Repeat("x", 1<<20), `{}`)), 200)
}

func TestPingEchoesItsParams(t *testing.T) {
	b := New(Options{})
	raw := b.Call(context.Background(), Caller{PluginID: "p"}, protocol.HostPing, []byte(`{"a":[1,"é"]}`))
	assert.Equal(t, `{"ok":true,"echo":{"a":[1,"é"]}}`, string(raw))
	raw = b.Call(context.Background(), Caller{PluginID: "p"}, protocol.HostPing, nil)
	assert.Equal(t, `{"ok":true,"echo":{}}`, string(raw))
}

func TestAFaultInTheParamsNamesItsKey(t *testing.T) {
	b := New(Options{})
	c := caller(t)
	for method := range methods {
		for _, params := range []string{`[]`, `{`, `5`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
			assert.Contains(t, refused(t, b, c, method, params), "invalid "+method+" params: ", "%s %s", method, params)
		}
		if method != protocol.HostPing {
			params := strings.Replace(methods[method], "{", `{"surprise":1,`, 1)
			params = strings.Replace(params, ",}", "}", 1)
			assert.Contains(t, refused(t, b, c, method, params), "surprise", method)
		}
	}
	for _, f := range []struct{ method, params, key string }{
		{protocol.HostStorageGet, `{}`, "key"},
		{protocol.HostStorageGet, `{"key":1}`, "key"},
		{protocol.HostStorageGet, `{"key":""}`, "key"},
		{protocol.HostStorageSet, `{"key":"` + strings.Repeat("k", 129) + `","value":"v"}`, "key"},
		{protocol.HostStorageSet, `{"key":"k","value":"` + strings.Repeat("v", 65537) + `"}`, "value"},
		{protocol.HostFetch, `{"url":null}`, "url"},
		{protocol.HostOpen, `{}`, "url or bundle_id"},
		{protocol.HostOpen, `{"url":"https://a.example/","bundle_id":"a"}`, "url or bundle_id"},
		{protocol.HostOpen, `{"url":true}`, "url"},
		{protocol.HostActivate, `{"pid":true}`, "pid"},
		{protocol.HostActivate, `{"pid":1.0}`, "pid"},
		{protocol.HostActivate, `{"pid":2147483648}`, "pid"},
		{protocol.HostActivate, `{"pid":5,"window_id":0}`, "window_id"},
		{protocol.HostClipboardWrite, `{"text":"` + strings.Repeat("x", 1048577) + `"}`, "text"},
		{protocol.HostClipboardWrite, `{}`, "text"},
		{protocol.HostNotify, `{"message":""}`, "message"},
		{protocol.HostNotify, `{"message":"` + strings.Repeat("x", 1025) + `"}`, "message"},
		{protocol.HostNotify, `{"message":"x","duration_ms":499}`, "duration_ms"},
		{protocol.HostNotify, `{"message":"x","duration_ms":10001}`, "duration_ms"},
		{protocol.HostNotify, `{"message":"x","duration_ms":"5"}`, "duration_ms"},
		{protocol.HostPostMediaKey, `{}`, "key_code"},
		{protocol.HostPostMediaKey, `{"key_code":32}`, "key_code"},
		{protocol.HostPostMediaKey, `{"key_code":-1}`, "key_code"},
		{protocol.HostProcessTable, `{"sample_window_ms":3001}`, "sample_window_ms"},
		{protocol.HostSignal, `{"pid":1}`, "pid"},
		{protocol.HostSignal, `{"pid":0}`, "pid"},
		{protocol.HostSignal, `{"pid":5,"start_time":"x"}`, "start_time"},
		{protocol.HostWifiInfo, `{"request_authorization":1}`, "request_authorization"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"all"}`, "roots"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"app","follow":"x"}`, "follow"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"app","collect":[""]}`, "collect"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"app","max_nodes":3001}`, "max_nodes"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"app","max_nodes":0}`, "max_nodes"},
		{protocol.HostAXSnapshot, `{"pid":5,"roots":"app","geometry":1}`, "geometry"},
		{protocol.HostAXPerform, `{"handle":5}`, "handle"},
		{protocol.HostAXPerform, `{"handle":"h","action":""}`, "action"},
		{protocol.HostAXSet, `{"handle":"h","attribute":"AXValue"}`, "value"},
		{protocol.HostAXSelectChild, `{"parent":"h"}`, "child"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[]}`, "keys"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[` + strings.Repeat(`{"key_code":0,"modifiers":[]},`, 32) + `{"key_code":0}]}`, "keys"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[{"key_code":128}]}`, "keys[0].key_code"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[{"key_code":1,"modifiers":["hyper"]}]}`, "keys[0].modifiers"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[{"key_code":1}],"interval_ms":7}`, "interval_ms"},
		{protocol.HostPostKeys, `{"pid":5,"keys":[{"key_code":1}],"interval_ms":101}`, "interval_ms"},
		{protocol.HostPostGlobalKey, `{"key_code":0,"modifiers":[]}`, "modifiers"},
		{protocol.HostPostGlobalKey, `{"key_code":0}`, "modifiers"},
	} {
		assert.Contains(t, refused(t, b, c, f.method, f.params), "invalid "+f.method+" params: "+f.key, clip(f.params))
	}
}

// desk is a desktop that notes what it is asked.
type desk struct {
	mu    sync.Mutex
	asked []string
	err   error
	wait  chan struct{}
}

func (d *desk) note(format string, a ...any) error {
	if d.wait != nil {
		<-d.wait
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fmt.Sprintf(format, a...))
	return d.err
}

func (d *desk) OpenURL(_ context.Context, url string) error { return d.note("url %s", url) }
func (d *desk) OpenApp(_ context.Context, id string) error  { return d.note("app %s", id) }
func (d *desk) WriteText(_ context.Context, text string) error {
	return d.note("clipboard %d", len(text))
}
func (d *desk) Notify(_ context.Context, title, body string, t time.Duration) error {
	return d.note("notify %s: %s, %s", title, body, t)
}
func (d *desk) Activate(_ context.Context, pid int, window int64) error {
	return d.note("activate %d %d", pid, window)
}
func (d *desk) NormalModeTarget(context.Context) (Target, bool, error) {
	return Target{PID: 77, BundleID: "org.example.App", WindowID: 3}, true, d.note("target")
}
func (d *desk) PostMediaKey(_ context.Context, code int) error { return d.note("media %d", code) }
func (d *desk) SSID(_ context.Context, authorize bool) (string, bool, error) {
	return "attic", true, d.note("ssid %t", authorize)
}
func (d *desk) PostKeys(_ context.Context, pid int, keys []Key, interval time.Duration) error {
	return d.note("keys %d %v %s", pid, keys, interval)
}
func (d *desk) PostGlobalKey(_ context.Context, k Key) error { return d.note("global %v", k) }

func withDesk(d *desk) Options {
	return Options{Opener: d, Clipboard: d, Notifier: d, Windows: d, MediaKeys: d, Wifi: d, Keys: d, Time: eventtest.New()}
}

func TestWhatHoldsReachesTheDesktop(t *testing.T) {
	d := &desk{}
	b := New(withDesk(d))
	c := caller(t)
	granted(t, b, c, protocol.HostOpen, `{"url":"https://example.com/?q=a%20b"}`)
	granted(t, b, c, protocol.HostOpen, `{"bundle_id":"org.example.App"}`)
	granted(t, b, c, protocol.HostClipboardWrite, `{"text":"`+strings.Repeat("x", 1048576)+`"}`)
	granted(t, b, c, protocol.HostNotify, `{"message":"`+strings.Repeat("x", 1024)+`","duration_ms":500}`)
	granted(t, b, c, protocol.HostActivate, `{"pid":4242,"window_id":9}`)
	granted(t, b, c, protocol.HostActivate, `{"pid":4242,"window_id":null}`)
	granted(t, b, c, protocol.HostPostMediaKey, `{"key_code":0}`)
	granted(t, b, c, protocol.HostPostKeys, `{"pid":4242,"keys":[{"key_code":53},{"key_code":8,"modifiers":["cmd","command","alt"]}],"interval_ms":8}`)
	granted(t, b, c, protocol.HostPostGlobalKey, methods[protocol.HostPostGlobalKey])
	assert.Equal(t, map[string]any{"ok": true, "present": true, "pid": 77.0, "bundle_id": "org.example.App", "window_id": 3.0}, granted(t, b, c, protocol.HostNormalModeTarget, `{}`))
	assert.Equal(t, map[string]any{"ok": true, "present": true, "ssid": "attic"}, granted(t, b, c, protocol.HostWifiInfo, `{"request_authorization":true}`))
	assert.Equal(t, []string{
		"url https://example.com/?q=a%20b", "app org.example.App", "clipboard 1048576",
		"notify probe: " + strings.Repeat("x", 1024) + ", 500ms", "activate 4242 9", "activate 4242 0", "media 0",
		"keys 4242 [{53 []} {8 [command option]}] 8ms", "global {0 [command]}", "target", "ssid true",
	}, d.asked)
}

func TestOneMessageASecondIsShownForEachPlugin(t *testing.T) {
	d := &desk{}
	clock := eventtest.New()
	b := New(Options{Notifier: d, Time: clock})
	one, other := Caller{PluginID: "one", Capabilities: everything}, Caller{PluginID: "other", Capabilities: everything}
	granted(t, b, one, protocol.HostNotify, `{"message":"a"}`)
	assert.Contains(t, refused(t, b, one, protocol.HostNotify, `{"message":"b"}`), "one message a second")
	granted(t, b, other, protocol.HostNotify, `{"message":"c"}`)
	clock.Advance(999 * time.Millisecond)
	refused(t, b, one, protocol.HostNotify, `{"message":"d"}`)
	clock.Advance(time.Millisecond)
	granted(t, b, one, protocol.HostNotify, `{"message":"e"}`)
	assert.Len(t, d.asked, 3)
}

func TestOnlyAnErrorThatSaysTheRemedyReachesThePlugin(t *testing.T) {
	unavailable := errors.New("unavailable")
	d := &desk{err: fmt.Errorf("clipboard %w: no display; start one", unavailable)}
	o := withDesk(d)
	o.Unavailable = unavailable
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b := New(o)
	c := caller(t)
	assert.Equal(t, "clipboard unavailable: no display; start one", refused(t, b, c, protocol.HostClipboardWrite, `{"text":"secret"}`))
	d.err = errors.New("cannot write secret")
	assert.Equal(t, "host.clipboard_write failed", refused(t, b, c, protocol.HostClipboardWrite, `{"text":"secret"}`))
	refused(t, b, c, "host.secret", `{}`)
	assert.NotContains(t, log.String(), "secret")
	assert.Contains(t, log.String(), `"method":"host.clipboard_write"`)
}

type panicking struct{ desk }

func (*panicking) OpenURL(context.Context, string) error { panic("boom secret") }

func TestAPanicBecomesAnError(t *testing.T) {
	b := New(Options{Opener: &panicking{}})
	c := caller(t)
	for range 2 * concurrent {
		assert.Equal(t, "host.open broke in the host", refused(t, b, c, protocol.HostOpen, methods[protocol.HostOpen]))
	}
	granted(t, b, c, protocol.HostPing, `{}`)
}

func TestThePluginThatFillsItsPlacesHoldsUpOnlyItself(t *testing.T) {
	d := &desk{wait: make(chan struct{})}
	b := New(withDesk(d))
	busy := caller(t)
	var wg sync.WaitGroup
	for range concurrent {
		wg.Go(func() { granted(t, b, busy, protocol.HostClipboardWrite, `{"text":"x"}`) })
	}
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		l := b.lanes["probe"]
		return l != nil && len(l.slots) == concurrent
	}, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	assert.Equal(t, `{"ok":false,"error":"host call timed out"}`, string(b.Call(ctx, busy, protocol.HostPing, nil)))
	granted(t, b, Caller{PluginID: "other"}, protocol.HostPing, `{}`)
	close(d.wait)
	wg.Wait()
	granted(t, b, busy, protocol.HostPing, `{}`)
	assert.Empty(t, b.lanes, "nothing is kept of a plugin that asks nothing")
}

func FuzzCall(f *testing.F) {
	d := &desk{}
	o := withDesk(d)
	o.Processes = noProcesses{}
	o.Accessibility = &tree{}
	b := New(o)
	names := []string{"host.other"}
	for method, params := range methods {
		names = append(names, method)
		f.Add(uint8(len(names)-1), []byte(params))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, method uint8, params []byte) {
		c := Caller{PluginID: "probe", Capabilities: everything, DataDir: dir}
		raw := b.Call(context.Background(), c, names[int(method)%len(names)], params)
		if _, _, err := protocol.DecodeOK(raw); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	})
}

type noProcesses struct{}

func (noProcesses) Table(context.Context, time.Duration) ([]protocol.Process, error) { return nil, nil }
func (noProcesses) Parent(int) int                                                   { return 0 }
func (noProcesses) Terminate(context.Context, int, int64, func(int64) error) error   { return nil }
