package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flash-launcher/flash/internal/catalog"
	"github.com/flash-launcher/flash/internal/match/benchdata"
	"github.com/flash-launcher/flash/protocol"
)

// publication measures a plugin's largest catalogue on its way in: 10,000 rows
// that fill the 4 MiB quota, decoded, compared with what stands, and prepared.
func publication() {
	rows := quotaRows()
	params := append([]byte(`{"rows":`), protocol.AppendRows(nil, rows)...)
	params = append(params, '}')
	fmt.Printf("publication of %d rows, %.2f MiB (cpu p50 of %d): ", len(rows), float64(len(params))/(1<<20), publications)
	var decode, equal, changed []time.Duration
	store := catalog.NewStore(nil)
	for i := range publications {
		var got []protocol.Row
		var err error
		_, cpu := timed(func() { got, err = protocol.DecodePublish(params, func(string) bool { return true }) })
		if err != nil {
			fmt.Println(err)
			return
		}
		decode = append(decode, cpu)
		got[len(got)-1].Title = fmt.Sprint("changed ", i) // the last row: the whole comparison is paid
		_, cpu = timed(func() { store.Publish("bench", 1, got) })
		changed = append(changed, cpu)
		again := slices.Clone(got)
		_, cpu = timed(func() { store.Publish("bench", 1, again) })
		equal = append(equal, cpu)
	}
	d, e, c := percentile(decode, 50), percentile(equal, 50), percentile(changed, 50)
	fmt.Printf("decode %s ms, compare and prepare %s ms, together %s ms; an equal one: compare %s ms\n", ms(d), ms(c), ms(d+c), ms(e))
}

const publications = 21

func quotaRows() []protocol.Row {
	rows := slices.Clone(benchdata.New(protocol.MaxCatalogRows).Rows)
	const perRow = 4 << 20 / protocol.MaxCatalogRows
	for i := range rows {
		r := &rows[i]
		sub, _ := r.Metadata.Get(protocol.MetaSubtitle)
		r.URL = fmt.Sprintf("https://example.com/%s/%d", strings.ReplaceAll(r.Title, " ", "/"), i)
		pad := perRow - len(protocol.AppendRow(nil, *r)) - len(`,"state":""`) - 2
		r.Metadata = protocol.NewMetadata(map[string]string{protocol.MetaSubtitle: sub, "state": strings.Repeat("0123456789abcdef", 32)[:max(0, pad)]})
	}
	return rows
}
