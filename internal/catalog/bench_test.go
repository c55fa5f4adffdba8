package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flash-launcher/flash/internal/match/benchdata"
	"github.com/flash-launcher/flash/protocol"
)

// quotaParams is a publication that fills the row quota and nearly the byte quota.
func quotaParams() []byte {
	rows := benchdata.New(protocol.MaxCatalogRows).Rows
	const perRow = 4 << 20 / protocol.MaxCatalogRows
	for i := range rows {
		r := &rows[i]
		r.URL = fmt.Sprintf("https://example.com/%d/%s", i, strings.ReplaceAll(r.Title, " ", "/"))
		sub, _ := r.Metadata.Get(protocol.MetaSubtitle)
		pad := perRow - len(protocol.AppendRow(nil, *r)) - len(`,"state":""`) - 2
		r.Metadata = protocol.NewMetadata(map[string]string{protocol.MetaSubtitle: sub, "state": strings.Repeat("x", max(0, pad))})
	}
	return append(append([]byte(`{"rows":`), protocol.AppendRows(nil, rows)...), '}')
}

// BenchmarkPublication is the road of a plugin's largest catalogue: decoded,
// compared with what stands, prepared and stored.
func BenchmarkPublication(b *testing.B) {
	params := quotaParams()
	declared := func(string) bool { return true }
	b.Run("changed", func(b *testing.B) {
		s := NewStore(nil)
		b.SetBytes(int64(len(params)))
		for n := 0; b.Loop(); n++ {
			rows, err := protocol.DecodePublish(params, declared)
			if err != nil {
				b.Fatal(err)
			}
			rows[len(rows)-1].Title = fmt.Sprint("changed ", n)
			if !s.Publish("bench", 1, rows) {
				b.Fatal("nothing changed")
			}
		}
	})
	b.Run("equal", func(b *testing.B) {
		s := NewStore(nil)
		b.SetBytes(int64(len(params)))
		for first := true; b.Loop(); first = false {
			rows, err := protocol.DecodePublish(params, declared)
			if err != nil {
				b.Fatal(err)
			}
			if s.Publish("bench", 1, rows) != first {
				b.Fatal("an equal publication changed something")
			}
		}
	})
}
