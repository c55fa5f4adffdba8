package host

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/flash-launcher/flash/internal/control"
)

// doctorLines is how many of a child's last lines on stderr are shown.
const doctorLines = 5

func (h *Host) doctor(context.Context, control.Request) (any, error) {
	set, rows := h.plugins.Load(), h.catalog.Snapshot()
	d := control.Doctor{Status: h.statusReply(), Plugins: []control.DoctorPlugin{}}
	for _, id := range slices.Sorted(maps.Keys(set.slots)) {
		s := set.slots[id]
		p := control.DoctorPlugin{
			PluginInfo: h.pluginInfo(s),
			Stderr:     []string{},
			Waits:      s.off != "" && h.installWait(s.def) != "",
			Unconfined: s.off == "" && !h.cfg.Load().For(id).Sandbox,
		}
		if c := rows.Plugin(id); c != nil {
			p.Rows = len(c.Rows)
		}
		if s.live != nil {
			snap := s.live.Snapshot()
			p.StateMS = h.time.Now().Sub(snap.Since).Milliseconds()
			p.ManifestError = snap.ManifestError
			if tail := strings.TrimSpace(snap.StderrTail()); tail != "" {
				lines := strings.Split(strings.ToValidUTF8(tail, "\uFFFD"), "\n")
				p.Stderr = lines[max(0, len(lines)-doctorLines):]
			}
		}
		d.Plugins = append(d.Plugins, p)
	}
	return d, nil
}
