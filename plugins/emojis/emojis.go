// Package emojis publishes the emojis with their names and keywords; choosing
// one inserts it. Everything it knows is within it.
package emojis

import (
	"context"
	_ "embed"
	"iter"
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// table has a paragraph an emoji: the emoji and its name, as the row's title has
// them; the emoji in five skin tones, or a dash; its keywords, a line each, as
// the row's aliases have them. A row is made of pieces of it and nothing else.
//
//go:embed emojis.txt
var table string

const source = "emojis.items"

// tones are the values of the config key skin_tone, in the order of the table.
var tones = [...]string{"light", "medium-light", "medium", "medium-dark", "dark"}

// New returns the plugin.
func New() sdk.Plugin {
	return sdk.Plugin{
		Start: func(_ context.Context, h *sdk.Host) error {
			want := h.Config().String("skin_tone", "")
			tone := toneIndex(want)
			if tone < 0 && want != "" && want != "none" {
				h.Log(sdk.LevelWarn, "skin_tone is none of none, light, medium-light, medium, medium-dark, dark")
			}
			h.PublishSeq(rows(tone))
			return nil
		},
		Perform: func(context.Context, *sdk.Host, protocol.Perform) protocol.Outcome {
			// A row carries its effect with it, and the bang only lists.
			return protocol.Failed("choose an emoji from the list")
		},
	}
}

// toneIndex returns the place of a tone's name, or -1.
func toneIndex(name string) int {
	for i, t := range tones {
		if t == name {
			return i
		}
	}
	return -1
}

// rows gives all emojis in the order of the Unicode emoji chart, people in the
// given skin tone where they have tones (-1: the plain ones).
func rows(tone int) iter.Seq[protocol.Row] {
	return func(yield func(protocol.Row) bool) {
		var metadata [2]protocol.MetadataEntry
		rest := table
		for rest != "" {
			var record string
			record, rest, _ = strings.Cut(rest, "\n\n")
			title, record, _ := strings.Cut(record, "\n")
			skins, keywords, _ := strings.Cut(record, "\n")
			emoji, name, _ := strings.Cut(title, " ")
			if tone >= 0 && skins != "-" {
				emoji = strings.Split(skins, " ")[tone]
				title = emoji + " " + name
			}
			metadata[0] = protocol.MetadataEntry{Key: protocol.MetaAliases, Value: keywords}
			metadata[1] = protocol.MetadataEntry{Key: protocol.MetaKind, Value: "emoji"}
			md := metadata[:]
			if keywords == "" {
				md = metadata[1:]
			}
			if !yield(protocol.Row{
				Source:   source,
				Title:    title,
				Metadata: md,
				Effect:   protocol.Effect{Type: protocol.EffectInsertText, Text: emoji},
			}) {
				return
			}
		}
	}
}
