package windows

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
	"github.com/flash-launcher/flash/sdk"
)

// metaWindow is the window's number, by which it is gone to.
const metaWindow = "window_id"

// maxRows bounds the catalogue, which the host refuses whole above its quota.
const maxRows = 5000

// publish sends the windows of all applications, if they changed.
func (p *plugin) publish() {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.mu.Lock()
	if !p.ready || p.closed {
		p.mu.Unlock()
		return
	}
	h, rows := p.h, p.rowsLocked()
	p.mu.Unlock()
	h.PublishChanged(rows)
}

func (p *plugin) rowsLocked() []protocol.Row {
	pids := make([]int, 0, len(p.apps))
	for pid := range p.apps {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	rows := []protocol.Row{}
	size := 2
	for _, pid := range pids {
		a := p.apps[pid]
		for _, w := range a.windows {
			row := a.row(w, pid == p.focused)
			size += protocol.RowsSize([]protocol.Row{row})
			if len(rows) == maxRows || size > protocol.MaxCatalogBytes {
				return rows
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (a *app) row(w win, focused bool) protocol.Row {
	name := a.name
	if name == "" {
		name = a.bundleID
	}
	title := strings.TrimSpace(w.title)
	if title == "" {
		title = name
	}
	if title == "" {
		title = "window " + strconv.FormatInt(w.id, 10)
	}
	metadata := map[string]string{
		protocol.MetaKind: "window",
		protocol.MetaPID:  strconv.Itoa(a.pid),
	}
	if a.bundleID != "" {
		metadata[protocol.MetaBundleID] = a.bundleID
	}
	if name != "" && name != title {
		metadata[protocol.MetaSubtitle] = clip(name, protocol.MaxTitle)
	}
	if w.id != 0 {
		metadata[metaWindow] = strconv.FormatInt(w.id, 10)
	}
	if focused && w.main {
		metadata[protocol.MetaCurrentLocation] = "true"
	}
	return protocol.Row{Source: source, Title: clip(title, protocol.MaxTitle), Metadata: protocol.NewMetadata(metadata)}
}

func (p *plugin) perform(ctx context.Context, h *sdk.Host, r protocol.Perform) protocol.Outcome {
	if !p.begin(h) {
		return protocol.Unhandled()
	}
	switch {
	case r.Kind == protocol.PerformResolve:
		return p.resolve(ctx, h, r.Row)
	case r.Kind == protocol.PerformCommand && r.Command == command && r.Subcommand == "refresh":
		p.readAll(ctx)
		return protocol.Done("")
	case r.Kind == protocol.PerformCommand:
		return protocol.Failed("unsupported subcommand: " + r.Subcommand)
	}
	return protocol.Unhandled()
}

// resolve goes to the window. One that is gone is read away.
func (p *plugin) resolve(ctx context.Context, h *sdk.Host, row protocol.Row) protocol.Outcome {
	text, _ := row.Metadata.Get(protocol.MetaPID)
	pid, err := strconv.ParseInt(text, 10, 32)
	if err != nil || pid <= 0 {
		return protocol.Unhandled()
	}
	text, _ = row.Metadata.Get(metaWindow)
	id, _ := strconv.ParseInt(text, 10, 64)
	if err := h.Activate(ctx, int(pid), id); err != nil {
		if a := p.app(int(pid), ""); a != nil {
			a.changes.Trigger()
		}
		return protocol.Failed(err.Error())
	}
	return protocol.Done("")
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
