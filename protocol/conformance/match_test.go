package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatchersAcceptAndRefuse(t *testing.T) {
	for _, c := range []struct{ want, good, bad string }{
		{`{"a":1}`, `{"a":1}`, `{"a":1,"b":2}`},
		{`{"a":1}`, `{"a":1.0}`, `{}`},
		{`9007199254740991`, `9007199254740991`, `9007199254740992`},
		{`[1,2]`, `[1,2]`, `[1,2,3]`},
		{`null`, `null`, `false`},
		{`true`, `true`, `1`},
		{`{"a":{"$absent":true}}`, `{}`, `{"a":null}`},
		{`{"a":{"$optional":"x"}}`, `{}`, `{"a":"y"}`},
		{`{"a":{"$any":true}}`, `{"a":null}`, `{}`},
		{`{"$type":"string"}`, `"x"`, `1`},
		{`{"$type":"integer"}`, `1`, `1.5`},
		{`{"$type":"number"}`, `1.5`, `"1.5"`},
		{`{"$type":"boolean"}`, `false`, `0`},
		{`{"$type":"array"}`, `[]`, `{}`},
		{`{"$type":"object"}`, `{}`, `[]`},
		{`{"$type":"null"}`, `null`, `""`},
		{`{"$len":2}`, `"é"`, `"e"`},
		{`{"$len":2}`, `[1,2]`, `5`},
		{`{"$len":{"$min":1,"$max":2}}`, `{"a":1}`, `[1,2,3]`},
		{`{"$min":1}`, `1`, `0.5`},
		{`{"$max":1}`, `1`, `"1"`},
		{`{"$contains":"b"}`, `"abc"`, `"ac"`},
		{`{"$prefix":"a"}`, `"abc"`, `"ba"`},
		{`{"$suffix":"c"}`, `"abc"`, `"cb"`},
		{`{"$has":{"a":1}}`, `{"a":1,"b":2}`, `{"b":2}`},
		{`{"$items":{"$type":"string"}}`, `["a"]`, `["a",1]`},
		{`{"$includes":2}`, `[1,2]`, `[1]`},
		{`{"$json":{"a":1}}`, `"{\"a\":1}"`, `"{\"a\":2}"`},
		{`{"$json":{"a":1}}`, `"{\"a\":1} "`, `"x"`},
		{`{"$not":{"$contains":"b"}}`, `"ac"`, `"abc"`},
		{`{"$one_of":[1,2]}`, `2`, `3`},
		{`{"$all":[{"$min":1},{"$max":2}]}`, `2`, `3`},
	} {
		want, good, bad := decoded(t, c.want), decoded(t, c.good), decoded(t, c.bad)
		assert.Empty(t, Match(want, good), "%s should accept %s", c.want, c.good)
		assert.NotEmpty(t, Match(want, bad), "%s should refuse %s", c.want, c.bad)
	}
}

func TestADifferenceNamesThePathAndBothSides(t *testing.T) {
	got := Match(decoded(t, `{"rows":[{"title":"a"},{"title":"b"}]}`), decoded(t, `{"rows":[{"title":"a"},{"title":"c"}]}`))
	require.Equal(t, []string{`.rows[1].title: want "b", got "c"`}, got)
}

func TestAnUnknownMatcherNeverMatches(t *testing.T) {
	require.NotEmpty(t, Match(decoded(t, `{"$lenght":1}`), decoded(t, `"x"`)))
}

func TestVariablesAreExpandedInTextAndAsNumbers(t *testing.T) {
	vs := vars{"i": "7", "id": "probe"}
	got := vs.expand(decoded(t, `{"n":"${i}","s":"k${i}-${id}-${none}","long":{"$repeat":{"text":"ab","times":2}},"list":["${i}"]}`))
	require.Empty(t, Match(decoded(t, `{"n":7,"s":"k7-probe-${none}","long":"abab","list":[7]}`), got))
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := decodeAny([]byte(text))
	require.NoError(t, err)
	return v
}
