// Package emojis publishes the emojis with their names and keywords; choosing
// one inserts it. Everything it knows is within it.
package emojis

import (
	"context"
	_ "embed"
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// table has a line an emoji: the emoji, its name, its keywords between commas,
// and the emoji in five skin tones between spaces, or nothing.
//
//go:embed emojis.tsv
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
			h.Publish(rows(tone))
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

// rows returns all emojis in the order of the Unicode emoji chart, people in the
// given skin tone where they have tones (-1: the plain ones).
func rows(tone int) []protocol.Row {
	out := make([]protocol.Row, 0, strings.Count(table, "\n"))
	for line := range strings.Lines(table) {
		emoji, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, rest, _ := strings.Cut(rest, "\t")
		keywords, skins, _ := strings.Cut(rest, "\t")
		if tone >= 0 && skins != "" {
			emoji = strings.Split(skins, " ")[tone]
		}
		md := protocol.Metadata{}
		if keywords != "" {
			md = append(md, protocol.MetadataEntry{Key: protocol.MetaAliases, Value: strings.ReplaceAll(keywords, ",", "\n")})
		}
		md = append(md, protocol.MetadataEntry{Key: protocol.MetaKind, Value: "emoji"})
		if keywords != "" {
			md = append(md, protocol.MetadataEntry{Key: protocol.MetaSubtitle, Value: strings.ReplaceAll(keywords, ",", ", ")})
		}
		out = append(out, protocol.Row{
			Source:   source,
			Title:    emoji + " " + name,
			Metadata: md,
			Effect:   protocol.Effect{Type: protocol.EffectInsertText, Text: emoji},
		})
	}
	return out
}
