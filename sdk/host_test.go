package sdk_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

func newBlockedReader() (io.Reader, func()) {
	r, w := io.Pipe()
	return r, func() { _ = w.Close() }
}

// start runs fn as a plugin's Start and returns when it has.
func start(t *testing.T, o sdktest.Options, prepare func(*sdktest.Harness), fn func(ctx context.Context, h *sdk.Host)) *sdktest.Harness {
	t.Helper()
	done := make(chan struct{})
	h := sdktest.InProcess(t, sdk.Plugin{Start: func(ctx context.Context, host *sdk.Host) error {
		defer close(done)
		fn(ctx, host)
		return nil
	}}, o)
	if prepare != nil {
		prepare(h)
	}
	h.Initialize()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("start did not return")
	}
	return h
}

func TestHostCallsSpeakTheWire(t *testing.T) {
	replies := map[string]string{
		protocol.HostFetch:            `{"ok":true,"status":404,"body":"gone"}`,
		protocol.HostNormalModeTarget: `{"ok":true,"present":true,"pid":7,"bundle_id":"b","window_id":9}`,
		protocol.HostStorageGet:       `{"ok":true,"present":true,"value":"v"}`,
		protocol.HostProcessTable:     `{"ok":true,"processes":[{"pid":5,"ppid":1,"uid":0,"name":"n","path":"/n","cpu":1.5,"rss":9007199254740993,"start_time":"9223372036854775807"}]}`,
		protocol.HostWifiInfo:         `{"ok":true,"present":true,"ssid":"net"}`,
		protocol.HostAXSnapshot:       `{"ok":true,"nodes":[{"handle":"h1","root":"w1","attrs":{"AXTitle":"T"}},{"handle":"h2","root":"w1","parent":"h1","frame":{"x":1,"y":2,"width":3,"height":4}}],"truncated":true}`,
	}
	prepare := func(h *sdktest.Harness) {
		for _, m := range []string{"host.ping", "host.open", "host.activate", "host.clipboard_write", "host.notify", "host.storage_set", "host.post_media_key", "host.signal", "host.ax_perform", "host.ax_set", "host.ax_select_child", "host.post_keys", "host.post_global_key"} {
			h.HostReply(m, func(string) string { return `{"ok":true}` })
		}
		for m, r := range replies {
			h.HostReply(m, func(string) string { return r })
		}
	}
	h := start(t, sdktest.Options{}, prepare, func(ctx context.Context, h *sdk.Host) {
		assert.NoError(t, h.Ping(ctx))
		status, body, err := h.Fetch(ctx, "https://x/")
		assert.NoError(t, err)
		assert.Equal(t, 404, status)
		assert.Equal(t, "gone", body)
		assert.NoError(t, h.Open(ctx, "x:y"))
		assert.NoError(t, h.OpenApp(ctx, "org.b"))
		assert.NoError(t, h.Activate(ctx, 3, 4))
		target, present, err := h.NormalModeTarget(ctx)
		assert.NoError(t, err)
		assert.True(t, present)
		assert.Equal(t, sdk.Target{PID: 7, BundleID: "b", WindowID: 9}, target)
		assert.NoError(t, h.ClipboardWrite(ctx, "c"))
		assert.NoError(t, h.Notify(ctx, "m", time.Second))
		value, present, err := h.StorageGet(ctx, "k")
		assert.NoError(t, err)
		assert.True(t, present)
		assert.Equal(t, "v", value)
		assert.NoError(t, h.StorageSet(ctx, "k", "v"))
		assert.NoError(t, h.StorageDelete(ctx, "k"))
		assert.NoError(t, h.PostMediaKey(ctx, sdk.MediaPlay))
		table, err := h.ProcessTable(ctx, 100*time.Millisecond)
		assert.NoError(t, err)
		assert.Equal(t, []protocol.Process{{PID: 5, PPID: 1, Name: "n", Path: "/n", CPU: 1.5, RSS: 9007199254740993, StartTime: 9223372036854775807}}, table)
		assert.NoError(t, h.Signal(ctx, 5))
		ssid, present, err := h.WifiSSID(ctx, true)
		assert.NoError(t, err)
		assert.True(t, present)
		assert.Equal(t, "net", ssid)
		snap, err := h.AXSnapshot(ctx, sdk.AXQuery{PID: 5, Roots: "windows", Collect: []string{"AXTitle"}})
		assert.NoError(t, err)
		assert.True(t, snap.Truncated)
		if assert.Len(t, snap.Nodes, 2) {
			assert.Equal(t, "T", snap.Nodes[0].Attrs.String("AXTitle", ""))
			assert.Equal(t, sdk.AXNode{Handle: "h2", Root: "w1", Parent: "h1", Frame: &protocol.Frame{X: 1, Y: 2, Width: 3, Height: 4}, Attrs: sdk.NewConfig("{}")}, snap.Nodes[1])
		}
		assert.NoError(t, h.AXPerform(ctx, "h1", "AXPress"))
		assert.NoError(t, h.AXSet(ctx, "h1", "AXValue", []byte("1")))
		assert.NoError(t, h.AXSelectChild(ctx, "h1", "h2"))
		assert.NoError(t, h.PostKeys(ctx, 5, []sdk.Key{{Code: 1}, {Code: 2, Modifiers: []string{"command"}}}, 8*time.Millisecond))
		assert.NoError(t, h.PostGlobalKey(ctx, sdk.Key{Code: 3, Modifiers: []string{"control"}}))
	})
	for _, c := range []struct{ method, params string }{
		{"host.fetch", `{"url":"https://x/"}`},
		{"host.open", `{"url":"x:y"}`},
		{"host.open", `{"bundle_id":"org.b"}`},
		{"host.activate", `{"pid":3,"window_id":4}`},
		{"host.clipboard_write", `{"text":"c"}`},
		{"host.notify", `{"message":"m","duration_ms":1000}`},
		{"host.storage_get", `{"key":"k"}`},
		{"host.storage_set", `{"key":"k","value":"v"}`},
		{"host.storage_set", `{"key":"k","value":null}`},
		{"host.post_media_key", `{"key_code":16}`},
		{"host.process_table", `{"sample_window_ms":100}`},
		{"host.signal", `{"pid":5}`},
		{"host.wifi_info", `{"request_authorization":true}`},
		{"host.ax_snapshot", `{"pid":5,"roots":"windows","follow":[],"collect":["AXTitle"],"prune_roles":[]}`},
		{"host.ax_perform", `{"handle":"h1","action":"AXPress"}`},
		{"host.ax_set", `{"handle":"h1","attribute":"AXValue","value":1}`},
		{"host.ax_select_child", `{"parent":"h1","child":"h2"}`},
		{"host.post_keys", `{"pid":5,"keys":[{"key_code":1,"modifiers":[]},{"key_code":2,"modifiers":["command"]}],"interval_ms":8}`},
		{"host.post_global_key", `{"key_code":3,"modifiers":["control"]}`},
	} {
		assert.Equal(t, c.params, h.NextHostCall(c.method), c.method)
	}
}

func TestARefusedHostCallReturnsTheHostsWordsAndTheWholeResult(t *testing.T) {
	start(t, sdktest.Options{}, nil, func(ctx context.Context, h *sdk.Host) {
		result, err := h.Call(ctx, "host.open", []byte(`{"url":"x:"}`))
		assert.Equal(t, sdk.HostError("missing open capability"), err)
		assert.Equal(t, `{"ok":false,"error":"missing open capability"}`, string(result))
	})
}

func TestAHostCallWithoutAReplyTimesOut(t *testing.T) {
	silent := func(h *sdktest.Harness) { h.HostReply("host.ping", func(string) string { return "" }) }
	start(t, sdktest.Options{}, silent, func(ctx context.Context, h *sdk.Host) {
		_, err := h.CallTimeout(ctx, time.Millisecond, "host.ping", nil)
		assert.Equal(t, sdk.ErrHostCallTimeout, err)
		assert.EqualError(t, err, "host call timed out")
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err = h.Call(short, "host.ping", nil)
		assert.Equal(t, sdk.ErrHostCallTimeout, err)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		_, err = h.Call(gone, "host.ping", nil)
		assert.Equal(t, context.Canceled, err)
	})
}

func TestTheSixtyFifthHostCallIsRefusedAndTheEndFailsTheOthers(t *testing.T) {
	errs := make(chan error, 64)
	host := make(chan *sdk.Host, 1)
	h := sdktest.InProcess(t, sdk.Plugin{Start: func(_ context.Context, h *sdk.Host) error {
		for range 64 {
			go func() {
				_, err := h.Call(context.Background(), "host.ping", nil)
				errs <- err
			}()
		}
		host <- h
		return nil
	}}, sdktest.Options{})
	h.HostReply("host.ping", func(string) string { return "" })
	h.Initialize()
	for range 64 {
		h.NextHostCall("host.ping")
	}
	plugin := <-host
	_, err := plugin.Call(context.Background(), "host.ping", nil)
	assert.Equal(t, sdk.ErrHostCallCapacity, err)
	assert.EqualError(t, err, "host call capacity exceeded")
	h.CloseStdin()
	for range 64 {
		assert.Equal(t, sdk.ErrHostClosed, <-errs)
	}
	h.WaitExit()
	_, err = plugin.Call(context.Background(), "host.ping", nil)
	assert.EqualError(t, err, "host closed stdin")
}

func TestRepliesNobodyWaitsForAreDropped(t *testing.T) {
	h := inProcess(t, fixture())
	h.Send(`{"id":12345,"result":{"ok":true}}`)
	assert.Equal(t, `{"ok":true}`, ping(h))
	assert.Empty(t, h.Stderr())
}

func TestAnIntervalNeverOverlapsItselfAndIsNoEvent(t *testing.T) {
	var runs atomic.Int32
	g := newGate()
	var events atomic.Int32
	h := inProcess(t, sdk.Plugin{
		Start: func(ctx context.Context, h *sdk.Host) error {
			h.Poll(protocol.Registration{Name: "plain", After: 2, Priority: "low"})
			h.Every("tick", 1500*time.Millisecond, func(context.Context) {
				runs.Add(1)
				g.pass()
			})
			return nil
		},
		Event: func(_ context.Context, h *sdk.Host, ev sdk.Event) {
			events.Add(1)
			name, ok := ev.Poll()
			h.Log(sdk.LevelInfo, name, "tick", ok)
		},
	})
	h.NextPoll()
	assert.ElementsMatch(t, []protocol.Registration{
		{Name: "plain", After: 2, Priority: "low"}, {Name: "tick", Every: 1.5},
	}, h.NextPoll())
	for range 5 {
		h.Tick("tick")
	}
	g.awaitEntered(t, 1)
	ping(h)
	assert.EqualValues(t, 1, runs.Load())
	close(g.open)
	h.Tick("plain")
	assert.Equal(t, "plain", h.NextLog().Message)
	assert.EqualValues(t, 1, events.Load())
	h.TickUntil("tick", func() bool { return runs.Load() >= 2 })
}

func TestPublishChangedSendsOnlyChanges(t *testing.T) {
	rows := []protocol.Row{{Source: "a", Title: "1", Metadata: protocol.NewMetadata(map[string]string{"x": "1", "y": "2"})}}
	h := start(t, sdktest.Options{}, nil, func(ctx context.Context, h *sdk.Host) {
		assert.True(t, h.PublishChanged(rows))
		assert.False(t, h.PublishChanged([]protocol.Row{{Source: "a", Title: "1", Metadata: protocol.NewMetadata(map[string]string{"y": "2", "x": "1"})}}))
		assert.True(t, h.PublishChanged(nil))
		assert.False(t, h.PublishChanged([]protocol.Row{}))
		assert.True(t, h.PublishChanged(rows))
		h.Publish(nil)
		assert.True(t, h.PublishChanged(rows))
		h.Status(map[string]string{"s": "end"})
	})
	h.NextStatus()
	assert.Len(t, h.NextPublish(), 1)
	assert.Empty(t, h.NextPublish())
	assert.Len(t, h.NextPublish(), 1)
	assert.Empty(t, h.NextPublish())
	assert.Len(t, h.NextPublish(), 1)
	assert.Zero(t, h.Notifications(protocol.MethodPublish))
}

func TestStatusCarouselsAndLogsSpeakTheWire(t *testing.T) {
	h := start(t, sdktest.Options{}, nil, func(ctx context.Context, h *sdk.Host) {
		h.Status(map[string]string{"b": "2", "a": ""})
		h.StatusCarousel("c", protocol.Carousel{Prefix: "p", Lines: []string{"l"}, CycleSeconds: 2})
		h.Log(sdk.LevelWarn, "m", "n", 3, "d", 1500*time.Microsecond, "ok", true, "err", io.EOF, "f", 0.5, "s", "x")
	})
	assert.Equal(t, `{"segments":{"a":"","b":"2"}}`, h.NextNotification("status"))
	assert.Equal(t, `{"segments":{"c":{"prefix":"p","lines":["l"],"cycle_seconds":2}}}`, h.NextNotification("status"))
	assert.Equal(t, `{"level":"warn","message":"m","fields":{"n":3,"d":1.5,"ok":true,"err":"EOF","f":0.5,"s":"x"}}`, h.NextNotification("log"))
}

func TestATraceReachesTheLog(t *testing.T) {
	h := inProcess(t, sdk.Plugin{Evaluate: func(ctx context.Context, h *sdk.Host, q protocol.Evaluate) ([]protocol.Answer, error) {
		h.LogContext(ctx, sdk.LevelInfo, "m")
		return nil, nil
	}})
	h.Send(`{"id":4000,"method":"evaluate","params":{"query":"x"},"trace":"abc1","deadline_ms":5000}`)
	assert.Equal(t, "abc1", h.NextLog().Trace)
	h.Reply(4000)
}

func TestTheSurroundingsComeFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	start(t, sdktest.Options{ID: "me", DataDir: dir, Config: `{"n":3,"s":"x","b":true,"f":0.5,"l":["a","b"],"t":{"k":"v"},"ts":[{"k":"1"},{"k":"2"}],"null":null}`}, nil, func(_ context.Context, h *sdk.Host) {
		assert.Equal(t, "me", h.ID())
		assert.Equal(t, dir, h.DataDir())
		c := h.Config()
		assert.EqualValues(t, 3, c.Int("n", 0))
		assert.Equal(t, "x", c.String("s", ""))
		assert.True(t, c.Bool("b", false))
		assert.Equal(t, 0.5, c.Float("f", 0))
		assert.Equal(t, []string{"a", "b"}, c.Strings("l", nil))
		assert.Equal(t, "v", c.Table("t").String("k", ""))
		assert.Len(t, c.Tables("ts"), 2)
		assert.Equal(t, "2", c.Tables("ts")[1].String("k", ""))
		assert.Equal(t, []string{"n", "s", "b", "f", "l", "t", "ts", "null"}, c.Keys())
	})
}

func TestAConfigOfTheWrongTypesGivesDefaults(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{"k":`, `null`, `{"k":{"a":1}}`, `{"k":null}`, `{}`} {
		c := sdk.NewConfig(raw)
		assert.Equal(t, "d", c.String("k", "d"), raw)
		assert.EqualValues(t, 7, c.Int("k", 7), raw)
		assert.True(t, c.Bool("k", true), raw)
		assert.Equal(t, 1.5, c.Float("k", 1.5), raw)
		assert.Equal(t, []string{"d"}, c.Strings("k", []string{"d"}), raw)
		assert.Empty(t, c.Tables("k"), raw)
		assert.True(t, strings.HasPrefix(string(c.Table("k").Raw()), "{"), raw)
	}
}
