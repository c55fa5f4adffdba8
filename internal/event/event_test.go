package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

func TestAnEventIsEncodedOnceForAllOfItsListeners(t *testing.T) {
	bus := event.NewBus()
	var got []*event.Event
	deliver := func(e *event.Event) { got = append(got, e) }
	bus.SetListeners([]event.Listener{
		{ID: "a", Patterns: []string{"core:*"}, Deliver: deliver},
		{ID: "b", Patterns: []string{"core:focus.changed", "*changed"}, Deliver: deliver},
		{ID: "c", Patterns: []string{"core:poll:*"}, Deliver: deliver},
	})
	bus.Emit(event.FocusChanged(protocol.Application{BundleID: "kitty", PID: 7, LocalizedName: "kitty"}))
	require.Len(t, got, 2)
	require.Same(t, got[0], got[1])
}

func TestNoFrameIsBuiltForNobody(t *testing.T) {
	bus := event.NewBus()
	bus.SetListeners([]event.Listener{{Patterns: []string{"core:focus.*"}, Deliver: func(*event.Event) {}}})
	require.False(t, bus.Wanted(protocol.EventAXChanged))
	bus.Send(protocol.EventAXChanged, func() *event.Event {
		require.Fail(t, "built")
		return nil
	})
	built := 0
	for range 2 {
		bus.Send(protocol.EventFocusChanged, func() *event.Event {
			built++
			return event.New(protocol.EventFocusChanged, nil)
		})
	}
	require.Equal(t, 2, built)
}

func TestANewSetOfListenersIsResolvedAnew(t *testing.T) {
	bus := event.NewBus()
	require.False(t, bus.Wanted(protocol.EventSpaceChanged))
	bus.SetListeners([]event.Listener{{Patterns: []string{"*"}, Deliver: func(*event.Event) {}}})
	require.True(t, bus.Wanted(protocol.EventSpaceChanged))
	bus.SetListeners(nil)
	require.False(t, bus.Wanted(protocol.EventSpaceChanged))
}

func TestAListenerIsNotToldOfWhatItLacksTheCapabilityFor(t *testing.T) {
	bus := event.NewBus()
	lacks := event.Withheld(func(string) bool { return false })
	bus.SetListeners([]event.Listener{{Patterns: []string{"core:*"}, Lacks: lacks, Deliver: func(*event.Event) {}}})
	require.False(t, bus.Wanted(protocol.EventClipboardChanged))
	require.True(t, bus.Wanted(protocol.EventSpaceChanged))
	require.Empty(t, event.Withheld(func(c string) bool { return c == protocol.CapClipboard }))
}

func TestWhatIsReplacedHasAKeyAndWhatHappenedOnceHasNone(t *testing.T) {
	app := protocol.Application{BundleID: "x", PID: 3, LocalizedName: "X"}
	for _, e := range []*event.Event{
		event.Started(), event.Launched(app), event.Terminated(app), event.Opened(), event.Tick("t", nil),
	} {
		require.Empty(t, e.Key, e.Name)
	}
	for _, e := range []*event.Event{
		event.AppsChanged("r", nil), event.FocusChanged(app), event.WindowFocus(1, "x", nil), event.Clipboard("t"),
		event.Plain(protocol.EventConfigChanged), event.Plain(protocol.EventPowerChanged),
		event.Plain(protocol.EventNetworkChanged), event.Plain(protocol.EventVolumesChanged),
		event.Plain(protocol.EventSpaceChanged), event.StatusObserved(nil),
	} {
		require.Equal(t, e.Name, e.Key)
	}
}

func TestAXChangesCoalesceByAppAndNotification(t *testing.T) {
	e := event.AXChanged(7, "AXTitleChanged", "kitty")
	require.Equal(t, e.Key, event.AXChanged(7, "AXTitleChanged", "").Key)
	require.NotEqual(t, e.Key, event.AXChanged(8, "AXTitleChanged", "kitty").Key)
	require.NotEqual(t, e.Key, event.AXChanged(7, "AXValueChanged", "kitty").Key)
	require.Equal(t, e.Key, event.New(e.Name, e.Payload).Key, "a payload made elsewhere keys the same")
	require.Equal(t, protocol.EventAXChanged, event.New(e.Name, []byte(`{}`)).Key)
}

func TestThePayloadsAreThoseOfTheWire(t *testing.T) {
	app := protocol.Application{BundleID: "org.x", PID: 3, LocalizedName: `X "1"`}
	for want, e := range map[string]*event.Event{
		`{}`: event.Opened(),
		`{"reason":"launch","running_applications":[{"bundle_id":"org.x","pid":3,"localized_name":"X \"1\""}]}`: event.AppsChanged("launch", []protocol.Application{app}),
		`{"bundle_id":"org.x","pid":3,"localized_name":"X \"1\""}`:                                              event.FocusChanged(app),
		`{"pid":3,"bundle_id":"x","front_window_frame":{"x":-1.5,"y":2,"width":3,"height":4}}`:                  event.WindowFocus(3, "x", &protocol.Frame{X: -1.5, Y: 2, Width: 3, Height: 4}),
		`{"pid":3,"bundle_id":"x"}`:                                      event.WindowFocus(3, "x", nil),
		`{"pid":3,"notification":"AXWindowCreated","bundle_id":"org.x"}`: event.AXChanged(3, "AXWindowCreated", "org.x"),
		`{"pid":3,"notification":"AXWindowCreated"}`:                     event.AXChanged(3, "AXWindowCreated", ""),
		`{"text":"é"}`:           event.Clipboard("é"),
		`{"segments":["a","b"]}`: event.StatusObserved([]string{"b", "a", "b"}),
		`{"segments":[]}`:        event.StatusObserved(nil),
	} {
		require.Equal(t, want, string(e.Payload))
		name, payload, err := decode(e.Frame)
		require.NoError(t, err)
		require.Equal(t, e.Name, name)
		require.Equal(t, want, string(payload))
	}
	require.Equal(t, "core:poll:t", event.Tick("t", nil).Name)
}

func decode(frame []byte) (string, []byte, error) {
	e, err := protocol.DecodeEnvelope(frame[:len(frame)-1])
	if err != nil {
		return "", nil, err
	}
	return protocol.DecodeEvent(e.Params)
}

func FuzzAnEventOfAnyPayloadIsAValidFrame(f *testing.F) {
	f.Add(`{"pid":1,"notification":"AXTitleChanged"}`)
	f.Add(`{"pid":"1"}`)
	f.Add("{\n}")
	f.Add("")
	f.Fuzz(func(t *testing.T, payload string) {
		if _, err := protocol.ParseObject([]byte(payload)); err != nil {
			t.Skip()
		}
		e := event.New(protocol.EventAXChanged, []byte(payload))
		require.NotEmpty(t, e.Key)
		require.NotContains(t, string(e.Frame[:len(e.Frame)-1]), "\n")
		_, err := protocol.DecodeEnvelope(e.Frame[:len(e.Frame)-1])
		require.NoError(t, err)
	})
}

func BenchmarkEmitToThirtyListeners(b *testing.B) {
	bus := event.NewBus()
	var listeners []event.Listener
	for range 30 {
		listeners = append(listeners, event.Listener{Patterns: []string{"core:*"}, Deliver: func(*event.Event) {}})
	}
	bus.SetListeners(listeners)
	b.ReportAllocs()
	for b.Loop() {
		bus.Send(protocol.EventAXChanged, func() *event.Event { return event.AXChanged(7, "AXTitleChanged", "kitty") })
	}
}
