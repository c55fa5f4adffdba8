package protocol

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPerformsSurviveTheirEncoding(t *testing.T) {
	row := Row{Source: "s", Title: "é", URL: "u", Metadata: Metadata{{"a", "1"}}, Effect: Effect{Type: EffectCopyText, Text: "x"}}
	for want, p := range map[string]Perform{
		`{"kind":"resolve","row":{"source":"s","title":"é","url":"u","metadata":{"a":"1"},"effect":{"type":"copy_text","text":"x"}}}`: {Kind: PerformResolve, Row: row},
		`{"kind":"command","command":"c","subcommand":"echo","args":["a","b c"],"raw":":c echo a \"b c\""}`: {
			Kind: PerformCommand, Command: "c", Subcommand: "echo", Args: []string{"a", "b c"}, Raw: `:c echo a "b c"`},
		`{"kind":"command","command":"c","subcommand":"","args":[],"raw":":c"}`: {Kind: PerformCommand, Command: "c", Args: []string{}, Raw: ":c"},
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":7,"front_window_frame":{"x":-1.5,"y":0,"width":10,"height":20}},"args":{"a":1}}`: {
			Kind: PerformAction, Name: "n", Context: Context{"b", 7, &Frame{-1.5, 0, 10, 20}}, ActionArgs: []byte(`{"a":1}`)},
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":7}}`: {Kind: PerformAction, Name: "n", Context: Context{BundleID: "b", PID: 7}},
		`{"kind":"action","name":"n","context":{"bundle_id":""}}`:          {Kind: PerformAction, Name: "n"},
		`{"kind":"navigate","url":"x://y"}`:                                {Kind: PerformNavigate, URL: "x://y"},
	} {
		raw := AppendPerform(nil, p)
		require.Equal(t, want, string(raw))
		got, err := DecodePerform(raw)
		require.NoError(t, err, want)
		require.Equal(t, p, got)
	}
}

func TestBadPerformsAreRefused(t *testing.T) {
	for params, problem := range map[string]string{
		``:                            "kind: is missing",
		`{"kind":"dance"}`:            "kind: is none of",
		`{"kind":"resolve"}`:          "row: is missing",
		`{"kind":"resolve","row":[]}`: "row: expected an object",
		`{"kind":"resolve","row":{"source":"s"}}`:                                                  "row: is missing",
		`{"kind":"command"}`:                                                                       "command: is missing",
		`{"kind":"command","command":"c","args":[1]}`:                                              "args: is no array of strings",
		`{"kind":"command","command":"c","args":"a"}`:                                              "args: is no array of strings",
		`{"kind":"action","name":"n"}`:                                                             "context: is missing",
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":true}}`:                      "context.pid: is no pid",
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":1.0}}`:                       "context.pid: is no pid",
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":2147483648}}`:                "context.pid: is no pid",
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":1},"args":[]}`:               "args: is no object",
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":1,"front_window_frame":{}}}`: "context.front_window_frame.x: is missing",
		`{"kind":"navigate"}`:                                                                      "url: is missing",
		`{"kind":"navigate","url":"u","url":"u"}`:                                                  "duplicate key",
	} {
		p, err := DecodePerform([]byte(params))
		require.ErrorContains(t, err, problem, params)
		require.Equal(t, Perform{}, p)
	}
}

func TestAPluginPassesOverKeysOfALaterHost(t *testing.T) {
	_, err := DecodePerform([]byte(`{"kind":"resolve","row":{"source":"s","title":"t","owner":"p","effect":{"type":"open","url":"u","x":1}},"later":1}`))
	require.NoError(t, err)
	q, err := DecodeEvaluate([]byte(`{"query":"1+1","scope":null,"surface":"flashlight","later":[1]}`))
	require.NoError(t, err)
	require.Equal(t, Evaluate{Query: "1+1", Surface: "flashlight"}, q)
}

func TestQueriesSurviveTheirEncoding(t *testing.T) {
	q, err := DecodeEvaluate(AppendEvaluate(nil, Evaluate{"q\"", "s", "u"}))
	require.NoError(t, err)
	require.Equal(t, Evaluate{"q\"", "s", "u"}, q)
	s, err := DecodeSearch(AppendSearch(nil, Search{"é", "s.items"}))
	require.NoError(t, err)
	require.Equal(t, Search{"é", "s.items"}, s)
	h := Hints{"b", 3, Frame{-1, -2.25, 3, 4}}
	got, err := DecodeHints(AppendHints(nil, h))
	require.NoError(t, err)
	require.Equal(t, h, got)
	for _, params := range []string{``, `{}`, `{"query":5}`, `{"query":null}`, `{"query":"q","scope":1}`, `{"query":"q"`, `[]`} {
		_, err := DecodeEvaluate([]byte(params))
		assert.Error(t, err, params)
		_, err = DecodeSearch([]byte(params))
		assert.Error(t, err, params)
	}
	for _, pid := range []string{`0`, `-1`, `2147483648`, `1.0`, `true`, `"1"`, `null`} {
		_, err := DecodeHints([]byte(`{"bundle_id":"b","pid":` + pid + `,"front_window_frame":{"x":0,"y":0,"width":1,"height":1}}`))
		assert.Error(t, err, pid)
	}
}

func TestAVersionThatIsNoIntegerIsZero(t *testing.T) {
	for params, want := range map[string]int64{
		`{"protocol_version":1}`: 1, `{"protocol_version":7,"later":true}`: 7, `{"protocol_version":1.0}`: 0, `{"protocol_version":"1"}`: 0,
		`{"protocol_version":true}`: 0, `{"protocol_version":null}`: 0, `{}`: 0, ``: 0, `[`: 0, `{"protocol_version":99999999999999999999}`: 0,
	} {
		assert.Equal(t, want, DecodeInitialize([]byte(params)), params)
	}
}

func TestEventsAreRead(t *testing.T) {
	name, payload, err := DecodeEvent(AppendEvent(nil, EventFocusChanged, []byte(`{"pid":4}`)))
	require.NoError(t, err)
	require.Equal(t, EventFocusChanged, name)
	require.Equal(t, `{"pid":4}`, string(payload))
	name, payload, err = DecodeEvent(AppendEvent(nil, "core:poll:x", nil))
	require.NoError(t, err)
	require.Equal(t, "core:poll:x", name)
	require.Equal(t, `{}`, string(payload))
	for _, params := range []string{`{}`, `{"name":""}`, `{"name":1}`, `{"name":"n","payload":[]}`, `{"name":"n","payload":"x"}`} {
		_, _, err := DecodeEvent([]byte(params))
		require.Error(t, err, params)
	}
}

func TestApplicationsSurviveTheirEncoding(t *testing.T) {
	apps := []Application{{"org.x", 4, "Éx"}, {"", 5, ""}}
	payload := NewObject(nil).Str("reason", "launched").Raw("running_applications", AppendApplications(nil, apps)).Bytes()
	got, err := DecodeApplications(payload)
	require.NoError(t, err)
	require.Equal(t, apps, got)
	_, err = DecodeApplications([]byte(`{"running_applications":[{"bundle_id":"b","pid":0}]}`))
	require.ErrorContains(t, err, "running_applications[0].pid")
}

func TestStatusSurvivesItsEncoding(t *testing.T) {
	status := map[string]StatusValue{
		"b": {Text: ""}, "a": {Text: "é"}, "c": {Carousel: &Carousel{"p", []string{"x", "y"}, 1.5}}, "d": {Carousel: &Carousel{Lines: []string{}, CycleSeconds: 1}},
	}
	raw := AppendStatus(nil, status)
	require.Equal(t, `{"a":"é","b":"","c":{"prefix":"p","lines":["x","y"],"cycle_seconds":1.5},"d":{"lines":[],"cycle_seconds":1}}`, string(raw))
	got, err := DecodeStatus(NewObject(nil).Raw("segments", raw).Bytes())
	require.NoError(t, err)
	require.Equal(t, status, got)
	for segments, problem := range map[string]string{
		`{"a":1}`:                               "segments: holds a value that is neither",
		`{"a":null}`:                            "segments: holds a value that is neither",
		`[]`:                                    "segments: is no object",
		`{"a":{"lines":["x"]}}`:                 "cycle_seconds: is missing",
		`{"a":{"cycle_seconds":1}}`:             "lines: is missing",
		`{"a":{"lines":[1],"cycle_seconds":1}}`: "lines: is no array of strings",
		`{"a":{"lines":[],"cycle_seconds":0.99}}`:    "cycle_seconds: is below 1",
		`{"a":{"lines":[],"cycle_seconds":1,"x":1}}`: "unknown key",
		`{"a":"x","a":"y"}`:                          "duplicate key",
	} {
		_, err := DecodeStatus([]byte(`{"segments":` + segments + `}`))
		require.ErrorContains(t, err, problem, segments)
	}
	_, err = DecodeStatus([]byte(`{"segments":{},"x":1}`))
	require.ErrorContains(t, err, "unknown key")
}

func TestRegistrationsSurviveTheirEncoding(t *testing.T) {
	regs := []Registration{{Name: "a-1", Every: 0.05}, {Name: "b_", After: 86400, Priority: "low"}, {Name: "c", Every: 1, Priority: "high"}}
	raw := AppendRegistrations(nil, regs)
	require.Equal(t, `{"a-1":{"every":0.05},"b_":{"after":86400,"priority":"low"},"c":{"every":1,"priority":"high"}}`, string(raw))
	got, err := DecodePoll(NewObject(nil).Raw("registrations", raw).Bytes())
	require.NoError(t, err)
	require.Equal(t, regs, got)
	got, err = DecodePoll([]byte(`{"registrations":{}}`))
	require.NoError(t, err)
	require.Empty(t, got)
	for registrations, problem := range map[string]string{
		`{"a":{}}`:                           "registrations.a: needs exactly one",
		`{"a":{"every":1,"after":1}}`:        "registrations.a: needs exactly one",
		`{"a":{"every":0.049}}`:              "registrations.a.every: is not from",
		`{"a":{"every":86401}}`:              "registrations.a.every: is not from",
		`{"a":{"after":0}}`:                  "registrations.a.after: is not above",
		`{"a":{"after":86400.5}}`:            "registrations.a.after: is not above",
		`{"a":{"every":"1"}}`:                "registrations.a.every: is no number",
		`{"a":{"every":1,"priority":"now"}}`: "registrations.a.priority: is none of",
		`{"a":{"every":1,"x":1}}`:            `registrations.a: unknown key "x"`,
		`{"A":{"every":1}}`:                  "has a name that is not",
		`{"":{"every":1}}`:                   "has a name that is not",
		`{"a":5}`:                            "registrations.a: is no object",
		`[]`:                                 "registrations: is no object",
	} {
		_, err := DecodePoll([]byte(`{"registrations":` + registrations + `}`))
		require.ErrorContains(t, err, problem, registrations)
	}
	o := NewObject(nil)
	for i := range MaxRegistrations + 1 {
		o.Raw(string(rune('a'+i%26))+string(rune('a'+i/26)), []byte(`{"every":1}`))
	}
	_, err = DecodePoll(NewObject(nil).Raw("registrations", o.Bytes()).Bytes())
	require.ErrorContains(t, err, "more than 64")
}

func TestLogRecordsSurviveTheirEncoding(t *testing.T) {
	for _, rec := range []LogRecord{
		{Level: "warn", Message: "slow", Fields: []byte(`{"ms":5}`), Trace: "abc1"},
		{Level: "info", Message: "", Fields: []byte(`{}`)},
	} {
		got, err := DecodeLog(AppendLog(nil, rec))
		require.NoError(t, err)
		require.Equal(t, rec, got)
	}
	got, err := DecodeLog([]byte(`{"level":"info","message":"m","fields":null,"trace":null}`))
	require.NoError(t, err)
	require.Equal(t, LogRecord{Level: "info", Message: "m"}, got)
	for _, params := range []string{`{"level":"info"}`, `{"message":"m"}`, `{"level":1,"message":"m"}`, `{"level":"i","message":"m","fields":[]}`,
		`{"level":"i","message":"m","trace":"NO"}`, `{"level":"i","message":"m","x":1}`} {
		_, err := DecodeLog([]byte(params))
		require.Error(t, err, params)
	}
}

func TestNumbersThatJSONCannotHoldAreWrittenAsZero(t *testing.T) {
	for f, want := range map[float64]string{
		math.Inf(1): "0", math.Inf(-1): "0", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-7: "1e-07", -0.5: "-0.5", 0: "0",
	} {
		assert.Equal(t, want, string(appendFloat(nil, f)))
	}
	assert.Equal(t, "0", string(appendFloat(nil, math.NaN())))
	assert.False(t, Frame{Width: math.Inf(1), Height: 1}.Valid())
	assert.False(t, Frame{X: math.NaN(), Width: 1, Height: 1}.Valid())
}

// FuzzParams lets no params decoder take what encoding/json refuses, and holds
// what they take to their own encoders.
func FuzzParams(f *testing.F) {
	for _, params := range []string{
		`{"query":"q","scope":"s","surface":"u"}`, `{"kind":"navigate","url":"u"}`, `{"name":"n","payload":{}}`,
		`{"kind":"command","command":"c","subcommand":"s","args":["a"],"raw":"r"}`, `{"level":"l","message":"m","fields":{}}`,
		`{"kind":"action","name":"n","context":{"bundle_id":"b","pid":1,"front_window_frame":{"x":0,"y":1,"width":2,"height":3}},"args":{}}`,
		`{"segments":{"a":"b","c":{"lines":[],"cycle_seconds":2}}}`, `{"registrations":{"a":{"every":1},"b":{"after":2,"priority":"low"}}}`,
		`{"bundle_id":"b","pid":1,"front_window_frame":{"x":0,"y":1,"width":2,"height":3}}`, `{"kind":"resolve","row":{"source":"s","title":"t"}}`,
	} {
		f.Add([]byte(params))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		taken := DecodeInitialize(params) != 0
		if q, err := DecodeEvaluate(params); err == nil {
			taken = true
			again, err := DecodeEvaluate(AppendEvaluate(nil, q))
			require.NoError(t, err)
			require.Equal(t, q, again)
		}
		if p, err := DecodePerform(params); err == nil {
			taken = true
			again, err := DecodePerform(AppendPerform(nil, p))
			require.NoError(t, err)
			if p.Kind == PerformCommand && p.Args == nil {
				p.Args = []string{}
			}
			require.Equal(t, p, again)
		}
		if h, err := DecodeHints(params); err == nil {
			taken = true
			again, err := DecodeHints(AppendHints(nil, h))
			require.NoError(t, err)
			require.Equal(t, h, again)
		}
		if name, payload, err := DecodeEvent(params); err == nil {
			taken = true
			again, same, err := DecodeEvent(AppendEvent(nil, name, payload))
			require.NoError(t, err)
			require.Equal(t, name, again)
			require.Equal(t, payload, same)
		}
		if s, err := DecodeStatus(params); err == nil {
			taken = true
			again, err := DecodeStatus(NewObject(nil).Raw("segments", AppendStatus(nil, s)).Bytes())
			require.NoError(t, err)
			require.Equal(t, s, again)
		}
		if r, err := DecodePoll(params); err == nil {
			taken = true
			again, err := DecodePoll(NewObject(nil).Raw("registrations", AppendRegistrations(nil, r)).Bytes())
			require.NoError(t, err)
			require.Equal(t, r, again)
		}
		if _, err := DecodeLog(params); err == nil {
			taken = true
		}
		if _, err := DecodeApplications(params); err == nil {
			taken = true
		}
		if taken && len(params) > 0 {
			require.True(t, json.Valid(params))
		}
	})
}
