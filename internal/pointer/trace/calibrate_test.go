package trace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/trace"
)

func travels(values ...int64) (out []trace.Hold) {
	for _, v := range values {
		out = append(out, trace.Hold{Travel: v})
	}
	return out
}

func TestTheThresholdIsBetweenClicksAndFlicks(t *testing.T) {
	clicks, flicks, err := trace.Split(travels(0, 300, 3, 410, 12, 260))
	require.NoError(t, err)
	assert.Len(t, clicks, 3)
	p, err := trace.Propose(clicks, flicks)
	require.NoError(t, err)
	assert.Equal(t, trace.Proposal{Threshold: 56, Clicks: 3, Flicks: 3, Farthest: 12, Shortest: 260}, p)
}

func TestOverlappingHoldsAreCountedAsMissed(t *testing.T) {
	p, err := trace.Propose(travels(5, 10, 90), travels(80, 200, 300))
	require.NoError(t, err)
	assert.Equal(t, 1, p.Missed)
}

func TestTooFewOrAlikeHoldsAreRefused(t *testing.T) {
	_, _, err := trace.Split(travels(5))
	assert.ErrorContains(t, err, "too few")
	_, _, err = trace.Split(travels(200, 210, 220))
	assert.ErrorContains(t, err, "alike")
	_, err = trace.Propose(nil, travels(1))
	assert.ErrorContains(t, err, "at least one of each")
}

func TestHoldsAreReadFromTraces(t *testing.T) {
	b := int32(5)
	holds := trace.Holds([]trace.Trace{{Settings: settings.Default(), In: []trace.Event{
		{T: 0, Kind: "down", Button: &b, Dev: "m"}, {T: 5, Kind: "move", DX: 30, Dev: "m"}, {T: 9, Kind: "move", DX: -10, DY: -40, Dev: "m"},
		{T: 10, Kind: "move", DX: 500, Dev: "other"}, {T: 50, Kind: "up", Button: &b, Dev: "m"},
	}}})
	assert.Equal(t, []trace.Hold{{Travel: 40, MS: 50}}, holds)
}
