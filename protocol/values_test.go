package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRowsAreEqualWhenTheyShowAndActTheSame(t *testing.T) {
	row := func() Row {
		return Row{"s", "t", "u", Metadata{{"a", "1"}, {"b", "2"}}, Effect{Type: EffectCopyText, Text: "x"}}
	}
	assert.True(t, row().Equal(row()))
	for name, change := range map[string]func(*Row){
		"source":         func(r *Row) { r.Source = "o" },
		"title":          func(r *Row) { r.Title = "o" },
		"url":            func(r *Row) { r.URL = "" },
		"metadata value": func(r *Row) { r.Metadata[1].Value = "3" },
		"metadata key":   func(r *Row) { r.Metadata[1].Key = "c" },
		"fewer metadata": func(r *Row) { r.Metadata = r.Metadata[:1] },
		"effect":         func(r *Row) { r.Effect.Text = "y" },
	} {
		r := row()
		change(&r)
		assert.False(t, row().Equal(r), name)
		assert.False(t, r.Equal(row()), name)
	}
}

func TestMetadataIsSortedHoweverItIsMade(t *testing.T) {
	m := NewMetadata(map[string]string{"c": "3", "a": "1", "b": "2"})
	assert.Equal(t, Metadata{{"a", "1"}, {"b", "2"}, {"c", "3"}}, m)
	v, ok := m.Get("b")
	assert.True(t, ok)
	assert.Equal(t, "2", v)
	_, ok = m.Get("d")
	assert.False(t, ok)
	assert.Nil(t, NewMetadata(nil))
	rows, err := DecodePublish(publishOf(`[{"source":"s","title":"t","metadata":{"c":"3","a":"1","b":"2"}}]`), onlyS)
	assert.NoError(t, err)
	assert.Equal(t, m, rows[0].Metadata)
}

func TestOutcomesHaveShortForms(t *testing.T) {
	assert.Equal(t, Outcome{OK: true, Message: "m"}, Done("m"))
	assert.Equal(t, Outcome{Unhandled: true}, Unhandled())
	assert.Equal(t, Outcome{Err: "e"}, Failed("e"))
}
