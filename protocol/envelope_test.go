package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFramesAreToldApart(t *testing.T) {
	for line, want := range map[string]Envelope{
		`{"id":1,"method":"ping","params":{}}`:                {ID: 1, Method: "ping", Params: []byte(`{}`)},
		`{"id":1,"method":"ping"}`:                            {ID: 1, Method: "ping"},
		`{"id":9007199254740991,"result":{"ok":true}}`:        {ID: MaxID, Result: []byte(`{"ok":true}`)},
		`{"method":"publish","params":{"rows":[]}}`:           {Method: "publish", Params: []byte(`{"rows":[]}`)},
		`{"method":"x.y"}`:                                    {Method: "x.y"},
		` {"params" : {"a" : [1]} , "method":"m" , "id":2 } `: {ID: 2, Method: "m", Params: []byte(`{"a" : [1]}`)},
		`{"id":3,"method":"search","params":{},"trace":"0az9","deadline_ms":950}`: {
			ID: 3, Method: "search", Params: []byte(`{}`), Trace: "0az9", DeadlineMS: 950},
		`{"id":null,"method":"m","params":null,"result":null,"trace":null,"deadline_ms":null}`: {Method: "m"},
		`{"id":4,"method":null,"result":{"ok":true}}`:                                          {ID: 4, Result: []byte(`{"ok":true}`)},
		`{"\u0069d":5,"method":"\u0070ing"}`:                                                   {ID: 5, Method: "ping"},
	} {
		e, err := DecodeEnvelope([]byte(line))
		require.NoError(t, err, line)
		require.Equal(t, want, e, line)
		kinds := 0
		for _, is := range []bool{e.IsRequest(), e.IsResponse(), e.IsNotification()} {
			if is {
				kinds++
			}
		}
		require.Equal(t, 1, kinds, line)
		require.Equal(t, e.ID != 0 && e.Method != "", e.IsRequest())
		require.Equal(t, e.Result != nil, e.IsResponse())
	}
}

func TestBadFramesAreRefusedWithoutTheirContent(t *testing.T) {
	for line, problem := range map[string]string{
		`banner v1 SECRET`:                                         "expected an object",
		`"SECRET"`:                                                 "expected an object",
		`[{"method":"SECRET"}]`:                                    "expected an object",
		`{}`:                                                       "neither id nor method",
		`{"id":1}`:                                                 "response without result",
		`{"id":1,"result":null}`:                                   "response without result",
		`{"result":{"ok":true}}`:                                   "neither id nor method",
		`{"id":true,"method":"SECRET"}`:                            "expected a value",
		`{"id":1.0,"method":"SECRET"}`:                             "expected an integer",
		`{"id":1e2,"method":"SECRET"}`:                             "expected an integer",
		`{"id":"1","method":"SECRET"}`:                             "expected a value",
		`{"id":0,"method":"SECRET"}`:                               "id out of range",
		`{"id":-1,"method":"SECRET"}`:                              "id out of range",
		`{"id":9007199254740992,"method":"SECRET"}`:                "id out of range",
		`{"id":99999999999999999999,"method":"SECRET"}`:            "expected an integer",
		`{"id":10x,"method":"SECRET"}`:                             "expected ','",
		`{"method":""}`:                                            "empty method",
		`{"method":5}`:                                             "expected a string",
		`{"method":"m","params":[]}`:                               "expected an object",
		`{"method":"m","params":"SECRET"}`:                         "expected an object",
		`{"id":1,"result":[]}`:                                     "expected an object",
		`{"id":1,"result":true}`:                                   "expected an object",
		`{"id":1,"method":"m","result":{}}`:                        "method with result",
		`{"id":1,"params":{},"result":{}}`:                         "result with params",
		`{"id":1,"method":"m","SECRET":1}`:                         "unknown envelope key",
		`{"id":1,"method":"m","SECRET":null}`:                      "unknown envelope key",
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:                    "unknown envelope key",
		`{"id":1,"id":1,"method":"m"}`:                             "duplicate key",
		`{"method":"m","params":{"SECRET":1,"SECRET":2}}`:          "duplicate key",
		`{"method":"m","trace":"a"}`:                               "trace or deadline_ms outside a request",
		`{"id":1,"result":{},"deadline_ms":5}`:                     "trace or deadline_ms outside a request",
		`{"id":1,"method":"m","trace":""}`:                         "malformed trace",
		`{"id":1,"method":"m","trace":"ABC"}`:                      "malformed trace",
		`{"id":1,"method":"m","trace":"01234567890123456"}`:        "malformed trace",
		`{"id":1,"method":"m","deadline_ms":0}`:                    "deadline out of range",
		`{"id":1,"method":"m","deadline_ms":1.5}`:                  "expected an integer",
		`{"method":"m","params":{"x":NaN}}`:                        "expected a value",
		`{"method":"m","params":{"x":"\ud800"}}`:                   "lone surrogate",
		`{"method":"m"} x`:                                         "text after the value",
		`{"method":"m","params":{"SECRET`:                          "unterminated string",
		`{"method":"m","params":` + strings.Repeat(`{"a":`, 10000): "nested deeper",
	} {
		e, err := DecodeEnvelope([]byte(line))
		require.ErrorContains(t, err, problem, line)
		require.NotContains(t, err.Error(), "SECRET")
		require.Equal(t, Envelope{}, e)
	}
}

func TestParamsAndResultAliasTheLineAndCannotGrowIntoIt(t *testing.T) {
	line := []byte(`{"method":"m","params":{"a":1}}`)
	e, err := DecodeEnvelope(line)
	require.NoError(t, err)
	line[25] = 'b'
	require.Equal(t, `{"b":1}`, string(e.Params)[:7])
	_ = append(e.Params, "XX"...)
	require.Equal(t, byte('}'), line[len(line)-1])
}

func TestAMethodOutlivesItsLine(t *testing.T) {
	for _, method := range []string{MethodPublish, MethodStatus, MethodPoll, MethodLog, MethodEvent, MethodPing, MethodEvaluate, MethodSearch, MethodPerform, MethodInitialize, "host.other"} {
		line := AppendRequest(nil, 1, method, nil, "abc", 0)
		e, err := DecodeEnvelope(line)
		require.NoError(t, err)
		clear(line)
		require.Equal(t, method, e.Method)
		require.Equal(t, "abc", e.Trace)
	}
}

func TestFramesAreWrittenCompactAndWithANewline(t *testing.T) {
	assert.Equal(t, `{"id":1,"method":"ping","params":{}}`+"\n", string(AppendRequest(nil, 1, "ping", nil, "", 0)))
	assert.Equal(t, `x{"id":2,"method":"m","params":{"a":1},"trace":"t","deadline_ms":7}`+"\n",
		string(AppendRequest([]byte("x"), 2, "m", []byte(`{"a":1}`), "t", 7)))
	assert.Equal(t, `{"id":3,"result":{"ok":true}}`+"\n", string(AppendResponse(nil, 3, []byte(`{"ok":true}`))))
	assert.Equal(t, `{"method":"event","params":{}}`+"\n", string(AppendNotification(nil, "event", nil)))
	assert.Equal(t, `{"id":4,"result":{"ok":false,"error":"unknown method: \"x\""}}`+"\n",
		string(AppendError(nil, 4, ErrTextUnknownMethod(`"x"`))))
}

func TestStringsAreWrittenCompact(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `""`,
		"a/b<>&'":                  `"a/b<>&'"`,
		"é🚀\u2028\u2029\u0085\x7f": "\"é🚀\u2028\u2029\u0085\x7f\"",
		"\"\\\b\f\n\r\t":           `"\"\\\b\f\n\r\t"`,
		"\x00\x01\x1f":             `"\u0000\u0001\u001f"`,
		"a\xffb\xe2\x89":           "\"a\uFFFDb\uFFFD\uFFFD\"",
		"\uFFFD":                   "\"\uFFFD\"",
		"\xed\xa0\x80":             "\"\uFFFD\uFFFD\uFFFD\"",
	} {
		got := AppendString(nil, in)
		assert.Equal(t, want, string(got))
		assert.Equal(t, len(got), stringSize(in))
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\xffé🚀 0123456789")
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString(nil, s)
		require.Equal(t, len(got), stringSize(s))
		var back string
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, string([]rune(s)), back, "each invalid byte is one U+FFFD")
		sc := scanner{s: string(got)}
		ours, ok := sc.str()
		require.True(t, ok, sc.fault)
		require.Equal(t, back, ours)
	})
}

// FuzzEnvelope holds the envelope decoder to encoding/json.
func FuzzEnvelope(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"method":"ping","params":{}}`, `{"id":2,"result":{"ok":false,"error":"x"}}`, `{"method":"event","params":{"name":"n"}}`,
		`{"id":3,"method":"m","trace":"a","deadline_ms":5}`, `{"id":1.0}`, `{"\u0069d":1,"id":2}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := DecodeEnvelope(bytes.Clone(line))
		if err != nil {
			return
		}
		var std struct {
			ID       int64           `json:"id"`
			Method   string          `json:"method"`
			Params   json.RawMessage `json:"params"`
			Result   json.RawMessage `json:"result"`
			Trace    string          `json:"trace"`
			Deadline int64           `json:"deadline_ms"`
		}
		require.NoError(t, json.Unmarshal(line, &std))
		require.Equal(t, std.ID, e.ID)
		require.Equal(t, std.Method, e.Method)
		require.Equal(t, std.Trace, e.Trace)
		require.Equal(t, std.Deadline, e.DeadlineMS)
		require.Equal(t, rawOf(std.Params), string(e.Params))
		require.Equal(t, rawOf(std.Result), string(e.Result))
		var again []byte
		switch {
		case e.IsRequest():
			again = AppendRequest(nil, e.ID, e.Method, e.Params, e.Trace, e.DeadlineMS)
		case e.IsResponse():
			again = AppendResponse(nil, e.ID, e.Result)
		default:
			again = AppendNotification(nil, e.Method, e.Params)
		}
		back, err := DecodeEnvelope(again)
		require.NoError(t, err)
		if e.Params == nil && e.Method != "" {
			e.Params = []byte("{}")
		}
		require.Equal(t, e, back)
	})
}

func rawOf(m json.RawMessage) string {
	if string(m) == "null" {
		return ""
	}
	return string(m)
}
