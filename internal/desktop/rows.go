package desktop

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// AppsSource is the host's own source of applications, of kind locations.
const AppsSource = "core.apps"

// MetaRunning marks the row of an application that runs; its value is "true"
// and MetaPID then holds the pid to activate.
const MetaRunning = "running"

// AppRows makes the rows of the core.apps source: one an application, in the
// order given. The other names people type for it (its name and generic name
// in any language it has, keywords, the program) are aliases; opening the row
// opens the application, which brings a running one to the front.
func AppRows(apps []App) []protocol.Row {
	rows := make([]protocol.Row, 0, len(apps))
	for _, a := range apps {
		if a.ID == "" || a.Name == "" || len(a.Name) > maxTitle {
			continue
		}
		meta := protocol.Metadata{}
		if s := aliases(a); s != "" {
			meta = append(meta, protocol.MetadataEntry{Key: protocol.MetaAliases, Value: s})
		}
		meta = append(meta,
			protocol.MetadataEntry{Key: protocol.MetaBundleID, Value: a.ID},
			protocol.MetadataEntry{Key: protocol.MetaKind, Value: "app"})
		if len(a.Running) > 0 {
			meta = append(meta,
				protocol.MetadataEntry{Key: protocol.MetaPID, Value: strconv.Itoa(a.Running[0])},
				protocol.MetadataEntry{Key: MetaRunning, Value: "true"})
		}
		if s := subtitle(a); s != "" {
			meta = append(meta, protocol.MetadataEntry{Key: protocol.MetaSubtitle, Value: s})
		}
		rows = append(rows, protocol.Row{
			Source: AppsSource, Title: a.Name, Metadata: meta,
			Effect: protocol.Effect{Type: protocol.EffectOpen, BundleID: a.ID},
		})
	}
	return rows
}

// maxTitle and maxAliases are the wire's quotas for a title and for one
// metadata value: the host's own rows keep to what it asks of plugins.
const (
	maxTitle   = 4096
	maxAliases = 65536
)

func subtitle(a App) string {
	for _, s := range []string{a.Comment, a.GenericName, a.PlainGenericName} {
		if s != "" && s != a.Name && len(s) <= maxTitle {
			return s
		}
	}
	return ""
}

// aliases joins the other names, one a line, each once whatever its case. The
// id's last part is one of them: it is the name that packages, terminals and
// window rules use ("org.gnome.Nautilus" is typed as "nautilus").
func aliases(a App) string {
	names := append([]string{a.PlainName, a.GenericName, a.PlainGenericName, a.Program}, a.Keywords...)
	names = append(names, idName(a.ID))
	var b strings.Builder
	seen := []string{strings.ToLower(a.Name)}
	for _, n := range names {
		low := strings.ToLower(n)
		if n == "" || slices.Contains(seen, low) {
			continue
		}
		if b.Len()+1+len(n) > maxAliases {
			break
		}
		seen = append(seen, low)
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(n)
	}
	return b.String()
}

// idName is the last part of a reverse-domain id, or the id itself.
func idName(id string) string {
	if strings.Count(id, ".") < 2 {
		return id
	}
	return strings.TrimPrefix(path.Ext(id), ".")
}
