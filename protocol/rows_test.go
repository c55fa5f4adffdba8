package protocol

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func onlyS(source string) bool { return source == "s" }

func publishOf(rows string) []byte { return []byte(`{"rows":` + rows + `}`) }

func TestRowsSurviveTheirEncoding(t *testing.T) {
	rows := []Row{
		{Source: "s", Title: "a\"b\\c\n"},
		{Source: "s", Title: ""},
		{Source: "s", Title: "é🚀", URL: "https://x/y", Metadata: NewMetadata(map[string]string{"k": "v", "a": "b\x00", "é": ""}),
			Effect: Effect{Type: EffectOpen, URL: "https://e"}},
		{Source: "s", Title: "app", Effect: Effect{Type: EffectOpen, BundleID: "org.x"}},
		{Source: "s", Title: "c", Effect: Effect{Type: EffectCopyText, Text: "\u0000\t"}},
		{Source: "s", Title: "d", Effect: Effect{Type: EffectInsertText}},
	}
	array := AppendRows(nil, rows)
	got, err := DecodePublish(publishOf(string(array)), onlyS)
	require.NoError(t, err)
	require.Equal(t, rows, got)
	require.Equal(t, len(array), RowsSize(rows))
	got, err = DecodeSearchReply(NewObject(nil).Bool("ok", true).Raw("rows", array).Bytes(), onlyS)
	require.NoError(t, err)
	require.Equal(t, rows, got)
}

func TestAnEmptyCatalogueIsOneAndAMissingOneIsNot(t *testing.T) {
	rows, err := DecodePublish(publishOf(`[]`), onlyS)
	require.NoError(t, err)
	require.NotNil(t, rows)
	require.Empty(t, rows)
	for _, params := range []string{``, `{}`, `{"rows":null}`, `{"rows":{}}`, `[]`} {
		_, err := DecodePublish([]byte(params), onlyS)
		require.Error(t, err, params)
	}
}

func TestNullIsAnAbsentField(t *testing.T) {
	rows, err := DecodePublish(publishOf(`[{"source":"s","title":"t","url":null,"metadata":null,"effect":null}]`), onlyS)
	require.NoError(t, err)
	require.Equal(t, []Row{{Source: "s", Title: "t"}}, rows)
	rows, err = DecodePublish(publishOf(`[{"source":"s","title":"t","metadata":{},"effect":{"type":"open","url":null,"bundle_id":"b"}}]`), onlyS)
	require.NoError(t, err)
	require.Equal(t, []Row{{Source: "s", Title: "t", Effect: Effect{Type: EffectOpen, BundleID: "b"}}}, rows)
}

func TestAFaultyRowRejectsThePayloadAndSaysWhere(t *testing.T) {
	for row, problem := range map[string]string{
		`{"title":"SECRET"}`:                                                            "rows[1].source: is missing",
		`{"source":"s"}`:                                                                "rows[1].title: is missing",
		`{"source":null,"title":"t"}`:                                                   "rows[1].source: expected a string",
		`{"source":"s","title":5}`:                                                      "rows[1].title: expected a string",
		`{"source":"SECRET","title":"t"}`:                                               "rows[1].source: is not declared in the manifest",
		`{"source":"s","title":"t","owner":"x"}`:                                        `rows[1]: unknown key "owner"`,
		`{"source":"s","title":"t","SEC RET":"x"}`:                                      "rows[1]: unknown key",
		`{"source":"s","title":"t","title":"t"}`:                                        "rows[1].title: duplicate key",
		`{"source":"s","title":"t","url":[]}`:                                           "rows[1].url: expected a string",
		`{"source":"s","title":"SECRET\u0000"}`:                                         "rows[1].title: holds U+0000",
		`{"source":"s","title":"\ud800"}`:                                               "rows[1].title: lone surrogate",
		`{"source":"s","title":"t","metadata":[]}`:                                      "rows[1].metadata: expected an object",
		`{"source":"s","title":"t","metadata":{"k":1}}`:                                 "rows[1].metadata: expected a string",
		`{"source":"s","title":"t","metadata":{"k":null}}`:                              "rows[1].metadata: expected a string",
		`{"source":"s","title":"t","metadata":{"k":"a","k":"b"}}`:                       "rows[1].metadata: duplicate key",
		`{"source":"s","title":"t","effect":"SECRET"}`:                                  "rows[1].effect: expected an object",
		`{"source":"s","title":"t","effect":{}}`:                                        "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"run","text":"SECRET"}}`:            "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"copy_text"}}`:                      "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"copy_text","url":"u"}}`:            "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"copy_text","text":"t","url":"u"}}`: "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"open","url":"u","bundle_id":"b"}}`: "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"open","url":""}}`:                  "rows[1].effect: is none of copy_text",
		`{"source":"s","title":"t","effect":{"type":"open","url":"u","x":1}}`:           `rows[1].effect: unknown key "x"`,
		`{"source":"s","title":"t","effect":{"type":"open","type":"open","url":"u"}}`:   "rows[1].effect: duplicate key",
		`[]`:    "rows[1]: expected an object",
		`null`:  "rows[1]: expected an object",
		`{"a"}`: "rows[1]: expected ':'",
	} {
		params := publishOf(`[{"source":"s","title":"first"},` + row + `,{"source":"s","title":"last"}]`)
		rows, err := DecodePublish(params, onlyS)
		require.ErrorContains(t, err, problem, row)
		require.NotContains(t, err.Error(), "SECRET")
		require.Nil(t, rows)
	}
	for params, problem := range map[string]string{
		`{"rows":[],"rows":[]}`:                  "duplicate key",
		`{"rows":[],"x":1}`:                      "unknown key",
		`{"rows":[]} x`:                          "text after the value",
		`{"rows":[{"source":"s","title":"t"},]}`: "expected an object",
		`{"rows":[{"source":"s","title":"t"}`:    "expected ','",
	} {
		_, err := DecodePublish([]byte(params), onlyS)
		require.ErrorContains(t, err, problem, params)
	}
}

// sized returns a publication whose compact array has exactly the given bytes.
func sized(bytes int) []byte {
	row := func(pad int) Row {
		return Row{Source: "s", Title: "t", Metadata: Metadata{{"pad", strings.Repeat("p", pad)}}}
	}
	var rows []Row
	for left := bytes - RowsSize(nil); left > 0; {
		pad := min(left-RowsSize([]Row{row(0)})+1, 60000)
		if rest := left - RowsSize([]Row{row(pad)}) + 1; rest > 0 && rest < 100 {
			pad -= 100
		}
		rows = append(rows, row(pad))
		left = bytes - RowsSize(rows)
	}
	return publishOf(string(AppendRows(nil, rows)))
}

func TestQuotasHoldAtTheBoundary(t *testing.T) {
	row := func(r Row) []byte { return publishOf(string(AppendRows(nil, []Row{r}))) }
	long := func(n int) string { return strings.Repeat("x", n) }
	entries := func(n int) Metadata {
		m := map[string]string{}
		for i := range n {
			m[fmt.Sprint("k", i)] = "v"
		}
		return NewMetadata(m)
	}
	count := func(n int) []byte {
		return publishOf("[" + strings.TrimSuffix(strings.Repeat(`{"source":"s","title":"t"},`, n), ",") + "]")
	}
	for name, at := range map[string]func(extra int) []byte{
		"more than 10000 rows":           func(n int) []byte { return count(MaxCatalogRows + n) },
		"more than 4194304 bytes":        func(n int) []byte { return sized(MaxCatalogBytes + n) },
		"title: longer than 4096":        func(n int) []byte { return row(Row{Source: "s", Title: long(MaxTitle + n)}) },
		"url: longer than 16384":         func(n int) []byte { return row(Row{Source: "s", URL: long(MaxURL + n)}) },
		"metadata: more than 64 entries": func(n int) []byte { return row(Row{Source: "s", Metadata: entries(MaxMetadataEntries + n)}) },
		"metadata: key longer than 256": func(n int) []byte {
			return row(Row{Source: "s", Metadata: Metadata{{long(MaxMetadataKey + n), ""}}})
		},
		"metadata: value longer than 65536": func(n int) []byte {
			return row(Row{Source: "s", Metadata: Metadata{{"k", long(MaxMetadataValue + n)}}})
		},
		"effect: text longer than 65536": func(n int) []byte {
			return row(Row{Source: "s", Effect: Effect{Type: EffectCopyText, Text: long(MaxEffectText + n)}})
		},
		"effect: url longer than 16384": func(n int) []byte {
			return row(Row{Source: "s", Effect: Effect{Type: EffectOpen, URL: long(MaxURL + n)}})
		},
	} {
		_, err := DecodePublish(at(0), onlyS)
		assert.NoError(t, err, name)
		_, err = DecodePublish(at(1), onlyS)
		assert.ErrorContains(t, err, name)
	}
}

func TestTheCatalogueQuotaIsCountedCompact(t *testing.T) {
	at := string(sized(MaxCatalogBytes))
	spaced := strings.ReplaceAll(strings.ReplaceAll(at, `,"title"`, "  ,\t\"title\""), `"t"`, `"\u0074"`)
	require.Greater(t, len(spaced), len(at))
	_, err := DecodePublish([]byte(spaced), onlyS)
	require.NoError(t, err, "spaces and long escapes are not counted")
	_, err = DecodePublish([]byte(strings.Replace(at, `"pp`, `"\"p`, 1)), onlyS)
	require.ErrorContains(t, err, "more than 4194304 bytes", "an escape that must stay is")
}

func TestQuotaFieldsCountBytesOfTheValue(t *testing.T) {
	title := strings.Repeat("é", MaxTitle/2)
	_, err := DecodePublish(publishOf(`[{"source":"s","title":"`+title+`"}]`), onlyS)
	require.NoError(t, err)
	_, err = DecodePublish(publishOf(`[{"source":"s","title":"`+strings.Repeat(`\u00e9`, MaxTitle/2)+`"}]`), onlyS)
	require.NoError(t, err)
	_, err = DecodePublish(publishOf(`[{"source":"s","title":"`+title+`é"}]`), onlyS)
	require.ErrorContains(t, err, "longer than 4096")
}

func TestARefusedSearchIsAReplyError(t *testing.T) {
	_, err := DecodeSearchReply([]byte(`{"ok":false,"error":"index is busy"}`), onlyS)
	var refused *ReplyError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "index is busy", refused.Text)
	for _, result := range []string{
		``, `{}`, `{"ok":false}`, `{"ok":false,"error":""}`, `{"ok":"true","rows":[]}`, `{"ok":true}`, `{"ok":true,"rows":[],"x":1}`,
		`{"ok":true,"rows":[],"error":"e"}`, `{"ok":1,"rows":[]}`, `{"rows":[]}`, `{"ok":true,"ok":true,"rows":[]}`,
	} {
		_, err := DecodeSearchReply([]byte(result), onlyS)
		require.Error(t, err, result)
		require.NotErrorAs(t, err, &refused, result)
	}
}

func TestDecodingAPublicationAllocatesFewSlabs(t *testing.T) {
	params := catalogue(2000)
	allocs := testing.AllocsPerRun(5, func() {
		if _, err := DecodePublish(params, anySource); err != nil {
			t.Fatal(err)
		}
	})
	require.Less(t, allocs, 40.0)
}

func TestMetadataOfNeighbouringRowsIsApart(t *testing.T) {
	rows, err := DecodePublish(catalogue(1000), anySource)
	require.NoError(t, err)
	_ = append(rows[0].Metadata, MetadataEntry{"zz", "overwritten"})
	require.Equal(t, "bundle_id", rows[1].Metadata[0].Key)
	for i, r := range rows {
		require.Len(t, r.Metadata, 5)
		url, _ := r.Metadata.Get(MetaNavigationURL)
		require.Equal(t, fmt.Sprint("firefox://tab/", i), url)
		require.True(t, sort.SliceIsSorted(r.Metadata, func(a, b int) bool { return r.Metadata[a].Key < r.Metadata[b].Key }))
	}
}

// FuzzPublish holds the row decoder to encoding/json.
func FuzzPublish(f *testing.F) {
	f.Add([]byte(`{"rows":[{"source":"s","title":"a\u00e9","url":null,"metadata":{"b":"1","a":"2"},"effect":{"type":"copy_text","text":"x"}}]}`))
	f.Add([]byte(` {"rows" : [ {"title":"t","source":"s","effect":{"type":"open","bundle_id":"b"}} , {"source":"s","title":"\ud83d\ude80"} ] } `))
	f.Add(publishOf(`[]`))
	f.Fuzz(func(t *testing.T, params []byte) {
		rows, err := DecodePublish(params, func(s string) bool { return s != "undeclared" })
		if err != nil {
			return
		}
		var std struct {
			Rows []jsonRow `json:"rows"`
		}
		require.NoError(t, json.Unmarshal(params, &std))
		require.Len(t, rows, len(std.Rows))
		for i, want := range std.Rows {
			row := Row{Source: want.Source, Title: want.Title, URL: want.URL, Metadata: NewMetadata(want.Metadata)}
			if e := want.Effect; e != nil {
				row.Effect = Effect{EffectType(e.Type), e.Text, e.URL, e.BundleID}
			}
			require.Equal(t, row, rows[i])
		}
		array := AppendRows(nil, rows)
		require.Equal(t, len(array), RowsSize(rows))
		again, err := DecodePublish(publishOf(string(array)), anySource)
		require.NoError(t, err)
		require.Equal(t, rows, again)
	})
}
