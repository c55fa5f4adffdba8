package desktop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flash-launcher/flash/protocol"
)

func TestARowHoldsWhatPeopleTypeForAnApplication(t *testing.T) {
	rows := AppRows([]App{
		{ID: "org.gnome.Nautilus", Name: "Dateien", PlainName: "Files", GenericName: "Dateiverwaltung", PlainGenericName: "File Manager",
			Comment: "Auf Dateien zugreifen", Keywords: []string{"folder", "files", "Ordner"}, Program: "nautilus", Running: []int{42, 77}},
		{ID: "x", Name: "X"},
		{ID: "com.example.Y", Name: "Y", GenericName: "Editor"},
	})
	require.Len(t, rows, 3)
	assert.Equal(t, protocol.Row{
		Source: "core.apps", Title: "Dateien",
		Metadata: protocol.NewMetadata(map[string]string{
			"aliases": "Files\nDateiverwaltung\nFile Manager\nnautilus\nfolder\nOrdner", "bundle_id": "org.gnome.Nautilus", "kind": "app",
			"pid": "42", "running": "true", "subtitle": "Auf Dateien zugreifen",
		}),
		Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: "org.gnome.Nautilus"},
	}, rows[0])
	assert.Equal(t, protocol.NewMetadata(map[string]string{"bundle_id": "x", "kind": "app"}), rows[1].Metadata, "no alias repeats the title")
	subtitle, _ := rows[2].Metadata.Get(protocol.MetaSubtitle)
	assert.Equal(t, "Editor", subtitle)
}

func TestAnApplicationBeyondTheWiresQuotasDoesNotCostTheOthers(t *testing.T) {
	rows := AppRows([]App{
		{ID: "long", Name: strings.Repeat("n", maxTitle+1)}, {ID: "", Name: "no id"}, {ID: "noname"},
		{ID: "many", Name: "Many", Keywords: []string{"first", strings.Repeat("k", maxAliases), "last"}},
	})
	require.Len(t, rows, 1)
	aliases, _ := rows[0].Metadata.Get(protocol.MetaAliases)
	assert.Equal(t, "first", aliases)
}
