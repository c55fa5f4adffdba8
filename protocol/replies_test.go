package protocol

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnswersSurviveTheirEncoding(t *testing.T) {
	answers := []Answer{
		{Title: "one", Subtitle: "s", Effect: Effect{Type: EffectCopyText, Text: "one"}},
		{Title: "héllo ⚡ 世界", Effect: Effect{Type: EffectInsertText, Text: ""}},
	}
	got, err := DecodeAnswers(NewObject(nil).Bool("ok", true).Raw("answers", AppendAnswers(nil, answers)).Bytes())
	require.NoError(t, err)
	require.Equal(t, answers, got)
	got, err = DecodeAnswers([]byte(`{"answers":[],"ok":true,"error":null}`))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestFaultyAnswersRejectTheReply(t *testing.T) {
	effect := `"effect":{"type":"copy_text","text":"x"}`
	for answer, problem := range map[string]string{
		`{"title":"SECRET"}`:                               "answers[1]: effect is missing",
		`{` + effect + `}`:                                 "answers[1]: title is missing",
		`{"title":null,` + effect + `}`:                    "answers[1]: expected a string",
		`{"title":"t","subtitle":1,` + effect + `}`:        "answers[1]: expected a string",
		`{"title":"t","url":"u",` + effect + `}`:           `answers[1]: unknown key "url"`,
		`{"title":"t","title":"t",` + effect + `}`:         "answers[1]: duplicate key",
		`{"title":"t\u0000",` + effect + `}`:               "answers[1]: text holds U+0000",
		`{"title":"t","effect":{"type":"open","url":"u"}}`: "answers[1]: effect open is for rows only",
		`{"title":"t","effect":null}`:                      "answers[1]: expected an object",
		`{"title":"t","effect":{"type":"copy_text"}}`:      "answers[1]: effect is none of",
		`"SECRET"`: "answers[1]: expected an object",
	} {
		_, err := DecodeAnswers([]byte(`{"ok":true,"answers":[{"title":"t",` + effect + `},` + answer + `]}`))
		require.ErrorContains(t, err, problem, answer)
		require.NotContains(t, err.Error(), "SECRET")
	}
	_, err := DecodeAnswers([]byte(`{"ok":false,"error":"no rates"}`))
	require.ErrorAs(t, err, new(*ReplyError))
	_, err = DecodeAnswers([]byte(`{"ok":true}`))
	require.ErrorContains(t, err, "answers: is missing")
}

func TestAnswerQuotasHoldAtTheBoundary(t *testing.T) {
	reply := func(answers ...Answer) []byte {
		return NewObject(nil).Bool("ok", true).Raw("answers", AppendAnswers(nil, answers)).Bytes()
	}
	one := func(title, text int) Answer {
		return Answer{Title: strings.Repeat("t", title), Effect: Effect{Type: EffectCopyText, Text: strings.Repeat("x", text)}}
	}
	many := func(n int) []Answer {
		list := make([]Answer, n)
		for i := range list {
			list[i] = one(1, 1)
		}
		return list
	}
	full := func(extra int) []byte {
		list := []Answer{one(1, MaxEffectText), one(1, MaxEffectText), one(1, MaxEffectText), one(1, 0)}
		list[3].Effect.Text = strings.Repeat("x", MaxAnswersBytes-len(AppendAnswers(nil, list))+extra)
		return reply(list...)
	}
	for name, at := range map[string]func(extra int) []byte{
		"more than 16 answers":        func(n int) []byte { return reply(many(MaxAnswers + n)...) },
		"more than 262144 bytes":      full,
		"text longer than 16384":      func(n int) []byte { return reply(one(MaxAnswerField+n, 1)) },
		"effect text longer than 655": func(n int) []byte { return reply(one(1, MaxEffectText+n)) },
	} {
		_, err := DecodeAnswers(at(0))
		assert.NoError(t, err, name)
		_, err = DecodeAnswers(at(1))
		assert.ErrorContains(t, err, name)
	}
}

func TestOutcomesSurviveTheirEncoding(t *testing.T) {
	for want, out := range map[string]Outcome{
		`{"ok":true}`: {OK: true},
		`{"ok":true,"target_pid":4242,"navigation_url":"u://x","message":"m"}`: {OK: true, TargetPID: 4242, NavigationURL: "u://x", Message: "m"},
		`{"ok":false,"unhandled":true}`:                                        Unhandled(),
		`{"ok":false,"error":"broke"}`:                                         Failed("broke"),
	} {
		raw := AppendOutcome(nil, out)
		require.Equal(t, want, string(raw))
		got, err := DecodeOutcome(raw)
		require.NoError(t, err)
		require.Equal(t, out, got)
	}
	got, err := DecodeOutcome(AppendOutcome(nil, Failed("")))
	require.NoError(t, err)
	require.NotEmpty(t, got.Err, "an error text is never empty on the wire")
	got, err = DecodeOutcome([]byte(`{"ok":true,"message":null,"error":null,"unhandled":null}`))
	require.NoError(t, err)
	require.Equal(t, Outcome{OK: true}, got)
}

func TestMixedOutcomesAreInvalid(t *testing.T) {
	for _, result := range []string{
		``, `{}`, `[]`, `{"ok":1}`, `{"ok":"true"}`, `{"ok":null}`, `{"ok":false}`, `{"ok":false,"error":""}`, `{"ok":false,"error":null}`,
		`{"ok":false,"unhandled":false}`, `{"ok":false,"unhandled":1}`, `{"ok":true,"unhandled":true}`, `{"ok":true,"unhandled":false}`,
		`{"ok":true,"error":"e"}`, `{"ok":true,"error":""}`, `{"ok":false,"unhandled":true,"error":"e"}`, `{"ok":false,"unhandled":true,"message":"m"}`,
		`{"ok":false,"error":"e","target_pid":1}`, `{"ok":false,"error":"e","unhandled":false}`, `{"ok":true,"extra":1}`, `{"ok":true,"extra":null}`,
		`{"ok":true,"target_pid":0}`, `{"ok":true,"target_pid":2147483648}`, `{"ok":true,"target_pid":1.0}`, `{"ok":true,"target_pid":true}`,
		`{"ok":true,"message":5}`, `{"ok":true,"ok":true}`, `{"ok":true,"navigation_url":"` + strings.Repeat("u", MaxURL+1) + `"}`,
	} {
		out, err := DecodeOutcome([]byte(result))
		assert.Error(t, err, result)
		assert.Equal(t, Outcome{}, out)
	}
}

func TestInitializeRepliesAreRead(t *testing.T) {
	for result, want := range map[string]struct {
		version int64
		ok      bool
		text    string
	}{
		`{"ok":true,"protocol_version":1}`:                                       {1, true, ""},
		`{"ok":true,"protocol_version":2,"name":"later"}`:                        {2, true, ""},
		`{"ok":false,"protocol_version":1,"error":"` + ErrTextMismatch(2) + `"}`: {1, false, "protocol version mismatch: host v2, plugin v1"},
		`{"ok":false,"error":"no"}`:                                              {0, false, "no"},
	} {
		version, ok, text, err := DecodeInitializeReply([]byte(result))
		require.NoError(t, err, result)
		require.Equal(t, want.version, version)
		require.Equal(t, want.ok, ok)
		require.Equal(t, want.text, text)
	}
	for _, result := range []string{`{}`, `{"ok":true}`, `{"ok":true,"protocol_version":"1"}`, `{"ok":true,"protocol_version":1.0}`, `{"ok":false}`, `{"ok":false,"error":""}`, `{"ok":"yes"}`} {
		_, _, _, err := DecodeInitializeReply([]byte(result))
		require.Error(t, err, result)
	}
}

func TestPlainRepliesAreRead(t *testing.T) {
	ok, text, err := DecodeOK([]byte(`{"ok":true,"echo":"x"}`))
	require.NoError(t, err)
	require.True(t, ok)
	require.Empty(t, text)
	ok, text, err = DecodeOK([]byte(`{"ok":false,"error":"e"}`))
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, "e", text)
	for _, result := range []string{`{}`, `{"ok":0}`, `{"ok":false}`, `nope`} {
		_, _, err = DecodeOK([]byte(result))
		require.Error(t, err, result)
	}
}

func TestHintTargetsSurviveTheirEncoding(t *testing.T) {
	targets := []HintTarget{
		{ID: "t1", Frame: Frame{-10.5, 20, 30, 40}, Role: "AXLink", Label: "one", URL: "https://x", PID: 7, EntersInsertMode: true, Priority: -3},
		{ID: "t2", Frame: Frame{0, 0, 10, 10}},
	}
	array := AppendHintTargets(nil, targets)
	got, pid, err := DecodeHintsReply(NewObject(nil).Bool("ok", true).Raw("targets", array).Int("context_pid", 9).Bytes())
	require.NoError(t, err)
	require.Equal(t, 9, pid)
	require.Equal(t, targets, got)
	_, _, err = DecodeHintsReply([]byte(`{"ok":false,"error":"gone"}`))
	require.ErrorAs(t, err, new(*ReplyError))
	for target, problem := range map[string]string{
		`{"frame":{"x":0,"y":0,"width":1,"height":1}}`: "targets[0].id: is missing",
		`{"id":"a"}`: "targets[0].frame: is missing",
		`{"id":"a","frame":{"x":0,"y":0,"width":0,"height":1}}`:              "targets[0].frame: has no area",
		`{"id":"a","frame":{"x":0,"y":0,"width":1,"height":-1}}`:             "targets[0].frame: has no area",
		`{"id":"a","frame":{"x":1e999,"y":0,"width":1,"height":1}}`:          "targets[0].frame.x: is out of range",
		`{"id":"a","frame":{"x":"0","y":0,"width":1,"height":1}}`:            "targets[0].frame.x: is no number",
		`{"id":"a","frame":{"x":0,"y":0,"width":1,"height":1,"z":1}}`:        `targets[0].frame: unknown key "z"`,
		`{"id":"a","frame":{"x":0,"y":0,"width":1,"height":1},"pid":0}`:      "targets[0].pid: is no pid",
		`{"id":"a","frame":{"x":0,"y":0,"width":1,"height":1},"extra":null}`: `targets[0]: unknown key "extra"`,
		`5`: "targets[0]: is no object",
	} {
		_, _, err := DecodeHintsReply([]byte(`{"ok":true,"targets":[` + target + `]}`))
		require.ErrorContains(t, err, problem, target)
	}
	for _, result := range []string{`{"ok":true}`, `{"ok":true,"targets":{}}`, `{"ok":true,"targets":[],"context_pid":0}`, `{"ok":true,"targets":[],"error":"e"}`, `{"ok":false}`} {
		_, _, err := DecodeHintsReply([]byte(result))
		require.Error(t, err, result)
	}
}

// FuzzReplies lets no reply decoder take what encoding/json refuses, and holds
// what they take to their own encoders.
func FuzzReplies(f *testing.F) {
	for _, result := range []string{
		`{"ok":true,"answers":[{"title":"t","subtitle":null,"effect":{"type":"copy_text","text":"x"}}]}`,
		`{"ok":true,"target_pid":4,"message":"m"}`, `{"ok":false,"unhandled":true}`, `{"ok":false,"error":"e","protocol_version":1}`,
		`{"ok":true,"targets":[{"id":"a","frame":{"x":-1.5e3,"y":0,"width":1,"height":1},"pid":3}],"context_pid":2}`,
	} {
		f.Add([]byte(result))
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		answers, err := DecodeAnswers(result)
		taken := err == nil
		if taken {
			again, err := DecodeAnswers(NewObject(nil).Bool("ok", true).Raw("answers", AppendAnswers(nil, answers)).Bytes())
			require.NoError(t, err)
			require.Equal(t, answers, again)
		}
		if out, err := DecodeOutcome(result); err == nil {
			taken = true
			again, err := DecodeOutcome(AppendOutcome(nil, out))
			require.NoError(t, err)
			require.Equal(t, out, again)
		}
		if targets, pid, err := DecodeHintsReply(result); err == nil {
			taken = true
			again, _, err := DecodeHintsReply(NewObject(nil).Bool("ok", true).Raw("targets", AppendHintTargets(nil, targets)).Bytes())
			require.NoError(t, err)
			require.Equal(t, targets, again)
			require.GreaterOrEqual(t, pid, 0)
		}
		_, _, _, initErr := DecodeInitializeReply(result)
		_, _, okErr := DecodeOK(result)
		if taken || initErr == nil || okErr == nil {
			require.True(t, json.Valid(result))
		}
	})
}
