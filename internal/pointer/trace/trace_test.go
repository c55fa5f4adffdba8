package trace_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/internal/pointer/engine"
	"github.com/flash-launcher/flash/internal/pointer/settings"
	"github.com/flash-launcher/flash/internal/pointer/trace"
)

func readAll(t *testing.T, path string) []trace.Trace {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	traces, err := trace.Read(f, settings.Default())
	require.NoError(t, err)
	return traces
}

func TestEveryTraceGivesWhatItWants(t *testing.T) {
	for _, tr := range append(readAll(t, "testdata/traces.jsonl"), readAll(t, "testdata/more.jsonl")...) {
		t.Run(tr.ID, func(t *testing.T) {
			n, differences := trace.Check([]trace.Trace{tr})
			assert.Empty(t, differences)
			assert.Equal(t, len(tr.In), n)
		})
	}
}

func TestReplayPrintsOneObjectAnEventInTheFormOfWant(t *testing.T) {
	traces := readAll(t, "testdata/traces.jsonl")
	var out bytes.Buffer
	require.NoError(t, trace.Replay(&out, traces, true))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	raw, err := os.ReadFile("testdata/traces.jsonl")
	require.NoError(t, err)
	i := 0
	for line := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n") {
		var tr struct{ Want []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(line), &tr))
		for _, want := range tr.Want {
			require.Less(t, i, len(lines))
			require.JSONEq(t, string(want), lines[i])
			i++
		}
	}
	assert.Len(t, lines, i)
}

func TestReplaySaysWhy(t *testing.T) {
	in := `{"t":0,"ev":"scroll","dev":"mx","line":-2}
{"t":12,"ev":"scroll","dev":"mx","line":1}`
	traces, err := trace.Read(strings.NewReader(in), settings.Default())
	require.NoError(t, err)
	require.Len(t, traces, 1)
	var out bytes.Buffer
	require.NoError(t, trace.Replay(&out, traces, false))
	assert.Contains(t, out.String(), "dropped: opposite pulse 12 ms after -2")
}

func TestAFaultyLineIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		`{"t":0,"ev":"jump"}`:                     `"jump"`,
		`{"t":0,"ev":"down"}`:                     "btn",
		`{"t":0,"ev":"move","speed":3}`:           "speed",
		`{"t":0,"ev":"move","dx":3000000000}`:     "dx",
		`{"t":0,"ev":"scroll","cont":2}`:          "cont",
		`{"t":0,"ev":"tap_disabled","which":"x"}`: "which",
		`{"in":[{"t":0,"ev":"wake"}],"want":[]}`:  "wanted",
		`{"in":[],"config":{"threshold":1}}`:      "pointer.threshold = 1",
		`{"t":0,"ev":"wake"} {"t":0,"ev":"wake"}`: "not JSON",
		`nothing`: "not JSON",
	} {
		_, err := trace.Read(strings.NewReader("\n"+line+"\n"), settings.Default())
		require.Error(t, err, line)
		assert.Contains(t, err.Error(), "line 2", line)
		assert.Contains(t, err.Error(), want, line)
	}
}

func TestAnEventWrittenIsReadBackTheSame(t *testing.T) {
	b := int32(5)
	for _, e := range []trace.Event{
		{T: 1, Kind: "down", Button: &b, Dev: "MX Master 3S"},
		{T: 2, Kind: "scroll", Line: -2, Fixed: -1.5, Point: -15, HLine: 1, Cont: 1, Phase: 2, Mom: 3, Tag: true, AsIs: true},
		{T: 3, Kind: "tap_disabled", Which: "user"},
	} {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		back, err := trace.Read(bytes.NewReader(text), settings.Default())
		require.NoError(t, err)
		assert.Equal(t, e, back[0].In[0])
	}
}

func FuzzReadNeverPanicsAndReplaysWhatItTakes(f *testing.F) {
	f.Add([]byte(`{"t":0,"ev":"down","btn":5,"dev":"mx"}`))
	f.Add([]byte(`{"id":"x","config":{"alpha":0.5},"in":[{"t":1,"ev":"scroll","line":-3}],"want":[{"d":"mod"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		traces, err := trace.Read(bytes.NewReader(data), settings.Default())
		if err != nil {
			return
		}
		for _, tr := range traces {
			tr.Run(func(_ int, _ trace.Event, d engine.Decision) { _ = d.Why.String() })
		}
	})
}
