package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRowsSurviveTheirEncoding(t *testing.T) {
	rows := []Row{
		{Source: "s", Title: "a\"b\\c\n"},
		{Source: "s", Title: "é🚀", URL: "https://x/y", Metadata: NewMetadata(map[string]string{"k": "v", "a": "b"}), Effect: Effect{Type: EffectOpen, URL: "https://e"}},
		{Source: "s", Title: "c", Effect: Effect{Type: EffectCopyText, Text: "\u0000\t"}},
	}
	params := NewObject(nil).Raw("rows", AppendRows(nil, rows)).Bytes()
	got, err := DecodePublish(params, func(s string) bool { return s == "s" })
	require.NoError(t, err)
	require.Equal(t, rows, got)
	require.Equal(t, len(AppendRows(nil, rows)), RowsSize(rows))
	e, err := DecodeEnvelope(AppendRequest(nil, 7, "publish", params, "abc", 12))
	require.NoError(t, err)
	require.Equal(t, Envelope{ID: 7, Method: "publish", Params: params, Trace: "abc", DeadlineMS: 12}, e)
}
