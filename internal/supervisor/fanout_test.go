package supervisor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/event"
	"github.com/flash-launcher/flash/protocol"
)

// A storm is what a busy desktop sends at a child that does not read: changes of
// three apps in two respects, far more than its lane has room for, and now and then
// something that nothing replaces.
const (
	stormEvents  = 8192
	stormMarkers = 64 // one after as many events as make them this many
)

var (
	stormPIDs          = [...]int{101, 102, 103}
	stormNotifications = [...]string{"AXTitleChanged", "AXValueChanged"}
)

// storm emits the events, each with its number where the wire has a bundle id, and
// returns the last number of each key.
func storm(emit func(*event.Event)) map[string]int {
	last := map[string]int{}
	for n := range stormEvents {
		pid := stormPIDs[n%len(stormPIDs)]
		notification := stormNotifications[n/len(stormPIDs)%len(stormNotifications)]
		emit(event.AXChanged(pid, notification, fmt.Sprint(n)))
		last[fmt.Sprint(pid, notification)] = n
		if per := stormEvents / stormMarkers; n%per == per-1 {
			emit(event.New(protocol.EventSessionOpened, fmt.Appendf(nil, `{"marker":%d}`, n/per)))
		}
	}
	return last
}

func TestAStormOfChangesAtAChildThatDoesNotReadEndsInTheNewest(t *testing.T) {
	p := newPlugin(t, "good", resident)
	pid := p.running().PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	last := storm(p.Emit)
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))

	heard := strings.Split(p.say("events"), "\n")
	require.Zero(t, p.Snapshot().Restarts)
	require.Less(t, len(heard), stormEvents/2, "what was replaced did not come")
	markers, newest, order := 0, map[string]int{}, []int{}
	for _, line := range heard {
		name, text, _ := strings.Cut(line, " ")
		var payload struct {
			Marker       int
			PID          int
			Notification string
			BundleID     string `json:"bundle_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &payload), line)
		switch name {
		case protocol.EventSessionOpened:
			require.Equal(t, markers, payload.Marker, "the markers come in order, none twice and none lost")
			markers++
		case protocol.EventAXChanged:
			n, err := strconv.Atoi(payload.BundleID)
			require.NoError(t, err)
			newest[fmt.Sprint(payload.PID, payload.Notification)] = n
			order = append(order, n)
		}
	}
	require.Equal(t, stormMarkers, markers)
	require.Equal(t, last, newest, "the last of each key is what the child is left with")
	require.True(t, slices.IsSorted(order), "a subsequence of what was emitted, in order")
}

// BenchmarkStorm is that storm at 33 children that do not read.
func BenchmarkStorm(b *testing.B) {
	const children = 33
	bus := event.NewBus()
	var listeners []event.Listener
	for range children {
		p := newPlugin(b, "good", resident)
		pid := p.running().PID
		require.NoError(b, syscall.Kill(pid, syscall.SIGSTOP))
		b.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
		listeners = append(listeners, p.Listener())
	}
	bus.SetListeners(listeners)
	b.ReportAllocs()
	for b.Loop() {
		// Markers would fill the lanes in a second round.
		storm(func(e *event.Event) {
			if e.Key != "" {
				bus.Emit(e)
			}
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/stormEvents/children, "ns/delivery")
}
