package emojis

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func find(t *testing.T, all []protocol.Row, name string) protocol.Row {
	t.Helper()
	for _, r := range all {
		if _, title, _ := strings.Cut(r.Title, " "); title == name {
			return r
		}
	}
	require.Failf(t, "no such emoji", "%s", name)
	return protocol.Row{}
}

// collect copies the rows: each is only good until the next.
func collect(tone int) []protocol.Row {
	var out []protocol.Row
	for r := range rows(tone) {
		r.Metadata = slices.Clone(r.Metadata)
		out = append(out, r)
	}
	return out
}

func TestEveryEmojiIsOneGraphemeAndTheCatalogueIsWithinTheQuotas(t *testing.T) {
	for tone := -1; tone < len(tones); tone++ {
		all := collect(tone)
		assert.Greater(t, len(all), 1800)
		assert.LessOrEqual(t, protocol.RowsSize(all), protocol.MaxCatalogBytes)
		seen := map[string]bool{}
		for _, r := range all {
			assert.Equal(t, 1, uniseg.GraphemeClusterCount(r.Effect.Text), r.Title)
			assert.True(t, utf8.ValidString(r.Title))
			assert.False(t, seen[r.Effect.Text], "%s is there twice", r.Title)
			seen[r.Effect.Text] = true
			assert.Equal(t, protocol.NewMetadata(toMap(r.Metadata)), r.Metadata, "metadata is sorted")
		}
	}
}

func toMap(md protocol.Metadata) map[string]string {
	m := map[string]string{}
	for _, e := range md {
		m[e.Key] = e.Value
	}
	return m
}

func TestAnEmojiIsFoundByItsKeywordsAndInserted(t *testing.T) {
	r := find(t, collect(-1), "waving hand")
	assert.Equal(t, protocol.Effect{Type: protocol.EffectInsertText, Text: "👋"}, r.Effect)
	aliases, _ := r.Metadata.Get(protocol.MetaAliases)
	assert.Contains(t, strings.Split(aliases, "\n"), "hello")
}

func TestTheSkinToneAppliesToPeopleOnly(t *testing.T) {
	dark := collect(toneIndex("dark"))
	assert.Equal(t, "👋🏿", find(t, dark, "waving hand").Effect.Text)
	assert.Equal(t, "🤝🏿", find(t, dark, "handshake").Effect.Text)
	assert.Equal(t, "😀", find(t, dark, "grinning face").Effect.Text)
	assert.Equal(t, -1, toneIndex("purple"))
}

func TestNoKeywordIsTheNameOfAnotherEmoji(t *testing.T) {
	names := map[string]string{}
	for r := range rows(-1) {
		emoji, name, _ := strings.Cut(r.Title, " ")
		names[name] = emoji
	}
	for r := range rows(-1) {
		emoji, _, _ := strings.Cut(r.Title, " ")
		aliases, _ := r.Metadata.Get(protocol.MetaAliases)
		for alias := range strings.SplitSeq(aliases, "\n") {
			if owner := names[alias]; owner != "" && owner != emoji {
				t.Errorf("%s has the keyword %q, the name of %s", emoji, alias, owner)
			}
		}
	}
}
