package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `{"s":"a\u00e9\/","i":-7,"b":true,"f":1.5e2,"p":42,"l":["x","y"],"o":{"k":[1]},"n":null,"e":[]}`

func TestAnObjectGivesItsValues(t *testing.T) {
	raw := []byte(sample)
	o, err := ParseObject(raw)
	require.NoError(t, err)
	assert.Equal(t, "aé/", o.String("s"))
	assert.Equal(t, int64(-7), o.Int("i"))
	assert.True(t, o.Bool("b"))
	assert.Equal(t, 150.0, o.Float("f"))
	assert.Equal(t, 42, o.PID("p"))
	assert.Equal(t, []string{"x", "y"}, o.Strings("l"))
	assert.Equal(t, []string{}, o.Strings("e"))
	assert.Equal(t, `{"k":[1]}`, string(o.Raw("o")))
	assert.Nil(t, o.Raw("n"))
	assert.Nil(t, o.Raw("absent"))
	assert.True(t, o.Has("o"))
	assert.False(t, o.Has("n"))
	assert.False(t, o.Has("absent"))
	assert.Equal(t, []string{"s", "i", "b", "f", "p", "l", "o", "n", "e"}, o.Keys())
	assert.Equal(t, `[1]`, string(o.Object("o").Raw("k")))
	for _, key := range []string{"n", "absent"} {
		_, ok := o.OptString(key)
		assert.False(t, ok)
		_, ok = o.OptInt(key)
		assert.False(t, ok)
		_, ok = o.OptBool(key)
		assert.False(t, ok)
		_, ok = o.OptFloat(key)
		assert.False(t, ok)
		_, ok = o.OptPID(key)
		assert.False(t, ok)
		_, ok = o.OptStrings(key)
		assert.False(t, ok)
		assert.Nil(t, o.OptObject(key))
	}
	require.NoError(t, o.Done())
	clear(raw)
	assert.Equal(t, "aé/", o.String("s"), "strings outlive the bytes they came from")
}

func TestAPresentValueHasItsDeclaredType(t *testing.T) {
	for key, wrong := range map[string]func(*Object){
		"s": func(o *Object) { o.Int("s") },
		"i": func(o *Object) { o.String("i") },
		"b": func(o *Object) { o.Int("b") },
		"f": func(o *Object) { o.Int("f") },
		"p": func(o *Object) { o.Bool("p") },
		"l": func(o *Object) { o.String("l") },
		"o": func(o *Object) { o.Strings("o") },
		"n": func(o *Object) { o.String("n") },
		"e": func(o *Object) { o.Object("e") },
		"x": func(o *Object) { o.Int("x") },
	} {
		o, err := ParseObject([]byte(sample))
		require.NoError(t, err)
		wrong(o)
		require.ErrorContains(t, o.Done(), key+": ")
	}
	for _, opt := range []func(*Object){
		func(o *Object) { o.OptString("i") }, func(o *Object) { o.OptInt("s") }, func(o *Object) { o.OptBool("s") }, func(o *Object) { o.OptFloat("s") },
		func(o *Object) { o.OptPID("i") }, func(o *Object) { o.OptStrings("s") }, func(o *Object) { o.OptObject("s") }, func(o *Object) { o.OptBool("n"); o.Bool("n") },
		func(o *Object) { o.Objects("l", func(*Object) {}) }, func(o *Object) { o.Objects("s", func(*Object) {}) }, func(o *Object) { o.Objects("x", nil) },
	} {
		o, err := ParseObject([]byte(sample))
		require.NoError(t, err)
		opt(o)
		require.Error(t, o.Err())
	}
}

func TestAnUnreadKeyIsAFault(t *testing.T) {
	o, err := ParseObject([]byte(`{"a":1,"later":null}`))
	require.NoError(t, err)
	o.Int("a")
	require.NoError(t, o.Err())
	require.EqualError(t, o.Done(), `unknown key "later"`)
	o, _ = ParseObject([]byte(`{"a":1,"some thing private":2}`))
	o.Int("a")
	require.EqualError(t, o.Done(), `unknown key`)
	o, _ = ParseObject([]byte(`{"a":1,"later":null}`))
	o.Ignore("later", "a", "none")
	require.NoError(t, o.Done())
	o, _ = ParseObject([]byte(`{"a":1,"later":null}`))
	o.IgnoreRest()
	require.NoError(t, o.Done())
}

func TestTheFirstFaultStands(t *testing.T) {
	o, err := ParseObject([]byte(`{"a":{"b":"x"}}`))
	require.NoError(t, err)
	o.Object("a").Int("b")
	o.Fail("z", "is later")
	require.EqualError(t, o.Done(), "a.b: is no integer of 64 bits")
}

func TestAnArrayOfObjectsIsReadStrictly(t *testing.T) {
	o, err := ParseObject([]byte(` { "list" : [ {"id":1} , {"id":2} ] } `))
	require.NoError(t, err)
	var ids []int64
	o.Objects("list", func(e *Object) { ids = append(ids, e.Int("id")) })
	require.NoError(t, o.Done())
	require.Equal(t, []int64{1, 2}, ids)
	o, _ = ParseObject([]byte(`{"list":[{"id":1},{"id":2,"x":{}}]}`))
	o.Objects("list", func(e *Object) { e.Int("id") })
	require.EqualError(t, o.Done(), `list[1]: unknown key "x"`)
}

func TestOnlyAWellFormedObjectIsParsed(t *testing.T) {
	o, err := ParseObject(nil)
	require.NoError(t, err)
	require.NoError(t, o.Done())
	for _, raw := range []string{`[]`, `null`, `{`, `{} x`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":"\ud800"}`, `{"a":01}`, `{"\u0061":1,"a":1}`} {
		o, err := ParseObject([]byte(raw))
		require.Error(t, err, raw)
		require.Nil(t, o)
	}
	var b strings.Builder
	for i := range 3 * smallObject {
		fmt.Fprintf(&b, `"k%d":{"k":%d},`, i, i)
	}
	_, err = ParseObject([]byte(`{` + b.String() + `"last":0}`))
	require.NoError(t, err)
	_, err = ParseObject([]byte(`{` + b.String() + `"k3":0}`))
	require.ErrorContains(t, err, "duplicate key")
}

func TestABuilderWritesWhatAnObjectReads(t *testing.T) {
	raw := NewObject([]byte("x")).Str("s", "é\"").OptStr("none", "").Int("i", -1<<63).Bool("b", false).Float("f", -0.25).
		Raw("r", []byte(`[1]`)).Raw("n", nil).Strs("l", []string{"a", ""}).Strs("e", nil).
		With("w", func(dst []byte) []byte { return append(dst, "{}"...) }).Bytes()
	require.Equal(t, `x{"s":"é\"","i":-9223372036854775808,"b":false,"f":-0.25,"r":[1],"n":null,"l":["a",""],"e":[],"w":{}}`, string(raw))
	require.Equal(t, `{}`, string(NewObject(nil).Bytes()))
}

func TestProcessesAreWrittenWithTheirStartAsAToken(t *testing.T) {
	raw := AppendProcesses(nil, []Process{{PID: 4, PPID: 1, UID: 1000, Name: "n", Path: "/n", CPU: 1.5, RSS: 4096, StartTime: 1 << 60}, {PID: 5}})
	require.Equal(t, `[{"pid":4,"ppid":1,"uid":1000,"name":"n","path":"/n","cpu":1.5,"rss":4096,"start_time":"1152921504606846976"},`+
		`{"pid":5,"ppid":0,"uid":0,"name":"","path":"","cpu":0,"rss":0,"start_time":"0"}]`, string(raw))
}

// FuzzObject holds the values of an object to those that encoding/json finds.
func FuzzObject(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(` {"a" : 1.0 , "\u0062" : "\ud83d\ude80" }`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := ParseObject(raw)
		if err != nil || len(raw) == 0 {
			return
		}
		var std map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &std))
		require.Len(t, o.Keys(), len(std))
		for key, value := range std {
			if string(value) == "null" {
				require.False(t, o.Has(key))
				continue
			}
			require.Equal(t, string(value), string(o.Raw(key)))
			one, err := ParseObject(raw)
			require.NoError(t, err)
			var want string
			if got, _ := one.OptString(key); one.Err() == nil {
				require.NoError(t, json.Unmarshal(value, &want))
				require.Equal(t, want, got)
			} else {
				require.Error(t, json.Unmarshal(value, &want))
			}
			one, _ = ParseObject(raw)
			var n int64
			if got, _ := one.OptInt(key); one.Err() == nil {
				require.NoError(t, json.Unmarshal(value, &n))
				require.Equal(t, n, got)
			}
		}
		require.NoError(t, o.Done())
	})
}
