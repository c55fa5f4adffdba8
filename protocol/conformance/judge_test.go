package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/sdk/probe"
)

// What the probe never says of itself is held to the wire all the same.
func TestNotificationsAreHeldToTheWire(t *testing.T) {
	s, err := readSurfaces(probe.Manifest)
	require.NoError(t, err)
	for line, good := range map[string]bool{
		`{"method":"status","params":{"segments":{"state":"x"}}}`:                                                   true,
		`{"method":"status","params":{"segments":{"state":{"lines":["a","b"],"cycle_seconds":1}}}}`:                 true,
		`{"method":"status","params":{"segments":{"state":{"prefix":"p","lines":["a"],"cycle_seconds":2.5}}}}`:      true,
		`{"method":"status","params":{"segments":{"state":{"lines":["a"],"cycle_seconds":0.5}}}}`:                   false,
		`{"method":"status","params":{"segments":{"state":{"cycle_seconds":1}}}}`:                                   false,
		`{"method":"status","params":{"segments":{"state":{"lines":["a",1],"cycle_seconds":1}}}}`:                   false,
		`{"method":"status","params":{"segments":{"state":1}}}`:                                                     false,
		`{"method":"poll","params":{"registrations":{}}}`:                                                           true,
		`{"method":"poll","params":{"registrations":{"t":{"every":0.05,"priority":"low"}}}}`:                        true,
		`{"method":"poll","params":{"registrations":{"t":{"after":86400,"priority":"high"}}}}`:                      true,
		`{"method":"poll","params":{"registrations":{"t":{"every":0.04,"priority":"low"}}}}`:                        false,
		`{"method":"poll","params":{"registrations":{"t":{"every":86401,"priority":"low"}}}}`:                       false,
		`{"method":"poll","params":{"registrations":{"t":{"every":1,"after":1,"priority":"low"}}}}`:                 false,
		`{"method":"poll","params":{"registrations":{"t":{"every":1,"priority":"urgent"}}}}`:                        false,
		`{"method":"poll","params":{"registrations":{"T":{"every":1,"priority":"low"}}}}`:                           false,
		`{"method":"log","params":{"level":"warn","message":"x","fields":{}}}`:                                      true,
		`{"method":"publish","params":{"rows":[{"source":"conformance.items","title":"t","extra":1}]}}`:             false,
		`{"method":"publish","params":{"rows":[{"source":"conformance.items","title":"t","effect":{"type":"x"}}]}}`: false,
		`{"method":"hello","params":{}}`: false,
	} {
		e, err := parseEnvelope([]byte(line), false)
		require.NoError(t, err, line)
		assert.Equal(t, good, newJudge(s, nil).frame(&frame{envelope: *e}) == nil, line)
	}
}
