package browsers

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Metadata of a row that the plugin itself goes by.
const (
	metaWindow = "window_id"
	metaTab    = "tab_id"
)

// maxRows bounds the catalogue, which the host refuses whole above its quota.
const maxRows = 8000

// publish sends the tabs of all browsers, if they changed, once each that runs
// was read.
func (p *plugin) publish() {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.mu.Lock()
	for _, b := range p.browsers {
		if p.closed || len(b.pids) > 0 && !b.read {
			p.mu.Unlock()
			return
		}
	}
	rows := []protocol.Row{}
	size := 2
	for _, b := range p.browsers {
		for _, t := range b.tabs {
			row := b.row(t, p.focused)
			if size += protocol.RowsSize([]protocol.Row{row}); len(rows) < maxRows && size <= protocol.MaxCatalogBytes {
				rows = append(rows, row)
			}
		}
	}
	p.mu.Unlock()
	p.h.PublishChanged(rows)
}

func (k *kind) row(t tab, focused int) protocol.Row {
	title := strings.TrimSpace(t.title)
	if title == "" {
		title = t.url
	}
	metadata := map[string]string{
		protocol.MetaKind: "tab",
		protocol.MetaPID:  strconv.Itoa(t.pid),
	}
	if where := place(t.url); where != "" {
		metadata[protocol.MetaSubtitle] = clip(where, protocol.MaxTitle)
	}
	if t.window != 0 {
		metadata[metaWindow] = strconv.FormatInt(t.window, 10)
	}
	if t.id != "" {
		metadata[metaTab] = clip(t.id, protocol.MaxTitle)
	}
	if t.focused && t.pid == focused {
		metadata[protocol.MetaCurrentLocation] = "true"
	}
	row := protocol.Row{Source: k.source(), Title: clip(title, protocol.MaxTitle), Metadata: protocol.NewMetadata(metadata)}
	if len(t.url) <= protocol.MaxURL {
		row.URL = t.url
	}
	return row
}

// place is an address as people say it: without its scheme and what they do not read.
func place(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimPrefix(u.Hostname(), "www.") + strings.TrimSuffix(u.Path, "/")
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
