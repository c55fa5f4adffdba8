package probe

import (
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// basicRows is the catalogue without any configuration.
func basicRows() []protocol.Row {
	return []protocol.Row{
		{Source: source, Title: "alpha", Metadata: protocol.NewMetadata(map[string]string{"k": "v1"})},
		{Source: source, Title: "béta ⚡ 名前"},
		{
			Source: source, Title: "gamma", URL: "https://example.com/g",
			Effect: protocol.Effect{Type: protocol.EffectOpen, URL: "https://example.com/g"},
		},
	}
}

// catalogue is what the configuration asks for, under the probe's own table or
// one nested in it under the probe's id.
func catalogue(c *sdk.Config) []protocol.Row {
	nested := c.Table("conformance")
	if c.Bool("empty_catalog", nested.Bool("empty_catalog", false)) {
		return []protocol.Row{}
	}
	count := c.Int("catalog_rows", nested.Int("catalog_rows", -1))
	if count < 0 {
		return basicRows()
	}
	pad := c.Int("row_pad", nested.Int("row_pad", 0))
	rows := make([]protocol.Row, min(count, maxRows))
	for i := range rows {
		rows[i] = protocol.Row{Source: source, Title: "row " + itoa(i)}
		if pad > 0 {
			rows[i].Metadata = protocol.NewMetadata(map[string]string{"pad": strings.Repeat("x", int(min(pad, maxPad)))})
		}
	}
	return rows
}

// The configuration may ask for more than the wire takes, not for more than
// the machine has.
const (
	maxRows = 100 * protocol.MaxCatalogRows
	maxPad  = protocol.MaxFrame
)
