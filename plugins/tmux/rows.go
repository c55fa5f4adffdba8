package tmux

import (
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// Metadata of a row that the plugin itself goes by. Ids name a window for as
// long as its server runs; the URL, by names, outlives it.
const (
	metaServer   = "server"
	metaInstance = "server_instance"
	metaSession  = "session_id"
	metaWindow   = "window_id"
)

// maxRows bounds the catalogue: the host refuses 10,000 rows or 4 MiB whole.
const maxRows = 5000

// view is what one server shows.
type view struct {
	name string
	host string
	inv  inventory
}

// rowsOf lists the windows of all servers, in tmux's order.
func rowsOf(views []view) []protocol.Row {
	here, _ := currentOf(views)
	rows := []protocol.Row{}
	size := 2
	for _, v := range views {
		for _, w := range v.inv.distinct() {
			row := v.row(w, here.view == v.name && here.window.id == w.id)
			size += protocol.RowsSize([]protocol.Row{row})
			if len(rows) == maxRows || size > protocol.MaxCatalogBytes {
				return rows
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (v *view) row(w window, current bool) protocol.Row {
	place := w.session + ":" + strconv.Itoa(w.index)
	title := w.name
	if strings.TrimSpace(title) == "" {
		title = place
	}
	subtitle := place
	if v.name != defaultSocket {
		subtitle = v.label() + " · " + subtitle
	}
	if w.command != "" && w.command != w.name {
		subtitle += " · " + w.command
	}
	if w.path != "" && v.host == "" {
		subtitle += " · " + shorten(w.path)
	} else if w.path != "" {
		subtitle += " · " + w.path
	}
	metadata := map[string]string{
		protocol.MetaKind:          "tmux_window",
		protocol.MetaSubtitle:      clip(subtitle, protocol.MaxTitle),
		protocol.MetaAliases:       clip(w.session+"\n"+place+"\n"+w.session+" "+w.name, protocol.MaxTitle),
		protocol.MetaNavigationURL: windowURL(v.name, w),
		metaServer:                 v.name,
		metaInstance:               w.instance,
		metaSession:                w.sessionID,
		metaWindow:                 w.id,
	}
	if current {
		metadata[protocol.MetaCurrentLocation] = "true"
	}
	return protocol.Row{Source: source, Title: clip(title, protocol.MaxTitle), Metadata: protocol.NewMetadata(metadata)}
}

// label is the server's name as a person would say it.
func (v *view) label() string {
	if v.host != "" {
		return v.host
	}
	return v.name
}

// windowURL is tmux://SERVER/SESSION/INDEX, each part percent-encoded.
func windowURL(server string, w window) string {
	return "tmux://" + url.PathEscape(server) + "/" + url.PathEscape(clip(w.session, 1024)) + "/" + strconv.Itoa(w.index)
}

// place is a window and who looks at it.
type place struct {
	view   string
	client client
	window window
}

// currentOf returns the window that the person's last used terminal shows, of
// all servers of this machine.
func currentOf(views []view) (place, bool) {
	var best place
	found := false
	for _, v := range views {
		if v.host != "" {
			continue
		}
		for _, c := range v.inv.people() {
			if found && c.activity <= best.client.activity {
				break
			}
			if w, ok := v.inv.current(c.sessionID); ok {
				best, found = place{v.name, c, w}, true
				break
			}
		}
	}
	return best, found
}

// segmentsOf are the texts for a bar; all are empty while no terminal is attached.
func segmentsOf(views []view) map[string]string {
	here, ok := currentOf(views)
	if !ok {
		return map[string]string{"session": "", "window": "", "pane": ""}
	}
	w := here.window
	return map[string]string{
		"session": clip(w.session, protocol.MaxTitle),
		"window":  clip(strconv.Itoa(w.index)+":"+w.name, protocol.MaxTitle),
		"pane":    clip(w.pane+":"+w.command, protocol.MaxTitle),
	}
}

// publish sends the windows of all servers and the segments, if they changed.
func (p *plugin) publish() {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.mu.Lock()
	if !p.ready || p.closed {
		p.mu.Unlock()
		return
	}
	views := p.views()
	p.mu.Unlock()

	p.h.PublishChanged(rowsOf(views))
	changed := map[string]string{}
	for name, text := range segmentsOf(views) {
		if before, shown := p.segments[name]; before != text || !shown && text != "" {
			changed[name] = text
		}
	}
	if len(changed) == 0 {
		return
	}
	if p.segments == nil {
		p.segments = map[string]string{}
	}
	for name, text := range changed {
		p.segments[name] = text
	}
	p.h.Status(changed)
}

// views are the servers that are known to run. Called with mu.
func (p *plugin) views() []view {
	var views []view
	for _, s := range p.list() {
		if s.known {
			views = append(views, view{s.name, s.host, s.inv})
		}
	}
	return views
}

// shorten writes the home directory as ~.
func shorten(path string) string {
	home := os.Getenv("HOME")
	if rest, ok := strings.CutPrefix(path, home); ok && len(home) > 1 && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
