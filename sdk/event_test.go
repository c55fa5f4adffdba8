package sdk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
	"github.com/flash-launcher/flash/sdk/sdktest"
)

// held returns a harness whose plugin is busy with a first event until the gate
// opens, and logs the payload of each event behind it.
func held(t *testing.T) (*sdktest.Harness, *gate) {
	g := newGate()
	h := inProcess(t, sdk.Plugin{Event: func(_ context.Context, h *sdk.Host, ev sdk.Event) {
		if ev.Name == "hold" {
			g.pass()
			return
		}
		h.Log(sdk.LevelInfo, ev.Name+" "+string(ev.Payload))
		ping := h.Ping(context.Background()) // lets the queue to the host drain
		_ = ping
	}})
	h.Event("hold", "")
	g.awaitEntered(t, 1)
	return h, g
}

func messages(h *sdktest.Harness, n int) []string {
	var got []string
	for range n {
		got = append(got, h.NextLog().Message)
	}
	return got
}

func TestPendingReplacementEventsCoalesceToTheNewestAndOthersKeepTheirOrder(t *testing.T) {
	h, g := held(t)
	h.Event("core:focus.changed", `{"pid":1}`)
	h.Event("core:apps.launched", `{"pid":2}`)
	h.Event("core:ax.changed", `{"pid":3,"notification":"AXTitleChanged"}`)
	h.Event("core:ax.changed", `{"pid":4,"notification":"AXTitleChanged"}`)
	h.Event("core:apps.launched", `{"pid":5}`)
	h.Event("core:focus.changed", `{"pid":6}`)
	h.Event("core:ax.changed", `{"pid":3,"notification":"AXTitleChanged","bundle_id":"b"}`)
	h.Event("core:ax.changed", `{"pid":3,"notification":"AXWindowCreated"}`)
	ping(h)
	close(g.open)
	assert.Equal(t, []string{
		`core:apps.launched {"pid":2}`,
		`core:ax.changed {"pid":4,"notification":"AXTitleChanged"}`,
		`core:apps.launched {"pid":5}`,
		`core:focus.changed {"pid":6}`,
		`core:ax.changed {"pid":3,"notification":"AXTitleChanged","bundle_id":"b"}`,
		`core:ax.changed {"pid":3,"notification":"AXWindowCreated"}`,
	}, messages(h, 6))
}

func TestAFullEventQueueKeepsTheNewestOfEachKeyAndCountsTheRest(t *testing.T) {
	h, g := held(t)
	for i := range 256 {
		h.Event("core:session.opened", fmt.Sprintf(`{"n":%d}`, i))
	}
	h.Event("core:session.opened", `{"n":"lost"}`)
	for i := range 300 {
		h.Event("core:ax.changed", fmt.Sprintf(`{"pid":%d,"notification":"AXTitleChanged"}`, i+1))
	}
	h.Event("core:ax.changed", `{"pid":1,"notification":"AXTitleChanged","bundle_id":"newest"}`)
	ping(h)
	close(g.open)
	got := messages(h, 512)
	assert.Equal(t, `core:session.opened {"n":0}`, got[0])
	assert.Equal(t, `core:session.opened {"n":255}`, got[255])
	assert.Equal(t, `core:ax.changed {"pid":2,"notification":"AXTitleChanged"}`, got[256])
	assert.Equal(t, `core:ax.changed {"pid":256,"notification":"AXTitleChanged"}`, got[510])
	assert.Equal(t, `core:ax.changed {"pid":1,"notification":"AXTitleChanged","bundle_id":"newest"}`, got[511])
	h.WaitStderr("dropped 45 events: the handler is behind")
}

func TestEventsAreReadByTheirHelpers(t *testing.T) {
	ev := func(payload string) sdk.Event { return sdk.Event{Payload: []byte(payload)} }
	apps, err := ev(`{"reason":"launch","running_applications":[{"bundle_id":"b","pid":1,"localized_name":"n"}]}`).Applications()
	assert.NoError(t, err)
	assert.Equal(t, []protocol.Application{{BundleID: "b", PID: 1, LocalizedName: "n"}}, apps)
	app, err := ev(`{"bundle_id":"b","localized_name":"n","pid":null}`).Focus()
	assert.NoError(t, err)
	assert.Equal(t, protocol.Application{BundleID: "b", LocalizedName: "n"}, app)
	w, err := ev(`{"pid":4,"bundle_id":"b","front_window_frame":{"x":-1,"y":2,"width":3,"height":4}}`).WindowFocus()
	assert.NoError(t, err)
	assert.Equal(t, protocol.Context{PID: 4, BundleID: "b", Frame: &protocol.Frame{X: -1, Y: 2, Width: 3, Height: 4}}, w)
	segments, err := ev(`{"segments":[]}`).Segments()
	assert.NoError(t, err)
	assert.Empty(t, segments)
	text, err := ev(`{"text":"t"}`).Text()
	assert.NoError(t, err)
	assert.Equal(t, "t", text)
	_, err = ev(`{"pid":true,"notification":"x"}`).AX()
	assert.Error(t, err)
	name, ok := sdk.Event{Name: "core:poll:fast"}.Poll()
	assert.True(t, ok)
	assert.Equal(t, "fast", name)
}
