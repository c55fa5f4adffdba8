package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scan validates a whole document.
func scan(doc string) error {
	sc := scanner{s: doc}
	sc.skip()
	if !sc.end() {
		return fmt.Errorf("%s", sc.fault)
	}
	return nil
}

func TestTheScannerTakesWhatIsJSON(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, ` { } `, "\t[\r\n]\n", `""`, `0`, `-0`, `-0.5e+10`, `1E5`, `1e-5`, `10.25`, `true`, `false`, `null`,
		`"\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude80"`, `"é🚀≤` + "\u2028\u2029\u0085\u007f\uffff\U0010ffff" + `"`,
		`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, `[1,"x",[],{},null]`, `{"":1}`, `1e999`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
	} {
		assert.NoError(t, scan(doc), doc)
	}
}

func TestTheScannerRefusesWhatIsNot(t *testing.T) {
	for doc, problem := range map[string]string{
		``:                            "expected a value",
		`{`:                           "expected a key",
		`{"a"}`:                       "expected ':'",
		`{"a":}`:                      "expected a value",
		`{"a":1,}`:                    "expected a key",
		`{"a":1 "b":2}`:               "expected ','",
		`{a:1}`:                       "expected a key",
		`{'a':1}`:                     "expected a key",
		`[1,]`:                        "expected a value",
		`[1`:                          "expected ','",
		`[,1]`:                        "expected a value",
		`{} {}`:                       "text after the value",
		`nul`:                         "invalid literal",
		`nulll`:                       "text after the value",
		`True`:                        "expected a value",
		`NaN`:                         "expected a value",
		`Infinity`:                    "expected a value",
		`-Infinity`:                   "invalid number",
		`-`:                           "invalid number",
		`+1`:                          "expected a value",
		`01`:                          "text after the value",
		`1.`:                          "invalid number",
		`.5`:                          "expected a value",
		`1e`:                          "invalid number",
		`1e+`:                         "invalid number",
		`0x10`:                        "text after the value",
		`"a`:                          "unterminated string",
		`"a\`:                         "invalid escape",
		`"\x"`:                        "invalid escape",
		`"\u12"`:                      "invalid escape",
		`"\u12g4"`:                    "invalid escape",
		`"\U0041"`:                    "invalid escape",
		"\"a\nb\"":                    "control character",
		"\"a\x00b\"":                  "control character",
		"\"0123456\x1f\"":             "control character",
		`"\ud800"`:                    "lone surrogate",
		`"\udc00"`:                    "lone surrogate",
		`"\ud800\ud800"`:              "lone surrogate",
		`"\ud800x"`:                   "lone surrogate",
		`"\ud800\u0041"`:              "lone surrogate",
		`"\ud800\n"`:                  "lone surrogate",
		"\"\xff\"":                    "invalid UTF-8",
		"\"01234567\xc0\xaf\"":        "invalid UTF-8",
		"\"\xe2\x89\"":                "invalid UTF-8",
		"\"\xed\xa0\x80\"":            "invalid UTF-8",
		"\"\xf4\x90\x80\x80\"":        "invalid UTF-8",
		"{\"\xff\":1}":                "invalid UTF-8",
		"\xef\xbb\xbf{}":              "expected a value",
		"\u00a0{}":                    "expected a value",
		"\x00":                        "invalid character",
		"{}\x00":                      "invalid character",
		`{"a":1,"a":1}`:               "duplicate key",
		`{"a":1,"\u0061":1}`:          "duplicate key",
		`[{"b":{"a":1,"c":2,"a":3}}]`: "duplicate key",
		`{"":1,"":2}`:                 "duplicate key",
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1): "nested deeper than 128",
		strings.Repeat("[", 10000):                                        "nested deeper than 128",
		strings.Repeat(`{"a":`, 10000):                                    "nested deeper than 128",
	} {
		assert.ErrorContains(t, scan(doc), problem, "%.40q", doc)
	}
}

func TestDuplicateKeysOfALargeObjectAreFound(t *testing.T) {
	for _, n := range []int{2, smallObject - 1, smallObject, smallObject + 1, smallObject + 2, 1000} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":{"k0":[%d],"k1":0},`, i, i)
		}
		assert.NoError(t, scan(`{`+b.String()+`"last":1}`), n)
		for _, dup := range []int{0, n / 2, n - 1} {
			assert.ErrorContains(t, scan(fmt.Sprintf(`{%s"k%d":1}`, b.String(), dup)), "duplicate key", n)
		}
		assert.NoError(t, scan(`{"a":{`+b.String()+`"x":1},"b":{`+b.String()+`"x":1}}`), "other objects do not count")
	}
}

// The eight-byte step is held to the plain loop over every byte at every place.
func TestTheFastStringScanFindsEveryStop(t *testing.T) {
	slow := func(s string, i int) int {
		for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		return i
	}
	for c := range 256 {
		for at := range 20 {
			for _, fill := range []byte{' ', '!', '#', '[', ']', '~', 0x7f} {
				s := bytes.Repeat([]byte{fill}, 20)
				s[at] = byte(c)
				for from := range 3 {
					require.Equal(t, slow(string(s), from), plain(string(s), from), "%x at %d", c, at)
				}
			}
		}
	}
}

func TestCompactSizeIsCountedWhileScanning(t *testing.T) {
	for doc, want := range map[string]int{
		`[{"source":"s","title":"a\"b\\c\n"}]`:           36,
		`[{"source":"s","title":"é🚀"}]`:                  33,
		` [ { "source" : "s" , "title" : "\u00e9🚀" } ] `: 33,
		`[{"source":"s","title":"\u00e9\ud83d\ude80"}]`:  33,
		`[{"source":"s","title":"\u0061\"b\\c\u000a"}]`:  36,
		`["\/"]`:       5,
		`["\u0000"]`:   10,
		`["\u001f\b"]`: 12,
	} {
		sc := scanner{s: doc}
		from := sc.here()
		require.True(t, sc.skip())
		assert.Equal(t, want, sc.compactFrom(from), doc)
	}
}

// FuzzScan holds the scanner to encoding/json: what that refuses ours refuses,
// and what ours takes has the same value and the size that a compact encoder gives it.
func FuzzScan(f *testing.F) {
	for _, doc := range []string{
		`{"a":[1,2.5e3,"x\u00e9\ud83d\ude80",null,true,false,{}]}`, ` [ "\/\b" , "é" ] `, `"\ud800"`, `{"a":1,"a":2}`, "\"\xff\"", `-0.0e-1`, `1e999`,
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		sc := scanner{s: doc}
		from := sc.here()
		sc.skip()
		size := sc.compactFrom(from)
		sc.end()
		sc2 := scanner{s: doc}
		var faults ManifestErrors
		value := tree(&sc2, "", &faults)
		sc2.end()
		ours := sc.fault == ""
		if ours != (sc2.fault == "" && len(faults) == 0) {
			t.Fatalf("skip and tree disagree: %q %q %v", sc.fault, sc2.fault, faults)
		}
		if !json.Valid([]byte(doc)) {
			require.False(t, ours, "taken although it is no JSON")
			return
		}
		if !ours {
			require.True(t, excused(doc, sc.fault), "%s: %q", sc.fault, doc)
			return
		}
		d := json.NewDecoder(strings.NewReader(doc))
		d.UseNumber()
		var want any
		require.NoError(t, d.Decode(&want))
		_, err := d.Token()
		require.ErrorIs(t, err, io.EOF)
		got := plainValue(value)
		require.True(t, reflect.DeepEqual(want, got), "%q: %#v, not %#v", doc, got, want)
		require.Equal(t, len(appendTree(nil, value)), size)
	})
}

// excused reports whether a document that encoding/json takes may be refused.
func excused(doc, fault string) bool {
	switch {
	case strings.HasPrefix(fault, "invalid UTF-8"):
		return !utf8.ValidString(doc)
	case strings.HasPrefix(fault, "lone surrogate"):
		return strings.Contains(strings.ToLower(doc), `\ud`)
	case strings.HasPrefix(fault, "nested"):
		return strings.Count(doc, "[")+strings.Count(doc, "{") > MaxDepth
	}
	return strings.HasPrefix(fault, "duplicate key")
}

func plainValue(n node) any {
	switch n.kind {
	case '{':
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.key] = plainValue(f.value)
		}
		return m
	case '[':
		l := []any{}
		for _, item := range n.items {
			l = append(l, plainValue(item))
		}
		return l
	case '"':
		return n.text
	case '0':
		return json.Number(n.text)
	case 't':
		return n.text == "true"
	}
	return nil
}

func appendTree(dst []byte, n node) []byte {
	switch n.kind {
	case '{':
		o := NewObject(dst)
		for _, f := range n.fields {
			o.With(f.key, func(dst []byte) []byte { return appendTree(dst, f.value) })
		}
		return o.Bytes()
	case '[':
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTree(dst, item)
		}
		return append(dst, ']')
	case '"':
		return AppendString(dst, n.text)
	case 'n':
		return append(dst, "null"...)
	}
	return append(dst, n.text...)
}
