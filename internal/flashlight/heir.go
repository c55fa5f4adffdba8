package flashlight

import (
	"strings"

	"github.com/flash-launcher/flash/protocol"
)

// A window or tab that gets another title is a new row to the catalogue, and to
// the user the one that it was. So the entry of a row that went passes to a row
// that came, if they differ in nothing but what describes them.

// heirs returns, by the id of a row, the entry whose place that row took, where
// it is not its own: of those that stood in old, and of those that take one now.
func heirs(old *View, rows []Row) map[string]string {
	same := len(old.Rows) == len(rows)
	for i := 0; same && i < len(rows); i++ {
		same = old.Rows[i].ID == rows[i].ID
	}
	if same {
		return old.heirs
	}
	ids := func(rows []Row) map[string]bool {
		m := make(map[string]bool, len(rows))
		for i := range rows {
			m[rows[i].ID] = true
		}
		return m
	}
	before, here := ids(old.Rows), ids(rows)
	left := map[string]string{} // what a row is but for its title → its entry
	for i := range old.Rows {
		if r := &old.Rows[i]; !here[r.ID] {
			note(left, identity(r), old.entryOf(r))
		}
	}
	out := map[string]string{}
	came := map[string]string{} // the same → the id of the row
	for i := range rows {
		switch r := &rows[i]; {
		case !before[r.ID]:
			note(came, identity(r), r.ID)
		case old.heirs[r.ID] != "":
			out[r.ID] = old.heirs[r.ID]
		}
	}
	for what, id := range came {
		if entry := left[what]; id != "" && entry != "" && !here[entry] {
			out[id] = entry
		}
	}
	for id, entry := range out {
		// A row that came under the title which the heir had is another entry.
		if here[entry] && out[entry] == "" && id != entry {
			out[entry] = entry + "\x00"
		}
	}
	return out
}

// note keeps the value of a key that occurs once; that of one that occurs more
// often is empty, as nobody can tell which is which.
func note(m map[string]string, key, value string) {
	if key == "" {
		return
	}
	if _, twice := m[key]; twice {
		value = ""
	}
	m[key] = value
}

// identity is everything of a row but what describes it; "" where nothing is
// left that would tell it from its neighbours.
func identity(r *Row) string {
	var b strings.Builder
	told := r.URL != "" || r.Row.Effect.Type != protocol.EffectNone
	for _, s := range []string{r.Plugin, r.Source, r.URL, string(r.Row.Effect.Type), r.Row.Effect.URL, r.Row.Effect.BundleID, r.Row.Effect.Text} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	for _, m := range r.Row.Metadata {
		switch m.Key {
		case protocol.MetaSubtitle, protocol.MetaAliases, protocol.MetaCurrentLocation, protocol.MetaPriority, protocol.MetaFinishesCommand:
			continue
		case protocol.MetaKind, protocol.MetaBundleID, protocol.MetaPID: // an application's windows share these
		default:
			told = true
		}
		b.WriteString(m.Key)
		b.WriteByte(0)
		b.WriteString(m.Value)
		b.WriteByte(0)
	}
	if !told {
		return ""
	}
	return b.String()
}
