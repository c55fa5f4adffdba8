package sdk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

// TestTheEventQueueMatchesItsRule compares the queue with the plainest program
// of its rule: one list in wire order whose first part is the FIFO.
func TestTheEventQueueMatchesItsRule(t *testing.T) {
	names := []string{"core:focus.changed", "core:power.changed", "core:apps.launched", "core:poll:x", "core:ax.changed"}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		q := new(eventQueue)
		q.init()
		var model []pendingEvent
		lost, modelLost := 0, 0
		for n := range 3000 {
			if r.IntN(10) < 7 {
				ev := Event{names[r.IntN(len(names))], fmt.Appendf(nil, `{"pid":%d,"notification":"n","n":%d}`, 1+r.IntN(400), n)}
				if r.IntN(3) == 0 {
					ev.Name = "core:ax.changed"
				}
				found := q.push(ev, 1)
				key := coalescingKey(ev.Name, ev.Payload)
				if key != "" {
					model = slices.DeleteFunc(model, func(e pendingEvent) bool { return e.key == key })
				}
				slots := max(0, len(model)-protocol.PluginEventFrames)
				fits := len(model) < protocol.PluginEventFrames || key != "" && slots < protocol.PluginEventKeys
				require.Equal(t, fits, found, "seed %d step %d", seed, n)
				if fits {
					model = append(model, pendingEvent{Event: ev, key: key})
				} else {
					modelLost++
				}
			} else if r.IntN(4) == 0 {
				ev, ok, dropped := q.pop()
				lost += dropped
				require.Equal(t, len(model) > 0, ok)
				if ok {
					require.Equal(t, model[0].Event, ev, "seed %d step %d", seed, n)
					model = model[1:]
				}
			}
		}
		for len(model) > 0 {
			ev, ok, dropped := q.pop()
			lost += dropped
			require.True(t, ok)
			require.Equal(t, model[0].Event, ev)
			model = model[1:]
		}
		_, ok, dropped := q.pop()
		assert.False(t, ok)
		assert.Equal(t, modelLost, lost+dropped)
		assert.Zero(t, q.bytes)
	}
}

func TestTheEventQueueIsBoundedByBytes(t *testing.T) {
	q := new(eventQueue)
	q.init()
	launched := func() bool { return q.push(Event{Name: "core:apps.launched", Payload: []byte("{}")}, 6<<20) }
	assert.True(t, launched())
	assert.True(t, launched())
	assert.False(t, launched())
	assert.True(t, q.push(Event{Name: "core:focus.changed", Payload: []byte("{}")}, 6<<20), "a replacement event has a slot of its own")
	assert.False(t, launched(), "wire order was broken")
	q.pop()
	assert.False(t, launched())
	q.pop()
	assert.True(t, launched())
}

func TestAnEventOfTheWholeCapIsTakenByAnEmptyQueue(t *testing.T) {
	q := new(eventQueue)
	q.init()
	assert.True(t, q.push(Event{Name: "core:apps.launched"}, protocol.MaxFrame))
}
