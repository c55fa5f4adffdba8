package conformance

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestOnlyWhatTheWireCallsAFrameIsOne(t *testing.T) {
	for _, line := range []string{
		`{"id":1,"method":"ping"}`, `{"id":9007199254740991,"result":{}}`, `{"method":"log","params":{}}`,
		` { "id" : 2 , "method" : "x" , "params" : { "a" : [ ] } } `, `{"method":"x","params":{"t":"\ud83d\ude80"}}`,
	} {
		_, err := parseEnvelope([]byte(line), false)
		assert.NoError(t, err, line)
	}
	for _, line := range []string{
		``, `{`, `[]`, `1`, `null`, `{}`, `{"id":1}`, `{"id":0,"method":"x"}`, `{"id":-1,"method":"x"}`, `{"id":1.0,"method":"x"}`,
		`{"id":1e0,"method":"x"}`, `{"id":true,"method":"x"}`, `{"id":"1","method":"x"}`, `{"id":9007199254740992,"method":"x"}`,
		`{"id":1,"method":""}`, `{"id":1,"method":5}`, `{"method":"x","params":[]}`, `{"method":"x","params":null}`, `{"id":1,"result":true}`,
		`{"id":1,"method":"x","result":{}}`, `{"id":1,"result":{},"params":{}}`, `{"result":{}}`, `{"method":"x","extra":1}`,
		`{"id":1,"id":1,"method":"x"}`, `{"method":"x","params":{"a":1,"a":2}}`, `{"method":"x","params":{"a":NaN}}`,
		`{"method":"x","params":{"a":"\ud800"}}`, "{\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}", `{"method":"x"}{"method":"x"}`,
		`{"method":"x","trace":"a"}`, `{"method":"x","deadline_ms":1}`,
		`{"method":"x","params":{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`,
	} {
		_, err := parseEnvelope([]byte(line), false)
		assert.Error(t, err, line)
	}
	_, err := parseEnvelope([]byte(`{"id":1,"method":"x","trace":"a","deadline_ms":1}`), true)
	assert.NoError(t, err)
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"ping","params":{"a":["\"[",{}]}}`))
	f.Add([]byte(`{"id":1,"result":{"ok":true}}`))
	f.Add([]byte(`{"method":"x","params":{"a":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		mine, err := parseEnvelope(line, true)
		theirs, theirErr := protocol.DecodeEnvelope(line)
		if err != nil {
			return
		}
		require.True(t, json.Valid(line))
		// trace and deadline_ms have rules of their own that only the host's side keeps.
		if theirErr != nil && (bytes.Contains(line, []byte("trace")) || bytes.Contains(line, []byte("deadline")) || bytes.Contains(line, []byte(`\u`))) {
			return
		}
		require.NoError(t, theirErr, "%q", line)
		require.Equal(t, mine.id, theirs.ID)
		require.Equal(t, mine.method, theirs.Method)
	})
}

func FuzzScenario(f *testing.F) {
	f.Add([]byte(`{"about":"x","steps":[{"sleep_ms":1}]}`))
	f.Add([]byte(`{"about":"x","requires":["probe"],"config":null,"steps":[{"repeat":{"times":2,"as":"i","from":1,"steps":[{"send":{"id":"${i}"}}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseScenario(data); err == nil {
			require.NotEmpty(t, s.Steps)
		}
	})
}

func FuzzDecodedValuesAreThoseOfTheStandardLibrary(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,null,true,"\ud83d\ude80",{}],"b":{"c":[]}}`))
	f.Add([]byte(`[9007199254740993,1e400]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodeAny(data)
		if err != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var want any
		require.NoError(t, dec.Decode(&want))
		require.Equal(t, want, got)
	})
}
