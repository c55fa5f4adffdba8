package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// lines collects what a probe says, a line a write or more.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// say gives the frames to a fresh probe and returns what it said up to its end.
func say(t *testing.T, config string, frames ...string) []string {
	t.Helper()
	all := append([]string{`{"id":1,"method":"initialize","params":{"protocol_version":1}}`}, frames...)
	var out lines
	code := sdk.Serve(context.Background(), New(func(int) {}), sdk.Options{
		In: strings.NewReader(strings.Join(all, "\n") + "\n"), Out: &out, Err: io.Discard,
		Env: func(name string) string {
			if name == "FLASH_PLUGIN_CONFIG" {
				return config
			}
			return ""
		},
	})
	require.Zero(t, code)
	return strings.Split(strings.TrimSuffix(out.text.String(), "\n"), "\n")
}

func word(id int, raw string) string {
	fields := strings.Fields(raw)
	return fmt.Sprintf(`{"id":%d,"method":"perform","params":{"kind":"command","command":"conformance","subcommand":%q,"args":%s,"raw":":conformance %s"}}`,
		id, fields[0], appendStrings(nil, fields[1:]), raw)
}

// reply returns the line that answers an id, "" when none does.
func reply(said []string, id int) string {
	for _, line := range said {
		if strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"result":`, id)) {
			return line
		}
	}
	return ""
}

func TestTheManifestIsValidAndDeclaresEverySurface(t *testing.T) {
	m, err := protocol.DecodeManifest(Manifest)
	require.NoError(t, err)
	assert.Equal(t, "conformance", m.ID)
	assert.Equal(t, []string{"flash-plugin-conformance"}, m.Exec)
	assert.Equal(t, protocol.Resident, m.Activation())
	assert.True(t, m.DeclaresSource(source))
	assert.True(t, m.Listens("core:poll:anything"))
}

func TestTheCatalogueIsExact(t *testing.T) {
	said := say(t, "{}")
	require.Contains(t, said, `{"method":"publish","params":{"rows":[{"source":"conformance.items","title":"alpha","metadata":{"k":"v1"}},`+
		`{"source":"conformance.items","title":"béta ⚡ 名前"},`+
		`{"source":"conformance.items","title":"gamma","url":"https://example.com/g","effect":{"type":"open","url":"https://example.com/g"}}]}}`)
}

func TestTheConfigurationIsReadFromItsOwnTableOrANestedOne(t *testing.T) {
	for config, want := range map[string]string{
		`{"empty_catalog":true}`:                           `"rows":[]`,
		`{"conformance":{"empty_catalog":true}}`:           `"rows":[]`,
		`{"catalog_rows":1,"row_pad":3}`:                   `"rows":[{"source":"conformance.items","title":"row 0","metadata":{"pad":"xxx"}}]`,
		`{"conformance":{"catalog_rows":1}}`:               `"rows":[{"source":"conformance.items","title":"row 0"}]`,
		`{"catalog_rows":0}`:                               `"rows":[]`,
		`not json`:                                         `"title":"alpha"`,
		`{"catalog_rows":"1"}`:                             `"title":"alpha"`,
		`{"skip_publish":false,"conformance":{"other":1}}`: `"title":"alpha"`,
	} {
		assert.Contains(t, strings.Join(say(t, config), "\n"), want, config)
	}
	for _, config := range []string{`{"skip_publish":true}`, `{"conformance":{"skip_publish":true}}`} {
		assert.NotContains(t, strings.Join(say(t, config), "\n"), "publish", config)
	}
}

func TestEchoHoldsTheArgumentsAndTheRawTextByteForByte(t *testing.T) {
	said := say(t, "{}",
		`{"id":2,"method":"perform","params":{"kind":"command","command":"conformance","subcommand":"echo","args":["é <b>","\"q\"",""],"raw":":conformance echo é <b> \"q\" "}}`)
	var r struct{ Result struct{ Message string } }
	require.NoError(t, json.Unmarshal([]byte(reply(said, 2)), &r))
	require.Equal(t, `["é <b>","\"q\"",""] :conformance echo é <b> "q" `, r.Result.Message)
	require.Contains(t, reply(said, 2), "é <b>", "text is written as it is, not escaped")
}

func TestWordsAnswer(t *testing.T) {
	t.Setenv("CONFORMANCE_HERE", "a=b")
	require.NoError(t, os.Unsetenv("CONFORMANCE_GONE"))
	for text, want := range map[string]string{
		"env-has CONFORMANCE_HERE": `{"ok":true,"message":"present"}`,
		"env-has CONFORMANCE_GONE": `{"ok":true,"message":"absent"}`,
		"env CONFORMANCE_HERE":     `{"ok":true,"message":"a=b"}`,
		"config":                   `{"ok":true,"message":"{\"a\":\"b c\",\"d\":[1,2]}"}`,
		"target-pid":               `{"ok":true,"target_pid":4242}`,
		"toast":                    `{"ok":true,"message":"conformance toast"}`,
		"none-such":                `{"ok":false,"error":"unsupported subcommand: none-such"}`,
		"crash 0":                  `{"ok":false,"error":"the process did not end"}`,
	} {
		said := say(t, "{ \"a\" : \"b c\",\n\"d\" : [ 1, 2 ] }", word(2, text))
		assert.Equal(t, `{"id":2,"result":`+want+`}`, reply(said, 2), text)
	}
}

func TestNotificationsAreSentAsAsked(t *testing.T) {
	said := strings.Join(say(t, "{}", word(2, "log warn some text"), word(3, "status state on"), word(4, "publish-extra")), "\n")
	assert.Contains(t, said, `"level":"warn","message":"some text"`)
	assert.Contains(t, said, `{"method":"status","params":{"segments":{"state":"on"}}}`)
	assert.Contains(t, said, `"title":"extra"`)
	assert.Contains(t, said, "conformance shutdown")
}

func TestActionsResolvesAndNavigationsHaveTheirArms(t *testing.T) {
	action := func(name string) string {
		return `{"kind":"action","name":"` + name + `","context":{"bundle_id":"a.b","pid":7}}`
	}
	for params, want := range map[string]string{
		action("conf_performed"): `{"ok":true,"target_pid":4242}`,
		action("conf_unhandled"): `{"ok":false,"unhandled":true}`,
		action("conf_failed"):    `{"ok":false,"error":"conformance action failed"}`,
		`{"kind":"resolve","row":{"source":"conformance.items","title":"alpha"}}`: `{"ok":true,"target_pid":4242}`,
		`{"kind":"resolve","row":{"source":"conformance.items","title":"nope"}}`:  `{"ok":false,"unhandled":true}`,
		`{"kind":"navigate","url":"conformance://ok"}`:                            `{"ok":true}`,
		`{"kind":"navigate","url":"conformance://no"}`:                            `{"ok":false,"unhandled":true}`,
	} {
		said := say(t, "{}", `{"id":2,"method":"perform","params":`+params+`}`)
		assert.Equal(t, `{"id":2,"result":`+want+`}`, reply(said, 2), params)
	}
}

func TestTheEvaluatorKnowsThreeTexts(t *testing.T) {
	for query, want := range map[string]string{
		"conf:one":     `[{"title":"one","subtitle":"s","effect":{"type":"copy_text","text":"one"}}]`,
		"conf:unicode": `[{"title":"héllo ⚡ 世界","effect":{"type":"copy_text","text":"héllo ⚡ 世界"}}]`,
		"conf:onex":    `[]`,
	} {
		said := say(t, "{}", `{"id":2,"method":"evaluate","params":{"query":"`+query+`","scope":"","surface":""}}`)
		assert.Equal(t, `{"id":2,"result":{"ok":true,"answers":`+want+`}}`, reply(said, 2))
	}
	said := say(t, "{}", `{"id":2,"method":"evaluate","params":{"query":"conf:many","scope":"","surface":""}}`)
	assert.Equal(t, 17, strings.Count(reply(said, 2), `"effect"`))
}

func TestEveryHostCallOfTheWireHasItsWord(t *testing.T) {
	methods := map[string]bool{}
	for _, w := range strings.Fields("ping fetch open clipboard notify storage-set storage-get media ps signal keys global-key ax-snapshot activate normal-mode-target") {
		method, params := callOf(w, nil)
		require.NotEmpty(t, method, w)
		require.True(t, json.Valid(params), w)
		methods[method] = true
	}
	require.Len(t, methods, 15)
}

func FuzzCompact(f *testing.F) {
	f.Add(`{ "a\\" : [ 1 , "b \" c" ] }`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		short := compact([]byte(text))
		var want, got any
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		require.NoError(t, json.Unmarshal(short, &got))
		require.Equal(t, want, got)
	})
}
